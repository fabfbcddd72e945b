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

    /// An element of an array or a set; the position is less than the count.
    package func element(_ position: Int, of node: Node, in bytes: Span<UInt8>) -> Node {
        child(position, of: containing(node, position), in: bytes)
    }

    /// A key of a dictionary, a string; the position is less than the count.
    package func key(_ position: Int, of node: Node, in bytes: Span<UInt8>) -> Node {
        child(position, of: containing(node, position), in: bytes)
    }

    /// The value under a key of a dictionary, by the key's position.
    package func value(_ position: Int, of node: Node, in bytes: Span<UInt8>) -> Node {
        let record = containing(node, position)
        return child(record.count + position, of: record, in: bytes)
    }

    private func containing(_ node: Node, _ position: Int) -> Record {
        let record = records[node.object]
        precondition(
            record.kind.isContainer && position >= 0 && position < record.count, "no such child")
        return record
    }

    /// A child by the position of its reference; a dictionary's values follow all its keys.
    func child(_ position: Int, of record: Record, in bytes: Span<UInt8>) -> Node {
        let offset = record.payload.lowerBound + position * referenceSize
        return Node(
            object: Int(truncatingIfNeeded: bytes.bigEndian(at: offset, size: referenceSize)))
    }
}
