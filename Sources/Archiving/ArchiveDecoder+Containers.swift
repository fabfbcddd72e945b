import PropertyList

extension ArchiveDecoder {
    /// Enters an array, which is counted.
    mutating func enterArray<T: Archivable>(_ type: T.Type) throws(ArchiveError) -> Container {
        let node = place.node
        let count = ask { index, _ in index.kind(of: node) == .array ? index.count(of: node) : nil }
        guard let count else { throw mismatch(type) }
        try charge(count)
        return Container(node: node, count: count)
    }

    /// Reads an element whose type is known.
    mutating func element<T: Archivable>(
        _ position: Int, of list: Container
    ) throws(ArchiveError) -> T {
        try value(at: Place(node: ask { $0.element(position, of: list.node, in: $1) }))
    }

    /// Reads an element that says its type.
    mutating func typedElement(
        _ position: Int, of list: Container
    ) throws(ArchiveError) -> any Archivable {
        try typedValue(at: ask { $0.element(position, of: list.node, in: $1) })
    }

    /// The keys and the values of a dictionary that was entered.
    struct Pairs {
        let count: Int
        fileprivate let keys: Node
        // Nil where both are in one dictionary.
        fileprivate let values: Node?
    }

    /// Enters a dictionary, which is counted.
    ///
    /// - Parameter hasTexts: whether its keys are texts; others stand in a list of their own.
    mutating func enterDictionary<T: Archivable>(
        _ type: T.Type, hasTexts: Bool
    ) throws(ArchiveError) -> Pairs {
        let node = place.node
        let count = ask { index, _ in
            index.kind(of: node) == .dictionary ? index.count(of: node) : nil
        }
        guard let count else { throw mismatch(type) }
        guard hasTexts else { return try enterLists(type, of: node, count: count) }
        try charge(2 * count)
        return Pairs(count: count, keys: node, values: nil)
    }

    private mutating func enterLists<T: Archivable>(
        _ type: T.Type, of node: Node, count: Int
    ) throws(ArchiveError) -> Pairs {
        let lists = ask { index, bytes -> (keys: Node, values: Node)? in
            guard count == 2, let keys = index.member("keys", of: node, in: bytes),
                let values = index.member("values", of: node, in: bytes),
                index.kind(of: keys) == .array, index.kind(of: values) == .array,
                index.count(of: keys) == index.count(of: values)
            else { return nil }
            return (keys, values)
        }
        guard let lists else {
            throw refusal("\(T.archiveTypeName) is not as many keys as values")
        }
        let pairs = ask { index, _ in index.count(of: lists.keys) }
        try charge(2 * pairs)
        return Pairs(count: pairs, keys: lists.keys, values: lists.values)
    }

    /// Reads a key.
    mutating func key<T: Archivable>(
        _ position: Int, of pairs: Pairs
    ) throws(ArchiveError) -> T {
        let node = ask { index, bytes in
            pairs.values == nil
                ? index.key(position, of: pairs.keys, in: bytes)
                : index.element(position, of: pairs.keys, in: bytes)
        }
        return try value(at: Place(node: node))
    }

    /// Reads a name of a map, in which the form's own begin with `$`.
    mutating func name(
        _ position: Int, of pairs: Pairs
    ) throws(ArchiveError) -> String {
        let text: String = try key(position, of: pairs)
        guard text.utf8.first == UInt8(ascii: "$") else { return text }
        let name = text.dropFirst()
        guard name.utf8.first == UInt8(ascii: "$") else {
            throw refusal("a name of a map begins with one $")
        }
        return String(name)
    }

    /// Reads a value whose type is known.
    mutating func value<T: Archivable>(
        _ position: Int, of pairs: Pairs
    ) throws(ArchiveError) -> T {
        try value(at: Place(node: valueNode(position, of: pairs)))
    }

    /// Reads a value that says its type.
    mutating func typedValue(
        _ position: Int, of pairs: Pairs
    ) throws(ArchiveError) -> any Archivable {
        try typedValue(at: valueNode(position, of: pairs))
    }

    private func valueNode(_ position: Int, of pairs: Pairs) -> Node {
        ask { index, bytes in
            if let values = pairs.values { return index.element(position, of: values, in: bytes) }
            return index.value(position, of: pairs.keys, in: bytes)
        }
    }
}
