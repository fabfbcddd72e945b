import JSON
import SecretMemory
import TestSupport

/// A text and its index, asked without spans: those do not pass through the testing macros.
struct ScannedText {
    let bytes: [UInt8]
    private var index: JSONIndex
    // Where strings are decoded; a new one for each string when there is none.
    private let arena: SecretArena?

    init(
        _ bytes: [UInt8], _ limits: JSONLimits = JSONLimits(), arena: SecretArena? = nil
    ) throws(JSONError) {
        self.bytes = bytes
        self.arena = arena
        index = JSONIndex(limits: limits)
        try index.scan(bytes.span)
    }

    init(_ text: String, _ limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(Array(text.utf8), limits)
    }

    var root: JSONIndex.Node { index.root }

    func kind(_ node: JSONIndex.Node) -> JSONIndex.Kind { index.kind(of: node) }
    func range(_ node: JSONIndex.Node) -> Range<Int> { index.range(of: node) }
    func count(_ node: JSONIndex.Node) -> Int { index.count(of: node) }
    func integer(_ node: JSONIndex.Node) -> Int64? { index.integer(node, in: bytes.span) }

    func float(_ node: JSONIndex.Node) -> Double? { index.float(node, in: bytes.span) }

    func truncated(_ node: JSONIndex.Node) -> JSONTruncation {
        index.truncatedInteger(node, in: bytes.span)
    }

    func member(_ name: StaticString, _ node: JSONIndex.Node) -> JSONIndex.Node? {
        index.member(name, of: node, in: bytes.span)
    }

    func equals(_ node: JSONIndex.Node, _ other: StaticString) -> Bool {
        index.string(node, equals: other, in: bytes.span)
    }

    func decodedCount(_ node: JSONIndex.Node) -> Int {
        index.decodedCount(of: node, in: bytes.span)
    }

    /// The text of a node as it was written.
    func source(_ node: JSONIndex.Node) -> String {
        String(decoding: bytes[index.range(of: node)], as: UTF8.self)
    }

    /// The bytes of a decoded string, one after the other.
    func visited(_ node: JSONIndex.Node) -> [UInt8] {
        var visited: [UInt8] = []
        index.forEachByte(of: node, in: bytes.span) { visited.append($0) }
        return visited
    }

    /// A decoded string, through a secret buffer.
    func string(_ node: JSONIndex.Node) throws -> String {
        String(decoding: try decoded(node), as: UTF8.self)
    }

    /// The bytes of a decoded string, through a secret buffer.
    func decoded(_ node: JSONIndex.Node) throws -> [UInt8] {
        let capacity = max(4096, bytes.count)
        let arena = try self.arena ?? SecretArena.forTest(capacity: 2 * capacity)
        var buffer = try SecretBuffer(arena: arena, capacity: capacity)
        try index.appendString(node, in: bytes.span, to: &buffer)
        return buffer.withBytes { span in span.indices.map { span[$0] } }
    }

    func members(_ node: JSONIndex.Node) -> [(name: JSONIndex.Node, value: JSONIndex.Node)] {
        var members: [(name: JSONIndex.Node, value: JSONIndex.Node)] = []
        index.forEachMember(of: node) { members.append(($0, $1)) }
        return members
    }

    func elements(_ node: JSONIndex.Node) -> [JSONIndex.Node] {
        var elements: [JSONIndex.Node] = []
        index.forEachElement(of: node) { elements.append($0) }
        return elements
    }
}

/// The error that a text is refused with, or nil.
func refusal(of bytes: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONError? {
    do throws(JSONError) {
        _ = try ScannedText(bytes, limits)
        return nil
    } catch {
        return error
    }
}

/// The error that a text is refused with, or nil.
func refusal(of text: String, _ limits: JSONLimits = JSONLimits()) -> JSONError? {
    refusal(of: Array(text.utf8), limits)
}
