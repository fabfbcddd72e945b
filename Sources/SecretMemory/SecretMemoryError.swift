/// Why secret memory could not be had.
package enum SecretMemoryError: Error, Equatable, Sendable {
    /// The arena, or the budget that the bytes were to be charged to, has no room left.
    case exhausted
    /// A buffer would grow past its own limit.
    case overLimit
    /// The kernel gave no memory at all; the number is its errno.
    case unavailable(errno: Int32)
}
