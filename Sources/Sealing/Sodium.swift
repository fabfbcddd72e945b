import CSodium

/// The one door to libsodium's start.
package enum Sodium {
    // A failure means that the machine gives no random numbers: nothing here could go on.
    private static let isReady: Bool = sodium_init() >= 0

    /// Starts libsodium, once however often it is called, from whatever thread.
    ///
    /// Every operation of this module calls it, so that none can run without. sodium_init(3)
    package static func start() {
        precondition(isReady, "libsodium cannot start")
    }

    /// Fills an array with random bytes that are not secret: ids, salts, nonces.
    static func randomBytes(_ count: Int) -> [UInt8] {
        start()
        var bytes = [UInt8](repeating: 0, count: count)
        // SAFETY: the pointer and count are the array's own.
        var span = bytes.mutableSpan
        unsafe span.withMutableStart { unsafe randombytes_buf($0, count) }
        return bytes
    }

    /// Compares in a time that depends on the counts alone. sodium_memcmp(3)
    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                // SAFETY: both spans hold `left.count` bytes.
                unsafe sodium_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }
}
