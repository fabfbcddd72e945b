/// What an archive holds. docs/FORMAT.md, "Archives"
public enum ArchiveKind: UInt8, Sendable, CaseIterable {
    /// A Codable value, or what was imported: a binary property list.
    case propertyList = 1
    /// Bytes as they were given.
    case bytes = 2
    /// JSON as it was given.
    case json = 3
    /// A value that names its own types, for `ArchiveRegistry`.
    case registered = 4
}

/// What stands before an archive's content: its kind and the name of its type.
struct ArchiveEnvelope: Equatable {
    /// Bytes of the longest name of a type.
    static let maximumTypeName = 4096

    let kind: ArchiveKind
    /// Empty where nothing is said of it: then it is read as whatever it is asked for.
    let typeName: String

    /// Makes one.
    init(
        _ kind: ArchiveKind, _ typeName: String, of name: ArchiveName
    ) throws(ArchiveError) {
        guard typeName.utf8.count <= Self.maximumTypeName else {
            throw .notEncodable(archive: name.text, reason: "the name of its type is too long")
        }
        self.init(kind: kind, typeName: typeName)
    }

    private init(kind: ArchiveKind, typeName: String) {
        self.kind = kind
        self.typeName = typeName
    }

    /// Its bytes.
    var bytes: [UInt8] {
        let name = Array(typeName.utf8)
        return [kind.rawValue, UInt8(name.count & 0xFF), UInt8(name.count >> 8)] + name
    }

    /// Reads it from the beginning of an archive's plaintext.
    ///
    /// - Returns: what it says, and how many bytes it has; nil when it is none.
    static func read(_ bytes: Span<UInt8>) -> (envelope: ArchiveEnvelope, size: Int)? {
        guard bytes.count >= 3, let kind = ArchiveKind(rawValue: bytes[0]) else { return nil }
        let count = Int(bytes[1]) | Int(bytes[2]) << 8
        guard count <= maximumTypeName, bytes.count >= 3 + count else { return nil }
        var name = [UInt8]()
        for index in 3..<(3 + count) { name.append(bytes[index]) }
        guard let typeName = String(validating: name, as: UTF8.self) else { return nil }
        return (ArchiveEnvelope(kind: kind, typeName: typeName), 3 + count)
    }
}
