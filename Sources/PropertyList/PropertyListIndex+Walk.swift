extension PropertyListIndex {
    /// Reads and proves all objects that the root reaches, each once, children before parents.
    ///
    /// - Parameter end: where the objects end.
    mutating func walk(
        from root: Int, end: Int, in bytes: Span<UInt8>
    ) throws(PropertyListError) {
        var room = end - PropertyListTrailer.headerSize
        try enter(root, room: &room, end: end, in: bytes)
        while let frame = frames.last {
            let parent = records[frame.object]
            let depth = frames.count
            let keys = parent.kind == .dictionary ? parent.count : 0
            let count = keys + parent.count
            var next = frame.next
            // Until a child is a container, which is walked first.
            while next < count, frames.count == depth {
                let child = try reference(next, of: parent, in: bytes)
                switch records[child].state {
                case .unseen: try enter(child, room: &room, end: end, in: bytes)
                case .open: throw .cyclic
                case .done:
                    // Seen on another way; from here what it holds may reach deeper.
                    let height = records[child].height
                    guard depth + height <= limits.maximumDepth else { throw .tooDeep }
                    if height > 0 { raise(frame.object, above: height) }
                }
                if next < keys, records[child].kind != .string {
                    throw .damaged(offset: records[child].start)
                }
                next += 1
            }
            frames[depth - 1].next = next
            if frames.count == depth { try leave(frame.object, keys: keys, in: bytes) }
        }
    }

    private mutating func leave(
        _ object: Int, keys: Int, in bytes: Span<UInt8>
    ) throws(PropertyListError) {
        if keys > 0 { try requireDistinctKeys(of: object, in: bytes) }
        frames.removeLast()
        records[object].state = .done
        if let above = frames.last { raise(above.object, above: records[object].height) }
    }

    /// The number of the object that a reference leads to; 0 is the first reference.
    func reference(
        _ position: Int, of record: Record, in bytes: Span<UInt8>
    ) throws(PropertyListError) -> Int {
        let offset = record.payload.lowerBound + position * referenceSize
        guard let object = Int(exactly: bytes.bigEndian(at: offset, size: referenceSize)),
            object < records.count
        else { throw .damaged(offset: offset) }
        return object
    }

    private mutating func enter(
        _ object: Int, room: inout Int, end: Int, in bytes: Span<UInt8>
    ) throws(PropertyListError) {
        let start = records[object].start
        let record = try Record(at: start, end: end, referenceSize: referenceSize, in: bytes)
        room -= record.payload.upperBound - start
        guard room >= 0 else { throw .damaged(offset: start) }
        records[object] = record
        guard record.kind.isContainer else {
            records[object].state = .done
            return
        }
        guard frames.count < limits.maximumDepth else { throw .tooDeep }
        records[object].state = .open
        records[object].height = 1
        frames.append(Frame(object: object))
    }

    private mutating func raise(_ object: Int, above height: Int) {
        records[object].height = max(records[object].height, height + 1)
    }

    /// Compares keys by a seeded hash that is taken once for each string, so that neither many keys
    /// nor long ones that many dictionaries share cost more than the file's size allows.
    private mutating func requireDistinctKeys(
        of dictionary: Int, in bytes: Span<UInt8>
    ) throws(PropertyListError) {
        let record = records[dictionary]
        keys.removeAll(keepingCapacity: true)
        for position in 0..<record.count {
            let key = try reference(position, of: record, in: bytes)
            let hash = records[key].keyHash ?? hash(of: records[key], in: bytes)
            records[key].keyHash = hash
            keys.append((hash, key))
        }
        keys.sort { $0.hash < $1.hash }
        for index in keys.indices {
            var other = index - 1
            while other >= 0, keys[other].hash == keys[index].hash {
                if areEqual(keys[other].object, keys[index].object, in: bytes) {
                    throw .duplicateKey(offset: record.start)
                }
                other -= 1
            }
        }
    }

    private func hash(of string: Record, in bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        for index in 0..<string.count { hasher.combine(codeUnit(index, of: string, in: bytes)) }
        return hasher.finalize()
    }

    private func areEqual(_ one: Int, _ other: Int, in bytes: Span<UInt8>) -> Bool {
        if one == other { return true }
        let (one, other) = (records[one], records[other])
        guard one.count == other.count else { return false }
        for index in 0..<one.count
        where codeUnit(index, of: one, in: bytes) != codeUnit(index, of: other, in: bytes) {
            return false
        }
        return true
    }
}
