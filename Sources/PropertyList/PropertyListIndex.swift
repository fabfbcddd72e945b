/// Where everything is in a binary property list, and nothing of what it says.
///
/// The bytes stay where they are, in locked memory; the index holds offsets, lengths and kinds in
/// ordinary arrays that are used again at the next scan. Values are read from the bytes when they
/// are asked for, so the bytes that were scanned are passed again with each question.
///
/// `scan` proves all that is reachable from the root before any of it can be asked for: no offset
/// leads outside, no container holds itself, each string is ASCII or well-formed UTF-16 as it
/// says, each dictionary's keys are strings and differ. The file is hostile, so the work is bounded
/// by its size: each object is looked at once however many containers share it, and together the
/// objects may take no more bytes than the file has for them, so that they cannot overlap without
/// end. Nothing recurses.
///
/// Shared objects make a small file a large tree: whoever walks all of it, instead of asking for
/// the members it knows, must bound its own work.
///
/// A node and the bytes belong to the scan that they come from; asking with others either traps at
/// the border of an array or answers nonsense, but never reads outside.
///
/// The layout is that of CFBinaryPList.c in Core Foundation. Ordered sets, URLs and UUIDs, which no
/// reader knows, are refused.
package struct PropertyListIndex: Sendable {
    /// An object of the property list.
    package struct Node: Hashable, Sendable {
        let object: Int
    }

    /// What an object is.
    package enum Kind: Equatable, Sendable {
        case null, boolean, integer, real, date, data, string, uid, array, set, dictionary

        var isContainer: Bool { self == .array || self == .set || self == .dictionary }
    }

    /// What is known of an object.
    struct Record: Sendable {
        enum State: Sendable { case unseen, open, done }

        /// Where its marker stands.
        var start: Int
        var kind = Kind.null
        /// The value's bytes, without the marker and the length.
        var payload = 0..<0
        /// Bytes, UTF-16 code units, elements or members.
        var count = 0
        var isUTF16 = false
        var state = State.unseen
        /// Containers on the longest way down from here, itself included.
        var height = 0
        /// Of a string that has been a key.
        var keyHash: Int?
    }

    /// A container on the way from the root to where the scan is.
    struct Frame: Sendable {
        let object: Int
        var next = 0
    }

    let limits: PropertyListLimits
    var records: [Record] = []
    var referenceSize = 1
    var frames: [Frame] = []
    var keys: [(hash: Int, object: Int)] = []
    private var rootObject: Int?

    /// Makes an index that has seen nothing yet.
    package init(limits: PropertyListLimits = PropertyListLimits()) {
        self.limits = limits
    }

    /// Reads a whole file.
    ///
    /// After an error the index holds nothing.
    ///
    /// - Throws: what is wrong with the file; never `.unwritable` and never `.memory`.
    package mutating func scan(_ bytes: Span<UInt8>) throws(PropertyListError) {
        rootObject = nil
        records.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
        do {
            let trailer = try PropertyListTrailer(bytes, limits: limits)
            referenceSize = trailer.referenceSize
            records.reserveCapacity(trailer.objectCount)
            for object in 0..<trailer.objectCount {
                records.append(Record(start: try trailer.offset(of: object, in: bytes)))
            }
            try walk(from: trailer.root, end: trailer.tableOffset, in: bytes)
            rootObject = trailer.root
        } catch {
            records.removeAll(keepingCapacity: true)
            throw error
        }
    }

    /// The root of what was scanned last; asking for it after a failure is a fault of the program.
    package var root: Node {
        guard let rootObject else { preconditionFailure("nothing was scanned") }
        return Node(object: rootObject)
    }

    /// Objects in the file, those that the root does not reach included.
    package var objectCount: Int { records.count }

    /// What the object is.
    package func kind(of node: Node) -> Kind { records[node.object].kind }

    /// Bytes of data, integers, reals, dates and UIDs, UTF-16 code units of a string, elements of
    /// an array or a set, members of a dictionary; 0 for null and booleans.
    package func count(of node: Node) -> Int { records[node.object].count }

    /// The bytes of the value in the file, without its marker and its length; of a container, its
    /// references; none for null and booleans.
    package func range(of node: Node) -> Range<Int> { records[node.object].payload }
}
