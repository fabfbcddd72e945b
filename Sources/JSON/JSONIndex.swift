/// Where everything in a JSON text is.
///
/// The text may be secret and stays where it is: the index holds offsets and kinds, never a byte of
/// it, so that it can live in ordinary memory and what is asked of it later is read from the text.
/// Nodes stand in the order of the text, each container before its content and each name before
/// its value; a container knows where the node after its content is. Therefore one flat array is
/// enough, scanning needs no recursion, and an index that is kept allocates nothing for the next
/// text of the same size.
///
/// Every function that takes a text wants the text of the last scan; handles are good until the
/// next one.
package struct JSONIndex {
    /// The most nodes whose room is kept from one scan to the next.
    ///
    /// A hostile text may need one for each two bytes, a query five.
    static let maximumKeptNodes = 1024

    /// The longest text that the nodes can describe, in bytes.
    static let maximumTextSize = Int(UInt32.max >> Entry.kindBits)

    /// A value, or the name of a member.
    package struct Node: Equatable, Sendable {
        let index: Int
    }

    /// What a value is.
    package enum Kind: UInt8, Equatable, Sendable {
        case object, array, string, number, `true`, `false`, null
    }

    /// Sixteen bytes for each node.
    struct Entry {
        static let kindBits: UInt32 = 3
        static let one: UInt32 = 1 << kindBits

        var start: UInt32
        var end: UInt32
        // Index of the node after this one and its content. While a container is open: the index
        // of the container around it.
        var next: UInt32
        // The kind, and above it what is counted: members, elements, decoded bytes of a string.
        var detail: UInt32
    }

    let limits: JSONLimits
    var entries: [Entry] = []
    var names = JSONNameSet()

    /// Makes an index without a text.
    package init(limits: JSONLimits = JSONLimits()) { self.limits = limits }

    /// The document.
    ///
    /// There is none before a scan and after one that failed; to ask then is a fault of the program.
    package var root: Node {
        precondition(!entries.isEmpty, "nothing was scanned")
        return Node(index: 0)
    }

    /// What the value is.
    package func kind(of node: Node) -> Kind {
        Kind(rawValue: UInt8(truncatingIfNeeded: entries[node.index].detail & (Entry.one - 1)))
            ?? .null
    }

    /// Where it is in the text: a string without its quotes, a container with its brackets.
    package func range(of node: Node) -> Range<Int> {
        let entry = entries[node.index]
        return Int(entry.start)..<Int(entry.end)
    }

    /// How many members an object or elements an array has; 0 for anything else.
    package func count(of node: Node) -> Int {
        switch kind(of: node) {
        case .object, .array: Int(entries[node.index].detail >> Entry.kindBits)
        case .string, .number, .true, .false, .null: 0
        }
    }

    /// Visits the members of an object in the order of the text; none of anything else.
    package func forEachMember<E: Error>(
        of node: Node, _ body: (_ name: Node, _ value: Node) throws(E) -> Void
    ) throws(E) {
        guard kind(of: node) == .object else { return }
        let end = Int(entries[node.index].next)
        var name = node.index + 1
        while name < end {
            try body(Node(index: name), Node(index: name + 1))
            name = Int(entries[name + 1].next)
        }
    }

    /// Visits the elements of an array in the order of the text; none of anything else.
    package func forEachElement<E: Error>(
        of node: Node, _ body: (Node) throws(E) -> Void
    ) throws(E) {
        guard kind(of: node) == .array else { return }
        let end = Int(entries[node.index].next)
        var element = node.index + 1
        while element < end {
            try body(Node(index: element))
            element = Int(entries[element].next)
        }
    }

    /// The value of the member with that name, escapes in the text decoded; nil when there is none
    /// or `node` is not an object.
    package func member(_ name: StaticString, of node: Node, in text: Span<UInt8>) -> Node? {
        guard kind(of: node) == .object else { return nil }
        let end = Int(entries[node.index].next)
        var candidate = node.index + 1
        while candidate < end {
            if string(Node(index: candidate), equals: name, in: text) {
                return Node(index: candidate + 1)
            }
            candidate = Int(entries[candidate + 1].next)
        }
        return nil
    }
}
