import SecretMemory
import TestSupport
import Testing

@testable import PropertyList

/// Reads whole values through the index's questions, with one index for all files.
final class PropertyListReader {
    private let arena: SecretArena
    private var text: SecretBuffer
    private var index: PropertyListIndex

    init(limits: PropertyListLimits = PropertyListLimits()) throws {
        arena = try SecretArena.forTest()
        text = try SecretBuffer(arena: arena, capacity: 1024, limit: 1 << 18)
        index = PropertyListIndex(limits: limits)
    }

    /// What a file says, or why it is refused.
    func read(_ file: [UInt8]) -> Result<PropertyListValue, PropertyListError> {
        do throws(PropertyListError) {
            try index.scan(file.span)
            return .success(value(of: index.root, in: file.span))
        } catch {
            return .failure(error)
        }
    }

    func value(of node: PropertyListIndex.Node, in bytes: Span<UInt8>) -> PropertyListValue {
        requireOneAnswer(about: node, in: bytes)
        switch index.kind(of: node) {
        case .null: return .null
        case .boolean: return .boolean(index.boolean(node, in: bytes) == true)
        case .integer:
            return index.integer(node, in: bytes).map { .integer($0) } ?? .integerOutOfRange
        case .real: return .real(index.real(node, in: bytes) ?? 0)
        case .date: return .date(index.date(node, in: bytes))
        case .data: return .data(copy(index.range(of: node), of: bytes))
        case .string: return .string(utf8(of: node, in: bytes))
        case .uid: return .uid(index.uid(node, in: bytes) ?? 0)
        case .array: return .array(elements(of: node, in: bytes))
        case .set: return .set(elements(of: node, in: bytes))
        case .dictionary:
            var members: [[UInt8]: PropertyListValue] = [:]
            var count = 0
            index.forEachMember(of: node, in: bytes) { key, each in
                members[utf8(of: key, in: bytes)] = value(of: each, in: bytes)
                count += 1
            }
            #expect(count == index.count(of: node) && count == members.count)
            return .dictionary(members)
        }
    }

    private func elements(
        of node: PropertyListIndex.Node, in bytes: Span<UInt8>
    ) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        index.forEachElement(of: node, in: bytes) { elements.append(value(of: $0, in: bytes)) }
        #expect(elements.count == index.count(of: node))
        return elements
    }

    private func utf8(of node: PropertyListIndex.Node, in bytes: Span<UInt8>) -> [UInt8] {
        text.removeAll()
        do { try index.appendString(node, in: bytes, to: &text) } catch { Issue.record(error) }
        #expect(text.count == index.decodedCount(of: node, in: bytes))
        let utf8 = text.withBytes { copy(0..<$0.count, of: $0) }
        #expect(index.text(of: node, in: bytes).map { Array($0.utf8) } == utf8)
        return utf8
    }

    private func copy(_ range: Range<Int>, of bytes: Span<UInt8>) -> [UInt8] {
        range.map { bytes[$0] }
    }

    /// Each question has an answer for its own kind alone, and values lie within the file.
    private func requireOneAnswer(about node: PropertyListIndex.Node, in bytes: Span<UInt8>) {
        let kind = index.kind(of: node)
        let range = index.range(of: node)
        let isOutside = range.lowerBound < 9 || range.upperBound > bytes.count - 33
        let isWrong =
            isOutside
            || (index.boolean(node, in: bytes) != nil) != (kind == .boolean)
            || (index.integer(node, in: bytes) != nil && kind != .integer)
            || (index.real(node, in: bytes) != nil) != (kind == .real)
            || (index.date(node, in: bytes) != nil && kind != .date)
            || (index.secondsSince2001(node, in: bytes) != nil && kind != .date)
            || (index.text(of: node, in: bytes) != nil) != (kind == .string)
            || (index.uid(node, in: bytes) != nil) != (kind == .uid)
            || (index.dataRange(node) != nil) != (kind == .data)
        if isWrong { Issue.record("\(kind) at \(range) answers as another kind") }
    }
}

extension PropertyListWriter {
    /// Adds a whole value; the kinds for which there is no method too.
    mutating func add(_ value: PropertyListValue) throws(PropertyListError) -> Reference {
        switch value {
        case .null:
            return try add { buffer throws(SecretMemoryError) in try buffer.append(0x00) }
        case .uid(let value):
            return try add { buffer throws(SecretMemoryError) in
                try buffer.append(0x87)
                try buffer.append(bigEndian: value, size: 8)
            }
        case .boolean(let value): return try add(boolean: value)
        case .integer(let value): return try add(integer: value)
        case .integerOutOfRange: throw .unwritable
        case .real(let value): return try add(real: value)
        case .date(let seconds): return try add(date: seconds ?? .nan)
        case .data(let bytes): return try add(data: bytes.span)
        case .string(let utf8): return try add(string: utf8.span)
        case .array(let elements): return try add(array: addAll(elements))
        case .set(let elements): return try add(container: .set, addAll(elements))
        case .dictionary(let members):
            var added: [(key: Reference, value: Reference)] = []
            for (key, value) in members {
                added.append((try add(string: key.span), try add(value)))
            }
            return try add(dictionary: added)
        }
    }

    private mutating func addAll(
        _ values: [PropertyListValue]
    ) throws(PropertyListError) -> [Reference] {
        var references: [Reference] = []
        for value in values { references.append(try add(value)) }
        return references
    }

    /// Writes a value alone and gives the file.
    static func file(
        of value: PropertyListValue, limits: PropertyListLimits = PropertyListLimits()
    ) throws -> [UInt8] {
        let arena = try SecretArena.forTest(capacity: 4 * limits.maximumBytes)
        let buffer = try SecretBuffer(arena: arena, capacity: 64, limit: 2 * limits.maximumBytes)
        var writer = try PropertyListWriter(into: buffer, limits: limits)
        let root = try writer.add(value)
        return try writer.finish(root: root).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
    }
}
