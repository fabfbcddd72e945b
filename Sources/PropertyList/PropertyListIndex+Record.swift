extension PropertyListIndex.Record {
    /// Reads an object's marker and length, and proves its value.
    ///
    /// The value must be within the objects' part of the file and be what the marker says. What a
    /// container refers to is not looked at.
    ///
    /// - Parameters:
    ///   - start: where the marker stands, before `end`.
    ///   - end: where the objects end.
    init(
        at start: Int, end: Int, referenceSize: Int, in bytes: Span<UInt8>
    ) throws(PropertyListError) {
        self.init(start: start)
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        var unit = 1
        var isCounted = true
        switch (marker >> 4, low) {
        case (0x0, 0): (kind, isCounted) = (.null, false)
        case (0x0, 8), (0x0, 9): (kind, isCounted) = (.boolean, false)
        case (0x1, 0...4): (kind, isCounted, count) = (.integer, false, 1 << low)
        case (0x2, 2...3): (kind, isCounted, count) = (.real, false, 1 << low)
        case (0x3, 3): (kind, isCounted, count) = (.date, false, 8)
        case (0x4, _): kind = .data
        case (0x5, _): kind = .string
        case (0x6, _): (kind, isUTF16, unit) = (.string, true, 2)
        case (0x8, 0), (0x8, 1), (0x8, 3), (0x8, 7):
            (kind, isCounted, count) = (.uid, false, low + 1)
        case (0xA, _): (kind, unit) = (.array, referenceSize)
        case (0xC, _): (kind, unit) = (.set, referenceSize)
        case (0xD, _): (kind, unit) = (.dictionary, 2 * referenceSize)
        default: throw .damaged(offset: start)
        }
        var first = start + 1
        if isCounted {
            (count, first) = try Self.length(low, at: first, end: end, in: bytes)
        }
        let (size, overflowed) = count.multipliedReportingOverflow(by: unit)
        guard !overflowed, size <= end - first else { throw .damaged(offset: start) }
        payload = first..<(first + size)
        if kind == .string { try requireWellFormed(in: bytes) }
    }

    /// Lengths from 15 on stand behind the marker as an integer of 1, 2, 4 or 8 bytes.
    private static func length(
        _ low: Int, at offset: Int, end: Int, in bytes: Span<UInt8>
    ) throws(PropertyListError) -> (count: Int, first: Int) {
        guard low == 0x0F else { return (low, offset) }
        guard offset < end, bytes[offset] & 0xFC == 0x10 else { throw .damaged(offset: offset) }
        let size = 1 << Int(bytes[offset] & 0x03)
        guard size <= end - offset - 1,
            let count = Int(exactly: bytes.bigEndian(at: offset + 1, size: size))
        else { throw .damaged(offset: offset) }
        return (count, offset + 1 + size)
    }

    private func requireWellFormed(in bytes: Span<UInt8>) throws(PropertyListError) {
        guard isUTF16 else {
            for index in payload where bytes[index] >= 0x80 { throw .damaged(offset: index) }
            return
        }
        var offset = payload.lowerBound
        while offset < payload.upperBound {
            // The top six bits tell a high surrogate (D8…DB) and a low one (DC…DF).
            switch bytes[offset] & 0xFC {
            case 0xD8:
                guard payload.upperBound - offset >= 4, bytes[offset + 2] & 0xFC == 0xDC else {
                    throw .damaged(offset: offset)
                }
                offset += 4
            case 0xDC: throw .damaged(offset: offset)
            default: offset += 2
            }
        }
    }
}
