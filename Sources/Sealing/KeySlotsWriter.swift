import PropertyList
import SecretMemory

/// Writes a property list in which no two objects are equal.
///
/// A reference that a flipped bit leads to another object then leads to another value, and the
/// checksum sees it.
struct KeySlotsWriter: ~Copyable {
    typealias Reference = PropertyListWriter.Reference
    typealias Member = (name: String, value: Value)

    enum Value: Hashable {
        case text(String)
        case integer(Int64)
        /// Seconds since 1970-01-01T00:00:00Z.
        case date(Int64)
        case data([UInt8])
    }

    private var writer: PropertyListWriter
    private var known: [Value: Reference] = [:]

    init(arena: SecretArena) throws(PropertyListError) {
        let buffer: SecretBuffer
        do throws(SecretMemoryError) {
            buffer = try SecretBuffer(
                arena: arena, capacity: 1024, limit: KeySlots.maximumFileSize)
        } catch {
            throw .memory(error)
        }
        writer = try PropertyListWriter(into: buffer)
    }

    mutating func add(
        _ members: [Member], arrays: [(name: String, elements: [Reference])] = []
    ) throws(PropertyListError) -> Reference {
        var references: [(key: Reference, value: Reference)] = []
        for member in members {
            references.append((try add(.text(member.name)), try add(member.value)))
        }
        for array in arrays {
            references.append(
                (try add(.text(array.name)), try writer.add(array: array.elements)))
        }
        return try writer.add(dictionary: references)
    }

    consuming func finish(_ root: Reference) throws(PropertyListError) -> [UInt8] {
        try writer.finish(root: root).withBytes { $0.array }
    }

    private mutating func add(_ value: Value) throws(PropertyListError) -> Reference {
        if let reference = known[value] { return reference }
        let reference =
            switch value {
            case .text(let text): try writer.add(string: text)
            case .integer(let integer): try writer.add(integer: integer)
            case .date(let seconds): try writer.add(date: Double(seconds))
            case .data(let bytes): try writer.add(data: bytes.span)
            }
        known[value] = reference
        return reference
    }
}
