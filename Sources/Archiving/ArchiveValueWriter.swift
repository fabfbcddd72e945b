import FoundationEssentials
import PropertyList
import SecretMemory

/// Writes a value as a binary property list.
///
/// Keys, booleans and nulls stand in it once.
struct ArchiveValueWriter: ~Copyable {
    // Room to begin with; it grows by doubling.
    private static let firstCapacity = 1 << 12

    private struct Key {
        let text: String
        let reference: PropertyListWriter.Reference
    }

    private var writer: PropertyListWriter
    private var keys: [String: Key] = [:]
    private var null: PropertyListWriter.Reference?
    private var booleans: [PropertyListWriter.Reference?] = [nil, nil]
    private var visits = 0

    private init(into buffer: consuming SecretBuffer, limit: Int) throws(PropertyListError) {
        writer = try PropertyListWriter(
            into: buffer, limits: PropertyListBounds.limits(bytes: limit))
    }

    /// - Throws: `.unwritable` for a date that is not finite and for the text `$null`, and what the
    ///   writer of property lists throws.
    static func write(
        _ value: ArchiveValue, in arena: SecretArena, limit: Int
    ) throws(PropertyListError) -> SecretBuffer {
        let made: SecretBuffer
        do throws(SecretMemoryError) {
            made = try SecretBuffer(
                arena: arena, capacity: min(firstCapacity, limit), limit: limit)
        } catch { throw .memory(error) }
        var writer = try ArchiveValueWriter(into: made, limit: limit)
        let root = try writer.add(value, depth: 0)
        return try writer.finish(root: root)
    }

    private consuming func finish(
        root: PropertyListWriter.Reference
    ) throws(PropertyListError) -> SecretBuffer {
        try writer.finish(root: root)
    }

    private mutating func add(
        _ value: ArchiveValue, depth: Int
    ) throws(PropertyListError) -> PropertyListWriter.Reference {
        try visit()
        switch value {
        case .null: return try addNull()
        case .boolean(let value): return try add(boolean: value)
        case .integer(let value): return try writer.add(integer: value)
        case .real(let value): return try writer.add(real: value)
        case .date(let value):
            return try writer.add(dateSince2001: value.timeIntervalSinceReferenceDate)
        case .data(let value): return try writer.add(data: value.span)
        case .string(let text):
            guard text != "\(propertyListNull)" else { throw .unwritable }
            return try writer.add(string: text)
        case .array(let elements):
            let children = try add(elements, depth: depth + 1)
            return try writer.add(array: children)
        case .dictionary(let members):
            return try add(members, depth: depth + 1)
        }
    }

    private mutating func add(
        _ elements: [ArchiveValue], depth: Int
    ) throws(PropertyListError) -> [PropertyListWriter.Reference] {
        guard depth <= PropertyListBounds.maximumDepth else { throw .tooDeep }
        var references: [PropertyListWriter.Reference] = []
        references.reserveCapacity(elements.count)
        for element in elements { references.append(try add(element, depth: depth)) }
        return references
    }

    private mutating func add(
        _ members: [String: ArchiveValue], depth: Int
    ) throws(PropertyListError) -> PropertyListWriter.Reference {
        guard depth <= PropertyListBounds.maximumDepth else { throw .tooDeep }
        var references: [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)]
        references = []
        references.reserveCapacity(members.count)
        for (key, value) in members {
            references.append((try add(key: key), try add(value, depth: depth)))
        }
        return try writer.add(dictionary: references)
    }

    // Texts that are equal to Unicode may have other bytes, and are then two objects.
    private mutating func add(
        key: String
    ) throws(PropertyListError) -> PropertyListWriter.Reference {
        try visit()
        if let known = keys[key], known.text.utf8.elementsEqual(key.utf8) {
            return known.reference
        }
        let reference = try writer.add(string: key)
        keys[key] = Key(text: key, reference: reference)
        return reference
    }

    private mutating func addNull() throws(PropertyListError) -> PropertyListWriter.Reference {
        if let null { return null }
        let reference = try writer.add(string: propertyListNull)
        null = reference
        return reference
    }

    private mutating func add(
        boolean: Bool
    ) throws(PropertyListError) -> PropertyListWriter.Reference {
        if let known = booleans[boolean ? 1 : 0] { return known }
        let reference = try writer.add(boolean: boolean)
        booleans[boolean ? 1 : 0] = reference
        return reference
    }

    private mutating func visit() throws(PropertyListError) {
        visits += 1
        guard visits <= PropertyListBounds.maximumVisits else { throw .tooManyObjects }
    }
}
