extension PropertyListIndex {
    /// Seconds from 1970-01-01T00:00:00Z to 2001-01-01T00:00:00Z, from which dates are counted.
    static let referenceDate = 978_307_200.0

    /// An integer's value; nil for another kind and for one that Int64 cannot hold.
    ///
    /// Integers of 1, 2 and 4 bytes have no sign, those of 8 bytes have one. Of 16 bytes, which
    /// writers use for what is over Int64 only, the first eight must be zero: with others Core
    /// Foundation reads the last eight alone, Python a number with a sign, and this says nil.
    package func integer(_ node: Node, in bytes: Span<UInt8>) -> Int64? {
        guard kind(of: node) == .integer else { return nil }
        let payload = range(of: node)
        guard payload.count == 16 else {
            let value = bytes.bigEndian(at: payload.lowerBound, size: payload.count)
            return Int64(bitPattern: value)
        }
        guard bytes.bigEndian(at: payload.lowerBound, size: 8) == 0 else { return nil }
        return Int64(exactly: bytes.bigEndian(at: payload.lowerBound + 8, size: 8))
    }

    /// An integer's value; nil for another kind, for a negative one and for one that UInt64 cannot
    /// hold.
    package func unsignedInteger(_ node: Node, in bytes: Span<UInt8>) -> UInt64? {
        if let value = integer(node, in: bytes) { return UInt64(exactly: value) }
        guard kind(of: node) == .integer else { return nil }
        // Only those of 16 bytes have none in Int64.
        let payload = range(of: node)
        guard bytes.bigEndian(at: payload.lowerBound, size: 8) == 0 else { return nil }
        return bytes.bigEndian(at: payload.lowerBound + 8, size: 8)
    }

    /// A boolean's value; nil for another kind.
    package func boolean(_ node: Node, in bytes: Span<UInt8>) -> Bool? {
        guard kind(of: node) == .boolean else { return nil }
        return bytes[records[node.object].start] == 0x09
    }

    /// A real's value, which may be infinite or no number; nil for another kind.
    package func real(_ node: Node, in bytes: Span<UInt8>) -> Double? {
        guard kind(of: node) == .real else { return nil }
        let payload = range(of: node)
        let pattern = bytes.bigEndian(at: payload.lowerBound, size: payload.count)
        guard payload.count == 4 else { return Double(bitPattern: pattern) }
        return Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern)))
    }

    /// A date in seconds since 1970-01-01T00:00:00Z; nil for another kind and for a date that is
    /// not finite.
    package func date(_ node: Node, in bytes: Span<UInt8>) -> Double? {
        guard kind(of: node) == .date else { return nil }
        let pattern = bytes.bigEndian(at: range(of: node).lowerBound, size: 8)
        let seconds = Double(bitPattern: pattern) + Self.referenceDate
        return seconds.isFinite ? seconds : nil
    }

    /// A date in seconds since 2001-01-01T00:00:00Z, bit for bit as it stands in the file; nil for
    /// another kind and for a date that is not finite.
    package func secondsSince2001(_ node: Node, in bytes: Span<UInt8>) -> Double? {
        guard kind(of: node) == .date else { return nil }
        let pattern = bytes.bigEndian(at: range(of: node).lowerBound, size: 8)
        let seconds = Double(bitPattern: pattern)
        return seconds.isFinite ? seconds : nil
    }

    /// The value of a UID, with which NSKeyedArchiver refers to objects; nil for another kind.
    package func uid(_ node: Node, in bytes: Span<UInt8>) -> UInt64? {
        guard kind(of: node) == .uid else { return nil }
        let payload = range(of: node)
        return bytes.bigEndian(at: payload.lowerBound, size: payload.count)
    }

    /// Where the bytes of data are in the file; nil for another kind.
    package func dataRange(_ node: Node) -> Range<Int>? {
        kind(of: node) == .data ? range(of: node) : nil
    }
}
