/// JSON that a command prints, of values that are no secrets.
///
/// Members keep the order in which they are added, and an absent value is `null`, so that a script
/// finds the same members whatever the account.
package struct JSONText {
    private(set) var text = "{"
    private var isFirst = true

    /// Begins an object.
    package init() {}

    private mutating func name(_ name: String) {
        if !isFirst { text += "," }
        isFirst = false
        text += Self.quoted(name) + ":"
    }

    /// Adds a text.
    package mutating func add(_ name: String, _ value: String?) {
        self.name(name)
        text += value.map(Self.quoted) ?? "null"
    }

    /// Adds a whole number.
    package mutating func add(_ name: String, _ value: Int64?) {
        self.name(name)
        text += value.map(String.init) ?? "null"
    }

    /// Adds true or false.
    package mutating func add(_ name: String, _ value: Bool) {
        self.name(name)
        text += value ? "true" : "false"
    }

    /// Adds a list of texts.
    package mutating func add(_ name: String, _ values: [String]) {
        self.name(name)
        text += "[" + values.map(Self.quoted).joined(separator: ",") + "]"
    }

    /// Adds a list of objects.
    package mutating func add(_ name: String, objects: [JSONText]) {
        self.name(name)
        text += "[" + objects.map(\.closed).joined(separator: ",") + "]"
    }

    /// The whole object.
    var closed: String { text + "}" }
    /// The whole object on a line of its own.
    package var line: String { closed + "\n" }

    /// A string with its quotes.
    ///
    /// Every control character is escaped, those of C1 and the marks of direction too: RFC 8259 lets
    /// them stand, some terminals obey them.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where ControlCharacters.isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
