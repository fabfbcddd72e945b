import AccountImport
import PropertyList

// Which of several values is meant.
extension ObjectReader {
    /// The object under a key, or the only one where none is given.
    ///
    /// A plain dictionary some of whose values are archives is a user defaults file: without a key
    /// nobody can say which of them is meant.
    func choose(_ key: String?, in bytes: Span<UInt8>) throws(ImportError) -> Object {
        let tops = try tops(in: bytes)
        guard let root = tops.first?.value else { throw .emptyArchive }
        guard tops.count == 1 else { return try choose(key, among: tops, in: bytes) }
        guard try kind(root, in: bytes) == .dictionary else {
            // Its own name may be given, though it is the only one.
            if let key {
                guard graph.isArchive, try self.key(tops[0].key, in: bytes) == key else {
                    throw .noKeys
                }
            }
            return root
        }
        if key == nil, try !isDefaults(root, in: bytes) { return root }
        return try choose(key, among: members(of: root, in: bytes), in: bytes)
    }

    private func choose(
        _ wanted: String?, among entries: [Member], in bytes: Span<UInt8>
    ) throws(ImportError) -> Object {
        var keys: [String] = []
        var archives: [String] = []
        for entry in entries {
            // A key that entries share is decoded as often.
            try ask { () throws(ObjectGraphError) in
                try budget.take(graph.decodedCount(of: entry.key, in: bytes) ?? 0)
            }
            let key = try key(entry.key, in: bytes)
            if key == wanted { return entry.value }
            keys.append(key)
            if try isArchive(entry.value, in: bytes) { archives.append(key) }
        }
        throw wanted == nil ? .keyNeeded(keys, archives: archives) : .noSuchKey(keys)
    }

    /// The objects at the top, by their names.
    func tops(in bytes: Span<UInt8>) throws(ImportError) -> [Member] {
        var tops: [Member] = []
        do throws(ObjectGraphError) {
            try graph.forEachTop(in: bytes) { name, object in
                // The root of a plain property list has no name, and is asked for none.
                tops.append(Member(key: name ?? object, value: object))
            }
        } catch { throw .archive(error) }
        return tops
    }

    private func isDefaults(
        _ root: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Bool {
        guard !graph.isArchive else { return false }
        for entry in try members(of: root, in: bytes)
        where try isArchive(entry.value, in: bytes) {
            return true
        }
        return false
    }

    private func isArchive(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Bool {
        guard try kind(object, in: bytes) == .data else { return false }
        return isPropertyList(try dataRange(object, in: bytes), in: bytes)
    }
}
