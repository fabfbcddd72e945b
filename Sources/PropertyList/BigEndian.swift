import SecretMemory

extension Span where Element == UInt8 {
    /// Reads an unsigned big-endian integer of 1 to 8 bytes.
    func bigEndian(at offset: Int, size: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<(offset + size) { value = value << 8 | UInt64(self[index]) }
        return value
    }
}

extension SecretBuffer {
    /// Appends the lowest `size` bytes, 1 to 8, of an integer, the highest of them first.
    mutating func appendBigEndian(_ value: UInt64, size: Int) throws(SecretMemoryError) {
        var shift = 8 * size
        while shift > 0 {
            shift -= 8
            try append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}
