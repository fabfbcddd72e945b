import AccountService

/// A Varlink interface file, read as far as these tests need: what it declares, and the parameters
/// of each method. varlink.org/Interface-Definition
struct InterfaceFile {
    struct Parameter: Equatable {
        let name: String
        let type: String
        let isOptional: Bool
    }

    var name = ""
    var methods: [String: [Parameter]] = [:]
    var replies: [String: [Parameter]] = [:]
    var errors: [String: [Parameter]] = [:]
    var types: [String: [Parameter]] = [:]

    init(_ text: String) {
        let plain = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("#") }.joined(separator: " ")
        var rest = plain[...]
        while let word = Self.word(&rest) {
            switch word {
            case "interface": name = Self.word(&rest) ?? ""
            case "method":
                let method = Self.word(&rest) ?? ""
                methods[method] = Self.parameters(Self.group(&rest))
                replies[method] = Self.parameters(Self.group(&rest))
            case "error": errors[Self.word(&rest) ?? ""] = Self.parameters(Self.group(&rest))
            case "type": types[Self.word(&rest) ?? ""] = Self.parameters(Self.group(&rest))
            default: break
            }
        }
    }

    /// A run of letters, digits and dots.
    private static func word(_ rest: inout Substring) -> String? {
        while let first = rest.first, !first.isLetter { rest.removeFirst() }
        guard !rest.isEmpty else { return nil }
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "." }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    /// What stands between the next parenthesis and the one that closes it.
    private static func group(_ rest: inout Substring) -> Substring {
        rest = rest.drop { $0 != "(" }.dropFirst()
        var depth = 1
        let group = rest.prefix { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth > 0
        }
        rest = rest.dropFirst(group.count + 1)
        return group
    }

    private static func parameters(_ group: Substring) -> [Parameter] {
        var parameters: [Parameter] = []
        var rest = group
        while let name = parameterName(&rest) {
            rest = rest.drop { $0 == ":" || $0 == " " }
            let isOptional = rest.first == "?"
            if isOptional { rest.removeFirst() }
            var type = ""
            if rest.first == "(" {
                var inner = rest
                type = "(\(self.group(&inner)))"
                rest = inner
            } else {
                let word = rest.prefix { $0 != "," && $0 != " " }
                type = String(word)
                rest = rest.dropFirst(word.count)
            }
            parameters.append(Parameter(name: name, type: type, isOptional: isOptional))
        }
        return parameters
    }

    private static func parameterName(_ rest: inout Substring) -> String? {
        rest = rest.drop { !$0.isLetter }
        guard !rest.isEmpty else { return nil }
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        rest = rest.dropFirst(name.count)
        return String(name)
    }
}
