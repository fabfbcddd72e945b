import SecretMemory

extension Span where Element == UInt8 {
    /// A copy, for what is made up and no secret.
    var array: [UInt8] { indices.map { self[$0] } }
}

extension SecretBuffer {
    /// A copy, for what is made up and no secret.
    borrowing func array() -> [UInt8] { withBytes { $0.array } }
}

extension SecretBytes {
    /// A copy, for what is made up and no secret.
    borrowing func array() -> [UInt8] { withBytes { $0.array } }
}

extension Span where Element == UInt8 {
    /// Whether it is well-formed UTF-8. RFC 3629, 4
    var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }

    /// Whether `bytes` stand in it.
    func contains(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, count >= bytes.count else { return bytes.isEmpty }
        return (0...(count - bytes.count)).contains { start in
            bytes.indices.allSatisfy { self[start + $0] == bytes[$0] }
        }
    }
}
