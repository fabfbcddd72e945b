extension ObjectGraph {
    /// Foundation's classes, each with what an object of it is.
    ///
    /// The classes above an object's own stand in the archive too, so that those are enough which
    /// others are made from.
    private static let known: [(name: StaticString, kind: Kind)] = [
        ("NSDate", .date), ("NSString", .string), ("NSArray", .array),
        ("NSDictionary", .dictionary), ("NSData", .data), ("NSSet", .set),
        ("NSOrderedSet", .set), ("NSNull", .null), ("NSMutableString", .string),
        ("NSMutableArray", .array), ("NSMutableDictionary", .dictionary),
        ("NSMutableData", .data), ("NSMutableSet", .set),
    ]

    /// What an object is.
    ///
    /// - Throws: `.malformed` for an object whose class is not written as classes are.
    package func kind(of object: Object, in bytes: Span<UInt8>) throws(ObjectGraphError) -> Kind {
        switch index.kind(of: object.node) {
        case .null: return .null
        case .boolean: return .boolean
        case .integer: return .integer
        case .real: return .real
        case .date: return .date
        case .data: return .data
        case .uid: return .uid
        case .array: return .array
        case .set: return .set
        case .string:
            return isArchive && index.string(object.node, equals: "$null", in: bytes)
                ? .null : .string
        case .dictionary:
            guard let description = try classDescription(of: object, in: bytes) else {
                return .dictionary
            }
            return try kind(ofClass: description, in: bytes)
        }
    }

    /// Whether an object is of the class, or of one below it; false for what is of no class.
    package func object(
        _ object: Object, isOf name: StaticString, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Bool {
        guard let description = try classDescription(of: object, in: bytes) else { return false }
        var isFound = false
        try forEachClass(of: description, in: bytes) { node in
            if index.string(node, equals: name, in: bytes) { isFound = true }
        }
        return isFound
    }

    /// The name of an object's class, a string; nil for what is of no class.
    package func className(
        of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Object? {
        guard let description = try classDescription(of: object, in: bytes) else { return nil }
        return Object(node: try name(ofClass: description, in: bytes))
    }

    /// What `$class` leads to; nil outside of an archive, and for a dictionary that has none.
    private func classDescription(
        of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> PropertyListIndex.Node? {
        guard isArchive, let reference = index.member("$class", of: object.node, in: bytes) else {
            return nil
        }
        let description = resolve(reference, in: bytes).node
        guard index.kind(of: description) == .dictionary, description != object.node else {
            throw .malformed(offset: offset(of: object.node))
        }
        return description
    }

    private func kind(
        ofClass description: PropertyListIndex.Node, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Kind {
        var found = Kind.object
        try forEachClass(of: description, in: bytes) { node in
            guard found == .object else { return }
            for candidate in Self.known
            where index.string(node, equals: candidate.name, in: bytes) {
                found = candidate.kind
            }
        }
        return found
    }

    // From the object's own class upwards. `$classes` begins with it; where that is missing there
    // is its name alone.
    private func forEachClass(
        of description: PropertyListIndex.Node, in bytes: Span<UInt8>,
        _ body: (PropertyListIndex.Node) -> Void
    ) throws(ObjectGraphError) {
        let own = try name(ofClass: description, in: bytes)
        guard let chain = index.member("$classes", of: description, in: bytes) else {
            return body(own)
        }
        guard index.kind(of: chain) == .array, index.count(of: chain) <= limits.maximumDepth else {
            throw .malformed(offset: offset(of: chain))
        }
        try index.forEachElement(of: chain, in: bytes) { node throws(ObjectGraphError) in
            let name = resolve(node, in: bytes).node
            guard index.kind(of: name) == .string else {
                throw .malformed(offset: offset(of: name))
            }
            body(name)
        }
    }

    private func name(
        ofClass description: PropertyListIndex.Node, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> PropertyListIndex.Node {
        guard let member = index.member("$classname", of: description, in: bytes) else {
            throw .malformed(offset: offset(of: description))
        }
        let name = resolve(member, in: bytes).node
        guard index.kind(of: name) == .string else { throw .malformed(offset: offset(of: name)) }
        return name
    }
}
