/// When a token expires, and how that came to be known.
///
/// `expiresAt` is derived once, from the time at which the token response was received, and is the
/// only value that decides. It is never derived again from `expiresIn`, which is relative to a
/// moment long past when an account is loaded: that mistake makes a token immortal.
package struct Expiry: Equatable, Sendable {
    /// Seconds as granted; nil for an account that came with an expiry date alone.
    package let expiresIn: Int64?
    /// Seconds since 1970; nil likewise.
    package let issuedAt: Int64?
    /// Seconds since 1970: the first second in which the token is no longer good.
    package let expiresAt: Int64

    /// A life granted at a time.
    ///
    /// - Parameters:
    ///   - expiresIn: seconds, 1 to `AccountField.maximumExpiresIn`.
    ///   - issuedAt: seconds since 1970.
    /// - Throws: `.invalid` with the field that is out of its range, `.expiresAt` where the sum is.
    package init(expiresIn: Int64, issuedAt: Int64) throws(AccountError) {
        guard AccountField.check(expiresIn: expiresIn) == nil else { throw .invalid(.expiresIn) }
        guard AccountField.check(issuedAt: issuedAt) == nil else { throw .invalid(.issuedAt) }
        let (sum, overflows) = issuedAt.addingReportingOverflow(expiresIn)
        guard !overflows, AccountField.check(expiresAt: sum) == nil else {
            throw .invalid(.expiresAt)
        }
        self.init(expiresIn: expiresIn, issuedAt: issuedAt, authoritative: sum)
    }

    /// A date alone, in seconds since 1970.
    ///
    /// - Throws: `.invalid(.expiresAt)` before 1970 or after the year 9999.
    package init(expiresAt: Int64) throws(AccountError) {
        guard AccountField.check(expiresAt: expiresAt) == nil else { throw .invalid(.expiresAt) }
        self.init(expiresIn: nil, issuedAt: nil, authoritative: expiresAt)
    }

    // As stored: the three need not add up, and the date decides.
    init(expiresIn: Int64?, issuedAt: Int64?, authoritative expiresAt: Int64) {
        self.expiresIn = expiresIn
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// Seconds left; zero or negative once expired; at the ends of Int64 it stays there.
    package func remaining(at now: Int64) -> Int64 {
        let (difference, overflows) = expiresAt.subtractingReportingOverflow(now)
        guard overflows else { return difference }
        return now < 0 ? .max : .min
    }

    /// Whether the token is expired at `now`.
    package func isExpired(at now: Int64) -> Bool { remaining(at: now) <= 0 }

    /// Whether it is not expired at `now` and has at least `minimum` seconds left.
    package func isValid(for minimum: Int64, at now: Int64) -> Bool {
        let left = remaining(at: now)
        return left > 0 && left >= minimum
    }
}
