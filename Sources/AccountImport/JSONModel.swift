import Accounts
import JSON
import PropertyList
import SecretMemory

/// An app's model as JSON, as YYModel and its like write it.
enum JSONModel {
    /// Containers within one another.
    private static let maximumDepth = 16

    /// Makes a property list of it, without what is null, which property lists do not have.
    static func propertyList(
        of text: Span<UInt8>, in arena: SecretArena
    ) throws(ImportError) -> SecretBuffer {
        let start = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0
        let body = text.extracting(start..<text.count)
        var index = JSONIndex(
            limits: JSONLimits(
                maximumBytes: ImportLimits.maximumFile, maximumDepth: maximumDepth,
                allowsEscapedNUL: true))
        do { try index.scan(body) } catch { throw refusal(of: text, error) }
        do throws(PropertyListError) {
            var writer = try PropertyListWriter.make(in: arena)
            guard let root = try add(index.root, index, body, to: &writer, arena) else {
                throw PropertyListError.unwritable
            }
            return try writer.finish(root: root)
        } catch { throw ImportError(error) }
    }

    private static func refusal(of text: Span<UInt8>, _ error: JSONError) -> ImportError {
        if case .duplicateKey = error { return .duplicateKey }
        if case .tooDeep = error { return .tooDeep }
        if let look = InputLook(text) { return .notAPropertyList(look) }
        return ImportError(
            "malformed-json", "the JSON is malformed", hint: "copy the file once more, whole")
    }

    // As deep as the scanner has allowed.
    private static func add(
        _ node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        to writer: inout PropertyListWriter, _ arena: SecretArena
    ) throws(PropertyListError) -> PropertyListWriter.Reference? {
        switch index.kind(of: node) {
        case .null: return nil
        case .true: return try writer.add(boolean: true)
        case .false: return try writer.add(boolean: false)
        case .number:
            if let integer = index.integer(node, in: text) {
                return try writer.add(integer: integer)
            }
            // A number that nothing can hold is none that an account has.
            return try writer.add(real: index.float(node, in: text) ?? .infinity)
        case .string: return try addString(node, index, text, to: &writer, arena)
        case .array:
            var elements: [PropertyListWriter.Reference] = []
            try index.forEachElement(of: node) { element throws(PropertyListError) in
                if let element = try add(element, index, text, to: &writer, arena) {
                    elements.append(element)
                }
            }
            return try writer.add(array: elements)
        case .object:
            var members:
                [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)] =
                    []
            try index.forEachMember(of: node) { name, value throws(PropertyListError) in
                guard let value = try add(value, index, text, to: &writer, arena) else { return }
                members.append((try addString(name, index, text, to: &writer, arena), value))
            }
            return try writer.add(dictionary: members)
        }
    }

    private static func addString(
        _ node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        to writer: inout PropertyListWriter, _ arena: SecretArena
    ) throws(PropertyListError) -> PropertyListWriter.Reference {
        let count = index.decodedCount(of: node, in: text)
        let buffer: SecretBuffer
        do { buffer = try decoded(node, count, index, text, arena) } catch {
            throw .memory(error)
        }
        return try buffer.withBytes { bytes throws(PropertyListError) in
            try writer.add(string: bytes)
        }
    }

    private static func decoded(
        _ node: JSONIndex.Node, _ count: Int, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ arena: SecretArena
    ) throws(SecretMemoryError) -> SecretBuffer {
        var buffer = try SecretBuffer(arena: arena, capacity: max(1, count))
        try index.appendString(node, in: text, to: &buffer)
        return buffer
    }
}

extension PropertyListWriter {
    /// A writer within the limits of what is imported.
    static func make(
        in arena: SecretArena, limits: PropertyListLimits = ImportLimits.graph.file
    ) throws(PropertyListError) -> PropertyListWriter {
        let buffer: SecretBuffer
        do {
            buffer = try SecretBuffer(arena: arena, capacity: 1024, limit: limits.maximumBytes)
        } catch { throw .memory(error) }
        return try PropertyListWriter(into: buffer, limits: limits)
    }
}
