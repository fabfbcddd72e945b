import Glibc

extension JSONIndex {
    /// Up to so many members each pair of names is compared; that needs neither hashing nor memory.
    private static let maximumPairwiseMembers = 8

    /// Looks for a name that an object gives twice, escapes decoded.
    mutating func refuseDuplicateNames(
        of object: Node, in text: Span<UInt8>
    ) throws(JSONError) {
        if count(of: object) <= Self.maximumPairwiseMembers {
            try comparePairs(of: object, in: text)
        } else {
            try compareHashes(of: object, in: text)
        }
    }

    private func comparePairs(of object: Node, in text: Span<UInt8>) throws(JSONError) {
        let end = Int(entries[object.index].next)
        let first = object.index + 1
        guard first < end else { return }
        var name = Int(entries[first + 1].next)
        while name < end {
            var earlier = first
            while earlier < name {
                guard !isSameName(earlier, name, in: text) else { throw duplicate(name) }
                earlier = Int(entries[earlier + 1].next)
            }
            name = Int(entries[name + 1].next)
        }
    }

    private mutating func compareHashes(
        of object: Node, in text: Span<UInt8>
    ) throws(JSONError) {
        names.reset(for: count(of: object))
        let end = Int(entries[object.index].next)
        var name = object.index + 1
        while name < end {
            let hash = hash(of: Node(index: name), in: text)
            var slot = names.firstSlot(for: hash)
            while let other = names.nextCandidate(for: hash, at: &slot) {
                guard !isSameName(other, name, in: text) else { throw duplicate(name) }
            }
            names.insert(name, hash: hash, at: slot)
            name = Int(entries[name + 1].next)
        }
    }

    private func duplicate(_ name: Int) -> JSONError {
        .duplicateKey(offset: Int(entries[name].start) - 1)
    }

    private func isSameName(_ one: Int, _ other: Int, in text: Span<UInt8>) -> Bool {
        // The kind is the same, so this compares the decoded counts.
        guard entries[one].detail == entries[other].detail else { return false }
        let count = decodedCount(of: Node(index: one), in: text)
        let range = range(of: Node(index: one))
        let otherRange = self.range(of: Node(index: other))
        if range.count == count, otherRange.count == count {
            return Self.isEqual(text.extracting(range), text.extracting(otherRange))
        }
        var decoder = JSONStringDecoder(range)
        var otherDecoder = JSONStringDecoder(otherRange)
        while let byte = decoder.next(in: text) {
            guard byte == otherDecoder.next(in: text) else { return false }
        }
        return true
    }

    private func hash(of name: Node, in text: Span<UInt8>) -> UInt64 {
        var hasher = Hasher()
        var decoder = JSONStringDecoder(range(of: name))
        var word: UInt64 = 0
        var count = 0
        while let byte = decoder.next(in: text) {
            word = word << 8 | UInt64(byte)
            count += 1
            if count % 8 == 0 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(count)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// Compares two runs of bytes; not in constant time.
    static func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else {
                    return true
                }
                // SAFETY: both have as many bytes.
                return unsafe memcmp(start, otherStart, one.count) == 0
            }
        }
    }
}
