package import Accounts

/// Tells whether a token has expired on a machine whose clock is set, forth and back.
///
/// CLOCK_REALTIME against the expiry decides. Two mistakes of it are mended with CLOCK_BOOTTIME,
/// which nobody sets. A clock that steps back must not bring an expired token to life; and a clock
/// that stood too far ahead for a while must not kill a good one for ever. So the watch keeps, while
/// the token is good, the latest point of boot time at which its life can end; once the token has
/// been seen expired that point stands. When the clock then says "good" again, the token stays
/// expired if boot time has reached the point, and lives on if it has not.
package struct ExpiryWatch: Equatable, Sendable {
    /// How the clock stands to the account. org.accountd.Account, `Status.clock`
    package enum Clock: String, Sendable {
        case steady
        case beforeIssue = "before_issue"
        case steppedBack = "stepped_back"
    }

    private let expiry: Expiry
    // Milliseconds of boot time; absent until the token was seen good.
    private var latestEnd: Int64?
    private var wasSeenExpired = false
    private var steppedBack = false

    /// Begins to watch.
    package init(_ expiry: Expiry) { self.expiry = expiry }

    /// Seconds that the token has left now; zero or less: it has expired.
    package mutating func remaining(at now: Instant) -> Int64 {
        let left = expiry.remaining(at: now.realtime)
        if left <= 0 {
            wasSeenExpired = true
            steppedBack = false
            return left
        }
        if wasSeenExpired {
            steppedBack = true
            if let latestEnd, now.boottime >= latestEnd {
                return min(0, (latestEnd - now.boottime) / 1000)
            }
            wasSeenExpired = false
        }
        let (milliseconds, overflow) = left.multipliedReportingOverflow(by: 1000)
        let (end, pastEnd) = now.boottime.addingReportingOverflow(milliseconds)
        let implied = overflow || pastEnd ? Int64.max : end
        latestEnd = max(latestEnd ?? implied, implied)
        return left
    }

    /// Takes over what is known of another account that ends at the same time.
    mutating func learn(from earlier: ExpiryWatch) {
        guard earlier.expiry.expiresAt == expiry.expiresAt else { return }
        latestEnd = earlier.latestEnd
        wasSeenExpired = earlier.wasSeenExpired
        steppedBack = earlier.steppedBack
    }

    /// How the clock stands, as of the last question and now.
    package func clock(at now: Instant) -> Clock {
        if let issuedAt = expiry.issuedAt, now.realtime < issuedAt { return .beforeIssue }
        return steppedBack ? .steppedBack : .steady
    }
}
