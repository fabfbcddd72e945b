import PropertyList
import SecretMemory

/// Takes the parts of a value that is being archived: see `Archivable`.
///
/// It writes a binary property list into secret memory, in which names of types and of properties
/// stand once. The form is docs/FORMAT.md, "Archived values".
public struct ArchiveEncoder: ~Copyable {
    typealias Reference = PropertyListWriter.Reference

    // Whoever recurses without end is stopped here; how deep the list may be its writer knows.
    private static let maximumDepth = 2 * PropertyListBounds.maximumDepth

    /// What is asked of the value that is passed on next.
    struct Place {
        /// The name of the value's type, where its reader does not know it.
        ///
        /// Whoever writes a dictionary of properties takes it from here and puts it in.
        var type: Reference?
        /// Optionals around the value.
        var optionality = 0
        /// Whether the value is an optional of a property, whose type is not named.
        var isProperty = false
        /// Whether the value is the key of a dictionary.
        var isKey = false
    }

    let registry: ArchiveRegistry
    let archive: String
    var place = Place()
    var types = EncodedTypes()
    // Children of the containers that are being written, those of the innermost last.
    var stack: [Reference] = []
    private let limit: Int
    var writer: PropertyListWriter
    private var result: Reference?
    // After an error a container may be written by half: nothing more is, whoever catches it.
    private var failure: ArchiveError?
    private var keys: [String: (text: String, reference: Reference)] = [:]
    private var booleans: [Reference?] = [nil, nil]
    private var depth = 0
    // Values that may still be written.
    private(set) var room = PropertyListBounds.maximumVisits

    init(
        into buffer: consuming SecretBuffer, limit: Int, registry: ArchiveRegistry, archive: String
    ) throws(PropertyListError) {
        writer = try PropertyListWriter(
            into: buffer, limits: PropertyListBounds.limits(bytes: limit))
        self.limit = limit
        self.registry = registry
        self.archive = archive
    }

    consuming func finish(root: Reference) throws(PropertyListError) -> SecretBuffer {
        try writer.finish(root: root)
    }

    /// Writes a value and gives the object that it has become.
    mutating func reference<T: Archivable>(
        of value: T, at inner: Place = Place()
    ) throws(ArchiveError) -> Reference {
        if let failure { throw failure }
        guard result == nil else { throw refusal("a value was passed on beside another") }
        try charge(1)
        guard depth < Self.maximumDepth else { throw error(.tooDeep) }
        let outer = place
        place = inner
        depth += 1
        do throws(ArchiveError) { try value.archive(into: &self) } catch {
            failure = error
            throw error
        }
        depth -= 1
        let type = place.type
        place = outer
        guard let written = result else {
            throw refusal("\(T.archiveTypeName) has passed nothing on")
        }
        result = nil
        guard let type else { return written }
        let (typeKey, valueKey) = (try key(ReservedKey.type), try key(ReservedKey.value))
        return try add { writer throws(PropertyListError) in
            try writer.add(dictionary: [(typeKey, type), (valueKey, written)])
        }
    }

    /// Counts values, of which a reader will count no more.
    mutating func charge(_ count: Int) throws(ArchiveError) {
        guard count <= room else { throw error(.tooManyObjects) }
        room -= count
    }

    /// Writes an object, which is what the value at this place becomes.
    mutating func write(
        _ body: (inout PropertyListWriter) throws(PropertyListError) -> Reference
    ) throws(ArchiveError) {
        try pass(add(body))
    }

    /// Says which object the value at this place has become.
    mutating func pass(_ reference: Reference) throws(ArchiveError) {
        if let failure { throw failure }
        guard result == nil else { throw refusal("a value was passed on beside another") }
        result = reference
    }

    /// Writes an object.
    mutating func add(
        _ body: (inout PropertyListWriter) throws(PropertyListError) -> Reference
    ) throws(ArchiveError) -> Reference {
        do throws(PropertyListError) { return try body(&writer) } catch { throw self.error(error) }
    }

    /// A text that may stand at many places and is written once.
    mutating func key(_ text: String) throws(ArchiveError) -> Reference {
        // Texts that are equal to Unicode may have other bytes, and are then two objects.
        if let known = keys[text], known.text.utf8.elementsEqual(text.utf8) {
            return known.reference
        }
        let reference = try add { writer throws(PropertyListError) in try writer.add(string: text) }
        keys[text] = (text, reference)
        return reference
    }

    mutating func write(boolean: Bool) throws(ArchiveError) {
        if let known = booleans[boolean ? 1 : 0] { return try pass(known) }
        let reference = try add { writer throws(PropertyListError) in
            try writer.add(boolean: boolean)
        }
        booleans[boolean ? 1 : 0] = reference
        try pass(reference)
    }

    func refusal(_ reason: String) -> ArchiveError {
        .notEncodable(archive: archive, reason: reason)
    }

    func error(_ error: PropertyListError) -> ArchiveError {
        ArchiveError(writing: error, archive: archive, limit: limit)
    }
}

/// The keys with which the form begins names of its own.
enum ReservedKey {
    static let type = "$type"
    static let value = "$value"
    static let keys = "keys"
    static let values = "values"
    /// What nothing is written as; each optional around it adds a `$`, and to a text that looks so.
    static let null = "$null"

    /// How many `$` stand before `null` in a text that is nothing else; 0 for any other text.
    static func dollars(_ text: String) -> Int {
        // The first byte decides nearly always.
        guard text.utf8.first == UInt8(ascii: "$"), text.utf8.count >= 5 else { return 0 }
        let rest = text.utf8.drop { $0 == UInt8(ascii: "$") }
        return rest.elementsEqual("null".utf8) ? text.utf8.count - 4 : 0
    }
}
