/// The objects of a property list: of an archive those that NSKeyedArchiver has put into it, of any
/// other its own values.
///
/// An archive is a property list of a dictionary. Its `$objects` are numbered; a UID stands for the
/// object of that number, number 0, the string `$null`, for none. An object of a class is a
/// dictionary of its fields, whose `$class` leads to the name of the class and those of the classes
/// above it.
///
/// Nothing is instantiated and no class is looked up: names of classes are compared, and that is
/// all. An object is asked for by whoever wants it, so a graph may be of any shape; `walk` goes
/// through all of it within limits. Like the index below it this holds no byte of the file, which
/// is passed again with each question.
package struct ObjectGraph: Sendable {
    /// A value or an object.
    package struct Object: Equatable, Sendable {
        let node: PropertyListIndex.Node
    }

    /// What an object is.
    ///
    /// Foundation's own classes, and those below them, are what they hold. `object` is one of any
    /// other class, whose fields are its members. `uid` is a UID outside of an archive.
    package enum Kind: Equatable, Sendable {
        case null, boolean, integer, real, date, data, string, uid, array, set, dictionary, object
    }

    /// Keys that Foundation's classes write.
    enum Key {
        static let objects: StaticString = "NS.objects"
        static let keys: StaticString = "NS.keys"
        static let string: StaticString = "NS.string"
        static let time: StaticString = "NS.time"
        static let data: StaticString = "NS.data"
    }

    /// The version of all archives that there are.
    private static let version: Int64 = 100_000

    let limits: ObjectGraphLimits
    /// The file below.
    var index: PropertyListIndex
    /// Whether NSKeyedArchiver wrote it.
    package private(set) var isArchive = false
    private var table = PropertyListIndex.Record(start: 0)
    private var topNode: PropertyListIndex.Node?

    /// Makes a graph that has seen nothing yet.
    package init(limits: ObjectGraphLimits = ObjectGraphLimits()) {
        self.limits = limits
        index = PropertyListIndex(limits: limits.file)
    }

    /// Reads a whole binary property list.
    ///
    /// All references are proved to lead somewhere. What they lead to is looked at when it is asked
    /// for.
    package mutating func scan(_ bytes: Span<UInt8>) throws(ObjectGraphError) {
        isArchive = false
        topNode = nil
        do { try index.scan(bytes) } catch {
            if case .duplicateKey(let offset) = error { throw .duplicateKey(offset: offset) }
            throw .propertyList(error)
        }
        let root = index.root
        guard
            index.member("$archiver", of: root, in: bytes) != nil
                || index.member("$objects", of: root, in: bytes) != nil
        else {
            topNode = root
            return
        }
        try readFrame(of: root, in: bytes)
    }

    private mutating func readFrame(
        of root: PropertyListIndex.Node, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) {
        guard let archiver = index.member("$archiver", of: root, in: bytes),
            index.string(archiver, equals: "NSKeyedArchiver", in: bytes)
        else { throw .unknownArchiver }
        guard let version = index.member("$version", of: root, in: bytes),
            index.integer(version, in: bytes) == Self.version
        else { throw .unknownVersion }
        guard let objects = index.member("$objects", of: root, in: bytes),
            index.kind(of: objects) == .array,
            let top = index.member("$top", of: root, in: bytes), index.kind(of: top) == .dictionary
        else { throw .malformed(offset: offset(of: root)) }
        table = index.records[objects.object]
        topNode = top
        isArchive = true
        try proveReferences(bytes)
    }

    // Objects that the root does not reach are of no kind and so are passed over.
    private func proveReferences(_ bytes: Span<UInt8>) throws(ObjectGraphError) {
        for record in index.records where record.kind == .uid {
            let payload = record.payload
            let number = bytes.bigEndian(at: payload.lowerBound, size: payload.count)
            guard number < UInt64(table.count) else {
                throw .danglingReference(offset: record.start)
            }
        }
        for position in 0..<table.count {
            let node = index.child(position, of: table, in: bytes)
            // Else a reference could lead to itself.
            if index.kind(of: node) == .uid { throw .malformed(offset: offset(of: node)) }
        }
    }

    /// The objects to begin with: an archive's by the names that they were archived under, usually
    /// `root`; of another property list its root, without a name.
    package func forEachTop(
        in bytes: Span<UInt8>, _ body: (_ name: Object?, Object) throws(ObjectGraphError) -> Void
    ) throws(ObjectGraphError) {
        guard let topNode else { preconditionFailure("nothing was scanned") }
        guard isArchive else { return try body(nil, Object(node: topNode)) }
        try index.forEachMember(of: topNode, in: bytes) { name, value throws(ObjectGraphError) in
            try body(Object(node: name), resolve(value, in: bytes))
        }
    }

    /// What a node of the file stands for: in an archive a UID for the object of its number.
    func resolve(_ node: PropertyListIndex.Node, in bytes: Span<UInt8>) -> Object {
        guard isArchive, let number = index.uid(node, in: bytes) else { return Object(node: node) }
        // `scan` has compared it with the number of objects.
        return Object(
            node: index.child(Int(truncatingIfNeeded: number), of: table, in: bytes))
    }

    /// Where an object stands in the file.
    func offset(of node: PropertyListIndex.Node) -> Int { index.records[node.object].start }
}
