/// Why a text stands for no type.
enum ArchiveTypeNameError: Error, Equatable {
    /// It is not written as names of types are.
    case notAName
    /// The type of this name is not registered.
    case unregistered(String)
}

/// The name of a type as it is written: `Account`, `[String: [Int8?]]`, `Set<Account>`.
///
/// Each type has one name, to the last space.
struct ArchiveTypeName: Equatable {
    /// Bytes of the whole name.
    static let maximumBytes = 1024
    /// Brackets and question marks around a name.
    static let maximumNesting = 16
    /// Bytes of a name without brackets.
    static let maximumSimpleBytes = 255

    indirect enum Node: Equatable, Sendable {
        case simple(String)
        case optional(Node)
        case array(Node)
        case set(Node)
        case dictionary(key: Node, value: Node)
    }

    let text: String
    let root: Node

    /// Nil for what is not written as names are.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var scanner = Scanner(rest: text[...])
        guard let root = scanner.type(nesting: 0), scanner.rest.isEmpty else { return nil }
        self.text = text
        self.root = root
    }

    /// Whether a text may be the name of a type of its own.
    static func isSimple(_ text: String) -> Bool {
        ArchiveTypeName(text)?.root == .simple(text)
    }

    private struct Scanner {
        private static let reserved: Set<Character> = ["[", "]", "<", ">", "?", ":", ","]

        var rest: Substring

        mutating func type(nesting: Int) -> Node? {
            guard nesting <= maximumNesting, var node = primary(nesting: nesting) else {
                return nil
            }
            var count = nesting
            while take("?") {
                count += 1
                guard count <= maximumNesting else { return nil }
                node = .optional(node)
            }
            return node
        }

        private mutating func primary(nesting: Int) -> Node? {
            if take("[") {
                guard let first = type(nesting: nesting + 1) else { return nil }
                guard take(": ") else { return take("]") ? .array(first) : nil }
                guard let second = type(nesting: nesting + 1), take("]") else { return nil }
                return .dictionary(key: first, value: second)
            }
            if take("Set<") {
                guard let element = type(nesting: nesting + 1), take(">") else { return nil }
                return .set(element)
            }
            let name = rest.prefix { !Self.reserved.contains($0) && Self.isVisible($0) }
            guard !name.isEmpty, name.utf8.count <= maximumSimpleBytes else { return nil }
            rest = rest[name.endIndex...]
            return .simple(String(name))
        }

        private mutating func take(_ text: String) -> Bool {
            guard rest.hasPrefix(text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }

        private static func isVisible(_ character: Character) -> Bool {
            character.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            }
        }
    }
}
