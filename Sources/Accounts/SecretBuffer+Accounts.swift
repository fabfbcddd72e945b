import SecretMemory

extension SecretBuffer {
    /// A copy of exactly what it holds.
    borrowing func bytes(in arena: SecretArena) throws(SecretMemoryError) -> SecretBytes {
        var bytes = try arena.allocate(count)
        withBytes { source in bytes.withMutableBytes { $0.copy(from: source) } }
        return bytes
    }

    /// What it holds, which must be no secret, as a string; nil when it is not UTF-8.
    borrowing func text() -> String? { withBytes { String(validating: $0) } }
}

extension String {
    /// Bytes that are no secret; nil when they are not UTF-8.
    init?(validating bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        self.init(copying: text)
    }
}
