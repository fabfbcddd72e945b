import Glibc

/// How messages follow each other on a connection: each is one JSON object ended by one NUL byte.
package enum MessageFraming {
    /// What ends a message.
    package static let terminator: UInt8 = 0

    /// The offset of the first terminator at or after `start`; nil when the message is not all there.
    package static func end(in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
        guard start < bytes.count else { return nil }
        return unsafe bytes.withUnsafeBufferPointer { all -> Int? in
            // SAFETY: `start` lies within the span, and memchr(3) reads no further than its end.
            guard let base = all.baseAddress,
                let found = unsafe memchr(base + start, Int32(terminator), all.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }
}
