import PropertyList
import SecretMemory

/// Makes a binary property list of an XML file's elements, one after the other.
///
/// What an element holds goes straight into the list, which is in locked memory; here are numbers
/// of objects alone.
final class XMLBuilder {
    typealias Reference = PropertyListWriter.Reference

    /// An element that holds others.
    enum Container {
        case plist, array, dictionary, map, set
    }

    /// One that holds a text.
    enum Leaf {
        case string, key, integer, real, date, data, boolean(Bool), null
        /// An Android number or boolean, whose value is an attribute and stands in the list already.
        case given
    }

    struct Frame {
        let container: Container
        /// The key of the container itself in the one around.
        var key: Reference?
        var keys: [Reference] = []
        var values: [Reference] = []
        /// A key that waits for its value.
        var pendingKey: Reference?
        // Of a dictionary that may stand for a UID.
        var isUID = false
        var uid: Int64?
    }

    private let limits: PropertyListLimits
    // Taken at the end.
    var writer: PropertyListWriter?
    var text: SecretBuffer
    var frames: [Frame] = []
    var leaf: Leaf?
    var root: Reference?
    /// Whether the file is an Android app's.
    private(set) var isAndroid = false

    init(arena: SecretArena, limits: PropertyListLimits) throws(PropertyListError) {
        self.limits = limits
        do {
            text = try SecretBuffer(arena: arena, capacity: 256, limit: limits.maximumBytes)
        } catch { throw .memory(error) }
        writer = try PropertyListWriter.make(in: arena, limits: limits)
    }

    /// The list; the document is at its end.
    func finish() throws(ImportError) -> SecretBuffer {
        guard let root, let writer = writer.take() else { throw .malformed }
        do throws(PropertyListError) {
            return try writer.finish(root: root)
        } catch { throw rejection(error) }
    }

    /// An element begins.
    func start(_ name: XMLName, _ attributes: XMLAttributes) throws(ImportError) {
        guard leaf == nil else { throw .malformed }
        text.removeAll()
        guard let frame = frames.last else { return try startRoot(name) }
        switch frame.container {
        case .map: try startPreference(name, attributes)
        case .set:
            guard name == "string" else { throw .malformed }
            leaf = .string
        case .plist, .array, .dictionary: try startValue(name)
        }
    }

    private func startRoot(_ name: XMLName) throws(ImportError) {
        if name == "plist" { return try open(.plist) }
        guard name == "map" else {
            throw ImportError(
                "not-a-plist:xml", "the file is XML, but neither a property list nor preferences",
                hint: "account help import says what is read")
        }
        isAndroid = true
        try open(.map)
    }

    private func startValue(_ name: XMLName) throws(ImportError) {
        if name == "dict" { return try open(.dictionary) }
        if name == "array" { return try open(.array) }
        leaf =
            if name == "string" {
                .string
            } else if name == "key" {
                .key
            } else if name == "integer" {
                .integer
            } else if name == "real" {
                .real
            } else if name == "date" {
                .date
            } else if name == "data" {
                .data
            } else if name == "true" {
                .boolean(true)
            } else if name == "false" {
                .boolean(false)
            } else {
                throw .malformed
            }
    }

    func open(_ container: Container, key: Reference? = nil) throws(ImportError) {
        // The element around all others is no container of the list.
        guard frames.count <= limits.maximumDepth else { throw .tooDeep }
        frames.append(Frame(container: container, key: key))
    }

    /// Some of the text within an element, or between two.
    func append(_ part: Span<UInt8>) throws(ImportError) {
        guard leaf != nil else {
            for index in part.indices where part[index] > 0x20 { throw .malformed }
            return
        }
        do { try text.append(part) } catch { throw rejection(.memory(error)) }
    }

    /// An element ends.
    func end() throws(ImportError) {
        if let leaf {
            self.leaf = nil
            return try end(leaf)
        }
        guard let frame = frames.popLast() else { throw .malformed }
        switch frame.container {
        case .plist:
            guard let value = frame.values.first else { throw .malformed }
            root = value
        case .map:
            root = try add { writer throws(PropertyListError) in
                try writer.add(dictionary: Self.members(of: frame))
            }
        case .array, .set:
            let list = try add { writer throws(PropertyListError) in
                try writer.add(array: frame.values)
            }
            if let key = frame.key { frames[frames.count - 1].keys.append(key) }
            try put(list)
        case .dictionary: try endDictionary(frame)
        }
    }

    private func endDictionary(_ frame: Frame) throws(ImportError) {
        guard frame.pendingKey == nil else { throw .malformed }
        if frame.isUID, frame.keys.count == 1, let number = frame.uid {
            guard let uid = UInt32(exactly: number) else { throw .danglingReference }
            return try put(add { writer throws(PropertyListError) in try writer.add(uid: uid) })
        }
        try put(
            add { writer throws(PropertyListError) in
                try writer.add(dictionary: Self.members(of: frame))
            })
    }

    private static func members(of frame: Frame) -> [(key: Reference, value: Reference)] {
        zip(frame.keys, frame.values).map { (key: $0, value: $1) }
    }

    /// Puts a value into the container that is open.
    func put(_ value: Reference) throws(ImportError) {
        guard let last = frames.indices.last else { throw .malformed }
        switch frames[last].container {
        case .plist: guard frames[last].values.isEmpty else { throw .malformed }
        case .dictionary:
            guard let key = frames[last].pendingKey else { throw .malformed }
            frames[last].pendingKey = nil
            frames[last].keys.append(key)
        case .array, .map, .set: break
        }
        frames[last].values.append(value)
    }

    /// Adds something to the list.
    func add(
        _ body: (inout PropertyListWriter) throws(PropertyListError) -> Reference
    ) throws(ImportError) -> Reference {
        guard var writer = writer.take() else { throw .malformed }
        do throws(PropertyListError) {
            let reference = try body(&writer)
            self.writer = consume writer
            return reference
        } catch { throw rejection(error) }
    }

    /// The error with this file's limit in it.
    func rejection(_ error: PropertyListError) -> ImportError {
        ImportError(error, limit: limits.maximumBytes)
    }
}
