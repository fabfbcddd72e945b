extension ObjectGraph {
    /// The field of an object, or the value under a key, a string, of a dictionary; nil when there
    /// is none, and for any other kind.
    ///
    /// A field that was archived as nil is there, and is of the kind `null`.
    ///
    /// - Throws: `.duplicateKey` where a dictionary has it twice, `.malformed`.
    package func member(
        _ name: StaticString, of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Object? {
        switch try kind(of: object, in: bytes) {
        case .object:
            return index.member(name, of: object.node, in: bytes).map { resolve($0, in: bytes) }
        case .dictionary:
            guard try hasEntries(object, in: bytes) else {
                return index.member(name, of: object.node, in: bytes).map {
                    resolve($0, in: bytes)
                }
            }
            return try entry(name, of: object, in: bytes)
        default: return nil
        }
    }

    /// Passes each field of an object by its name, or each entry of a dictionary by its key, in the
    /// order of the file; nothing for any other kind.
    package func forEachMember(
        of object: Object, in bytes: Span<UInt8>,
        _ body: (_ key: Object, _ value: Object) throws(ObjectGraphError) -> Void
    ) throws(ObjectGraphError) {
        let kind = try kind(of: object, in: bytes)
        guard kind == .object || kind == .dictionary else { return }
        guard kind == .dictionary, try hasEntries(object, in: bytes) else {
            return try index.forEachMember(of: object.node, in: bytes) {
                name, value throws(ObjectGraphError) in
                if isArchive, index.string(name, equals: "$class", in: bytes) { return }
                try body(Object(node: name), resolve(value, in: bytes))
            }
        }
        let (keys, values) = try entries(of: object, in: bytes)
        for position in 0..<keys.count {
            try body(
                resolve(index.child(position, of: keys, in: bytes), in: bytes),
                resolve(index.child(position, of: values, in: bytes), in: bytes))
        }
    }

    /// Passes each element of an array or a set, in the order of the file; nothing for any other
    /// kind.
    package func forEachElement(
        of object: Object, in bytes: Span<UInt8>,
        _ body: (Object) throws(ObjectGraphError) -> Void
    ) throws(ObjectGraphError) {
        let kind = try kind(of: object, in: bytes)
        guard kind == .array || kind == .set else { return }
        var list = object.node
        if index.kind(of: list) == .dictionary {
            list = try array(Key.objects, of: object, in: bytes)
        }
        try index.forEachElement(of: list, in: bytes) { node throws(ObjectGraphError) in
            try body(resolve(node, in: bytes))
        }
    }

    // Whether it is an object of the class NSDictionary, not a dictionary of the file itself.
    private func hasEntries(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Bool {
        isArchive && index.member("$class", of: object.node, in: bytes) != nil
    }

    private func entry(
        _ name: StaticString, of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Object? {
        let (keys, values) = try entries(of: object, in: bytes)
        var found: Object?
        for position in 0..<keys.count {
            let key = resolve(index.child(position, of: keys, in: bytes), in: bytes)
            guard index.string(key.node, equals: name, in: bytes) else { continue }
            guard found == nil else { throw .duplicateKey(offset: offset(of: object.node)) }
            found = resolve(index.child(position, of: values, in: bytes), in: bytes)
        }
        return found
    }

    private func entries(
        of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> (keys: PropertyListIndex.Record, values: PropertyListIndex.Record)
    {
        let keys = index.records[try array(Key.keys, of: object, in: bytes).object]
        let values = index.records[try array(Key.objects, of: object, in: bytes).object]
        guard keys.count == values.count else {
            throw .malformed(offset: offset(of: object.node))
        }
        return (keys, values)
    }

    private func array(
        _ name: StaticString, of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> PropertyListIndex.Node {
        guard let member = index.member(name, of: object.node, in: bytes),
            index.kind(of: member) == .array
        else { throw .malformed(offset: offset(of: object.node)) }
        return member
    }
}
