package import SecretMemory

@testable import JSON

/// The JSON scanner, what it says of each node, and the writer: docs/PROTOCOL.md, "Messages".
package final class JSONBody: FuzzBody {
    package static let name = "json"
    package static let vectors = ["responses"]

    package let arena: SecretArena
    private var index = JSONIndex()
    private var lenient = JSONIndex(
        limits: JSONLimits(allowsDuplicateKeys: true, allowsEscapedNUL: true))
    private var written = JSONIndex()

    package init() throws { arena = try SecretArena(capacity: 1 << 20, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let error = Self.scan(input, &index)
        try compareWithLenient(error, input)
        guard error == nil else { return }
        // A text has at most a node for each two bytes, and that bounds what a scan costs.
        try require(index.entries.count <= (input.count + 1) / 2, "more nodes than bytes allow")
        let count = try visit(index.root, within: 0..<input.count, input)
        try require(count == index.entries.count, "nodes that the document does not reach")
        let once = try rewritten(input)
        let error2 = Self.scan(once.span, &written)
        try require(error2 == nil, "what was written is refused")
        swap(&index, &written)
        let twice = try rewritten(once.span)
        try require(once == twice, "what was written and read is written otherwise")
    }

    static func scan(_ text: Span<UInt8>, _ index: inout JSONIndex) -> JSONError? {
        do throws(JSONError) {
            try index.scan(text)
            return nil
        } catch { return error }
    }

    // What allows more must find the same faults otherwise, at the same places.
    private func compareWithLenient(_ error: JSONError?, _ text: Span<UInt8>) throws {
        if let offset = error.flatMap(Self.offset) {
            try require((0...text.count).contains(offset), "an error outside of the text")
        }
        let lenientError = Self.scan(text, &lenient)
        switch error {
        case .duplicateKey, .nulCharacter: break
        case nil:
            try require(lenientError == nil, "a lenient reader refuses more")
            try require(lenient.entries.count == index.entries.count, "readers count differently")
        case .some: try require(lenientError == error, "a lenient reader finds another fault")
        }
    }

    private static func offset(_ error: JSONError) -> Int? {
        switch error {
        case .empty, .tooLong: nil
        case .tooDeep(let offset), .notUTF8(let offset), .syntax(let offset),
            .duplicateKey(let offset), .loneSurrogate(let offset), .nulCharacter(let offset),
            .trailingData(let offset):
            offset
        }
    }

    /// Looks at a node and all that is in it.
    ///
    /// - Returns: how many nodes that are.
    private func visit(
        _ node: JSONIndex.Node, within bounds: Range<Int>, _ text: Span<UInt8>
    ) throws -> Int {
        let range = index.range(of: node)
        try require(
            bounds.lowerBound <= range.lowerBound && range.upperBound <= bounds.upperBound,
            "a node outside of what it stands in")
        switch index.kind(of: node) {
        case .object:
            var count = 0
            var nodes = 1
            var start = range.lowerBound
            try index.forEachMember(of: node) { name, value in
                let end = index.range(of: value).upperBound
                nodes += try visit(name, within: start..<end, text)
                nodes += try visit(value, within: index.range(of: name).upperBound..<end, text)
                try require(index.kind(of: name) == .string, "a name that is no string")
                start = end
                count += 1
            }
            try require(start <= range.upperBound, "a member past its object")
            try require(count == index.count(of: node), "members are miscounted")
            return nodes
        case .array:
            var count = 0
            var nodes = 1
            var start = range.lowerBound
            try index.forEachElement(of: node) { element in
                nodes += try visit(element, within: start..<range.upperBound, text)
                start = index.range(of: element).upperBound
                count += 1
            }
            try require(count == index.count(of: node), "elements are miscounted")
            return nodes
        case .string: try visit(string: node, range, text)
        case .number: try visit(number: node, range, text)
        case .true, .false, .null:
            try require(index.integer(node, in: text) == nil, "a literal is a number")
        }
        return 1
    }

    private func visit(
        string node: JSONIndex.Node, _ range: Range<Int>, _ text: Span<UInt8>
    ) throws {
        let count = index.decodedCount(of: node, in: text)
        try require(count <= range.count, "decoding made a string longer")
        var buffer = try SecretBuffer(arena: arena, capacity: count)
        try index.appendString(node, in: text, to: &buffer)
        try buffer.withBytes { decoded in
            try require(decoded.count == count, "a decoded string is not as long as said")
            try require(decoded.isUTF8, "a decoded string is not UTF-8")
            try require(
                index.string(node, equals: decoded, in: text), "a string does not equal itself")
            guard count > 0 else { return }
            try require(
                !index.string(node, equals: decoded.extracting(1..<count), in: text),
                "a string equals a shorter one")
        }
    }

    private func visit(
        number node: JSONIndex.Node, _ range: Range<Int>, _ text: Span<UInt8>
    ) throws {
        let digits = String(decoding: text.extracting(range).array, as: UTF8.self)
        let exact = index.integer(node, in: text)
        let isInteger = !digits.utf8.contains { $0 == 0x2E || $0 | 0x20 == 0x65 }
        try require(exact == (isInteger ? Int64(digits) : nil), "\(digits) is read wrongly")
        let truncated = index.truncatedInteger(node, in: text)
        if let exact {
            try require(truncated == .value(exact), "\(digits) is cut wrongly")
        }
        // Within what a double holds exactly, it must say the same.
        if range.count < 16, let double = Double(digits), double.magnitude < 0x1p53 {
            guard case .value(let value) = truncated else {
                throw Violation(description: "\(digits) does not fit")
            }
            try require(
                abs(Double(value) - double.rounded(.towardZero)) <= 1, "\(digits) is cut wrongly")
        }
    }

    /// The document without spaces and needless escapes.
    private func rewritten(_ text: Span<UInt8>) throws -> [UInt8] {
        var out = try SecretBuffer(arena: arena, capacity: 64, limit: 6 * text.count + 64)
        try write(index.root, text, &out)
        return out.array()
    }

    private func write(
        _ node: JSONIndex.Node, _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws {
        switch index.kind(of: node) {
        case .object:
            try out.append(UInt8(ascii: "{"))
            var isFirst = true
            try index.forEachMember(of: node) { name, value in
                if !isFirst { try out.append(UInt8(ascii: ",")) }
                isFirst = false
                try write(name, text, &out)
                try out.append(UInt8(ascii: ":"))
                try write(value, text, &out)
            }
            try out.append(UInt8(ascii: "}"))
        case .array:
            try out.append(UInt8(ascii: "["))
            var isFirst = true
            try index.forEachElement(of: node) { element in
                if !isFirst { try out.append(UInt8(ascii: ",")) }
                isFirst = false
                try write(element, text, &out)
            }
            try out.append(UInt8(ascii: "]"))
        case .string:
            var decoded = try SecretBuffer(
                arena: arena, capacity: index.decodedCount(of: node, in: text))
            try index.appendString(node, in: text, to: &decoded)
            try decoded.withBytes { bytes in try out.appendJSONString(bytes) }
        case .number, .true, .false, .null:
            try out.append(text.extracting(index.range(of: node)))
        }
    }
}
