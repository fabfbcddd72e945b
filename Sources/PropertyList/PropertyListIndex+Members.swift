extension PropertyListIndex {
    /// The value under a key of a dictionary; nil when there is none or the node is no dictionary.
    package func member(
        _ name: StaticString, of node: Node, in bytes: Span<UInt8>
    ) -> Node? {
        guard kind(of: node) == .dictionary else { return nil }
        let record = records[node.object]
        for position in 0..<record.count
        where string(child(position, of: record, in: bytes), equals: name, in: bytes) {
            return child(record.count + position, of: record, in: bytes)
        }
        return nil
    }

    /// Passes each key, a string, and its value in the order of the file; nothing for a node that
    /// is no dictionary.
    package func forEachMember<E: Error>(
        of node: Node, in bytes: Span<UInt8>, _ body: (_ key: Node, _ value: Node) throws(E) -> Void
    ) throws(E) {
        guard kind(of: node) == .dictionary else { return }
        let record = records[node.object]
        for position in 0..<record.count {
            try body(
                child(position, of: record, in: bytes),
                child(record.count + position, of: record, in: bytes))
        }
    }

    /// Passes each element of an array or a set in the order of the file; nothing for another node.
    package func forEachElement<E: Error>(
        of node: Node, in bytes: Span<UInt8>, _ body: (Node) throws(E) -> Void
    ) throws(E) {
        guard kind(of: node) == .array || kind(of: node) == .set else { return }
        let record = records[node.object]
        for position in 0..<record.count { try body(child(position, of: record, in: bytes)) }
    }

    /// A child by the position of its reference; a dictionary's values follow all its keys.
    func child(_ position: Int, of record: Record, in bytes: Span<UInt8>) -> Node {
        let offset = record.payload.lowerBound + position * referenceSize
        return Node(
            object: Int(truncatingIfNeeded: bytes.bigEndian(at: offset, size: referenceSize)))
    }
}
