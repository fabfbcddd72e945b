import PropertyList
import SecretMemory

/// The fields of `keyslots.plist` as they stand in the file, each of the type it must have.
struct KeySlotsFields {
    typealias Node = PropertyListIndex.Node

    // The six bytes of a binary property list's trailer that say nothing.
    private static let unusedFromEnd = 32
    private static let unusedCount = 6
    // Seconds from 1970-01-01T00:00:00Z to 2001-01-01T00:00:00Z, from which dates are counted.
    private static let referenceDate: Int64 = 978_307_200

    private var index: PropertyListIndex

    init(_ file: Span<UInt8>) throws(KeySlotsError) {
        index = PropertyListIndex(
            limits: PropertyListLimits(
                maximumBytes: KeySlots.maximumFileSize, maximumObjects: KeySlots.maximumObjects,
                maximumDepth: KeySlots.maximumDepth))
        do throws(PropertyListError) {
            try index.scan(file)
        } catch {
            throw .damaged("property list")
        }
        let unused = file.count - Self.unusedFromEnd
        for offset in unused..<(unused + Self.unusedCount) where file[offset] != 0 {
            throw .damaged("trailer")
        }
    }

    var root: Node { index.root }

    /// Requires a dictionary of so many members; as many are then asked for by name, so that there
    /// is no other.
    func require(
        _ count: Int, of node: Node, named name: String
    ) throws(KeySlotsError) {
        guard index.kind(of: node) == .dictionary, index.count(of: node) == count else {
            throw .damaged("members of \(name)")
        }
    }

    func data(
        _ name: StaticString, of node: Node, size: Int, in file: Span<UInt8>
    ) throws(KeySlotsError) -> [UInt8] {
        guard let value = index.member(name, of: node, in: file),
            let range = index.dataRange(value), range.count == size
        else { throw .damaged("\(name)") }
        return file.extracting(range).array
    }

    func masterKeyID(
        _ name: StaticString, of node: Node, in file: Span<UInt8>
    ) throws(KeySlotsError) -> MasterKeyID {
        let bytes = try data(name, of: node, size: MasterKeyID.size, in: file)
        guard let id = MasterKeyID(bytes.span) else { throw .damaged("\(name)") }
        return id
    }

    func integer(_ name: StaticString, of node: Node, in file: Span<UInt8>) -> Int64? {
        index.member(name, of: node, in: file).flatMap { index.integer($0, in: file) }
    }

    /// A date's seconds since 1970-01-01T00:00:00Z; nil unless they are whole.
    ///
    /// Read from the bytes: the sum with the reference date may round a fraction away.
    func wholeSeconds(_ name: StaticString, of node: Node, in file: Span<UInt8>) -> Int64? {
        guard let value = index.member(name, of: node, in: file), index.kind(of: value) == .date
        else { return nil }
        var pattern: UInt64 = 0
        for offset in index.range(of: value) { pattern = pattern << 8 | UInt64(file[offset]) }
        guard let seconds = Int64(exactly: Double(bitPattern: pattern)),
            Double(seconds).bitPattern == pattern
        else { return nil }
        let (sum, overflowed) = seconds.addingReportingOverflow(Self.referenceDate)
        return overflowed ? nil : sum
    }

    func kind(of slot: Node, in file: Span<UInt8>) -> KeySlot.Kind? {
        guard let value = index.member("kind", of: slot, in: file) else { return nil }
        return KeySlot.Kind.allCases.first { index.string(value, equals: $0.name, in: file) }
    }

    func elements<Element>(
        _ name: StaticString, of node: Node, counts: ClosedRange<Int>, in file: Span<UInt8>,
        _ read: (Node) throws(KeySlotsError) -> Element
    ) throws(KeySlotsError) -> [Element] {
        guard let array = index.member(name, of: node, in: file),
            index.kind(of: array) == .array, counts.contains(index.count(of: array))
        else { throw .damaged("\(name)") }
        var elements: [Element] = []
        try index.forEachElement(of: array, in: file) { element throws(KeySlotsError) in
            elements.append(try read(element))
        }
        return elements
    }
}
