import SecretMemory

extension Span where Element == UInt8 {
    /// Reads an unsigned big-endian integer of 1 to 8 bytes.
    func bigEndian(at offset: Int, size: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<(offset + size) { value = value << 8 | UInt64(self[index]) }
        return value
    }
}
