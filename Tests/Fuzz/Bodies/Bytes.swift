import Glibc
import SecretMemory

// By the C library where it goes over many bytes: a loop here is instrumented, and would take most of
// a run's time.

extension Span where Element == UInt8 {
    /// A copy, for what is made up and no secret.
    var array: [UInt8] {
        // SAFETY: the buffer is copied while it is lent.
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Whether every byte is this one.
    func isFilled(with byte: UInt8) -> Bool {
        guard count > 0 else { return true }
        guard self[0] == byte else { return false }
        // SAFETY: all but the last and all but the first, both within the bytes that are lent.
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start, start + 1, bytes.count - 1) == 0
        }
    }
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
        guard let first = bytes.first else { return true }
        var start = 0
        while start + bytes.count <= count {
            let rest = extracting(start...)
            guard let found = rest.firstIndex(of: first) else { return false }
            start += found
            guard start + bytes.count <= count else { return false }
            if extracting(start..<start + bytes.count).isEqual(to: bytes.span) { return true }
            start += 1
        }
        return false
    }

    private func firstIndex(of byte: UInt8) -> Int? {
        // SAFETY: within the bytes that are lent; the address that is found is one of theirs.
        unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start, Int32(byte), bytes.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    private func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // SAFETY: both are lent, and as long.
        return unsafe withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { two in
                guard let start = one.baseAddress, let other = two.baseAddress else { return true }
                return unsafe memcmp(start, other, one.count) == 0
            }
        }
    }
}
