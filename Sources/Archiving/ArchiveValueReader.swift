import FoundationEssentials
import PropertyList

/// Reads the values of a binary property list that was scanned, which bounds how deep it goes.
struct ArchiveValueReader {
    private let index: PropertyListIndex
    private let archive: String
    // Values and keys that may still be read, each as often as it is referred to.
    private var room: Int

    init(index: PropertyListIndex, archive: String, room: Int) {
        self.room = room
        self.index = index
        self.archive = archive
    }

    /// The value of a node and of all below it.
    ///
    /// - Throws: `.notDecodable`.
    mutating func value(
        of node: PropertyListIndex.Node, in bytes: Span<UInt8>
    ) throws(ArchiveError) -> ArchiveValue {
        try visit()
        switch index.kind(of: node) {
        case .null: return .null
        case .boolean: return .boolean(index.boolean(node, in: bytes) == true)
        case .integer:
            guard let value = index.integer(node, in: bytes) else {
                throw refusal("an integer is out of bounds")
            }
            return .integer(value)
        case .real: return .real(index.real(node, in: bytes) ?? .nan)
        case .date:
            guard let seconds = index.secondsSince2001(node, in: bytes) else {
                throw refusal("a date in it is not finite")
            }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data: return .data(Data(copying: bytes.extracting(index.range(of: node))))
        case .string:
            let isNull = index.string(node, equals: propertyListNull, in: bytes)
            return isNull ? .null : .string(index.text(of: node, in: bytes) ?? "")
        case .array: return .array(try elements(of: node, in: bytes))
        case .dictionary: return .dictionary(try members(of: node, in: bytes))
        case .set: throw refusal("a set stands in it")
        case .uid: throw refusal("a reference of a keyed archive stands in it")
        }
    }

    private mutating func elements(
        of node: PropertyListIndex.Node, in bytes: Span<UInt8>
    ) throws(ArchiveError) -> [ArchiveValue] {
        var elements: [ArchiveValue] = []
        try index.forEachElement(of: node, in: bytes) { element throws(ArchiveError) in
            elements.append(try value(of: element, in: bytes))
        }
        return elements
    }

    private mutating func members(
        of node: PropertyListIndex.Node, in bytes: Span<UInt8>
    ) throws(ArchiveError) -> [String: ArchiveValue] {
        var members: [String: ArchiveValue] = [:]
        try index.forEachMember(of: node, in: bytes) { key, member throws(ArchiveError) in
            try visit()
            let name = index.text(of: key, in: bytes) ?? ""
            guard members[name] == nil else { throw refusal("two keys are one text") }
            members[name] = try value(of: member, in: bytes)
        }
        return members
    }

    private mutating func visit() throws(ArchiveError) {
        guard room > 0 else { throw refusal("it has too many values") }
        room -= 1
    }

    private func refusal(_ reason: String) -> ArchiveError {
        .notDecodable(archive: archive, reason: reason)
    }
}

extension Data {
    /// A copy of the bytes.
    init(copying bytes: Span<UInt8>) {
        // SAFETY: the buffer is copied before the closure returns.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Data(buffer: $0) }
    }
}
