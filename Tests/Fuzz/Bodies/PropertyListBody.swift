package import SecretMemory

@testable import PropertyList

/// The reader and the writer of binary property lists: docs/FORMAT.md, "Plaintext of the account".
package final class PropertyListBody: FuzzBody {
    package static let name = "property-list"
    package static let vectors = ["propertylist"]
    // Shared objects make a small file a large tree: no more of it is looked at.
    private static let maximumVisits = 4096

    package let arena: SecretArena
    private var index = PropertyListIndex()
    private var copied = PropertyListIndex()
    private var visits = 0

    package init() throws { arena = try SecretArena(capacity: 1 << 21, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        do throws(PropertyListError) {
            try index.scan(input)
        } catch {
            switch error {
            case .damaged(let offset), .duplicateKey(let offset):
                try require((0...input.count).contains(offset), "an error outside of the file")
            default: break
            }
            try require(error != .unwritable, "a reader writes")
            return
        }
        try require(index.records.count <= input.count, "more objects than bytes")
        visits = 0
        try visit(index.root, depth: 1, input)
        let once = try copy(index, input)
        try copied.scan(once.span)
        visits = 0
        try compare(index.root, input, with: copied.root, once.span)
        let twice = try copy(copied, once.span)
        try require(once == twice, "a copy's copy is another one")
    }

    private func copy(_ index: PropertyListIndex, _ bytes: Span<UInt8>) throws -> [UInt8] {
        let buffer = try SecretBuffer(arena: arena, capacity: 1024, limit: 1 << 20)
        var writer = try PropertyListWriter(into: buffer)
        let root = try writer.addCopy(of: index.root, from: index, in: bytes)
        return try writer.finish(root: root).array()
    }

    /// Each question has an answer for its own kind alone, and each value lies within the file.
    private func visit(
        _ node: PropertyListIndex.Node, depth: Int, _ bytes: Span<UInt8>
    ) throws {
        visits += 1
        guard visits < Self.maximumVisits else { return }
        let kind = index.kind(of: node)
        let range = index.range(of: node)
        try require(
            range.lowerBound >= 9 && range.upperBound <= bytes.count - 32, "a value outside")
        try require(depth <= 17, "containers deeper than may be")
        try require((index.boolean(node, in: bytes) != nil) == (kind == .boolean), "a boolean")
        try require(index.integer(node, in: bytes) == nil || kind == .integer, "an integer")
        try require((index.real(node, in: bytes) != nil) == (kind == .real), "a real")
        try require(index.date(node, in: bytes) == nil || kind == .date, "a date")
        try require((index.uid(node, in: bytes) != nil) == (kind == .uid), "a uid")
        try require((index.dataRange(node) != nil) == (kind == .data), "data")
        switch kind {
        case .string: try visit(string: node, bytes)
        case .array, .set:
            var count = 0
            try index.forEachElement(of: node, in: bytes) {
                try visit($0, depth: depth + 1, bytes)
                count += 1
            }
            try require(count == index.count(of: node), "elements are miscounted")
        case .dictionary:
            var count = 0
            try index.forEachMember(of: node, in: bytes) { key, value in
                try require(index.kind(of: key) == .string, "a key that is no string")
                try visit(key, depth: depth + 1, bytes)
                try visit(value, depth: depth + 1, bytes)
                count += 1
            }
            try require(count == index.count(of: node), "members are miscounted")
        default: break
        }
    }

    private func visit(string node: PropertyListIndex.Node, _ bytes: Span<UInt8>) throws {
        let count = index.decodedCount(of: node, in: bytes)
        var text = try SecretBuffer(arena: arena, capacity: count)
        try index.appendString(node, in: bytes, to: &text)
        try text.withBytes { utf8 in
            try require(utf8.count == count, "a decoded string is not as long as said")
            try require(utf8.isUTF8, "a decoded string is not UTF-8")
        }
    }

    private func compare(
        _ node: PropertyListIndex.Node, _ bytes: Span<UInt8>,
        with copy: PropertyListIndex.Node, _ copyBytes: Span<UInt8>
    ) throws {
        visits += 1
        guard visits < Self.maximumVisits else { return }
        let kind = index.kind(of: node)
        try require(kind == copied.kind(of: copy), "a copy is of another kind")
        try require(index.count(of: node) == copied.count(of: copy), "a copy has another count")
        guard kind.isContainer else {
            let range = index.range(of: node)
            let copyRange = copied.range(of: copy)
            try require(
                bytes.extracting(range).array == copyBytes.extracting(copyRange).array,
                "a copy has another value")
            return
        }
        var children: [PropertyListIndex.Node] = []
        copied.forEachElement(of: copy, in: copyBytes) { children.append($0) }
        copied.forEachMember(of: copy, in: copyBytes) { children += [$0, $1] }
        var next = 0
        try index.forEachElement(of: node, in: bytes) { child in
            try compare(child, bytes, with: children[next], copyBytes)
            next += 1
        }
        try index.forEachMember(of: node, in: bytes) { key, value in
            try compare(key, bytes, with: children[next], copyBytes)
            try compare(value, bytes, with: children[next + 1], copyBytes)
            next += 2
        }
        try require(next == children.count, "a copy has another number of children")
    }
}
