/// How long the answer to a wrong passphrase or recovery code is held back, for each user.
///
/// While one is held back the next attempt of the same user waits too; so nobody guesses faster by
/// asking on many connections at once. Times are milliseconds of boot time.
struct KeyPenalties {
    /// For the first wrong one; each further one costs twice as much.
    static let first: Int64 = 500
    /// The most.
    static let longest: Int64 = 10_000

    private struct Penalty {
        var failures: Int
        var end: Int64
    }

    // Only owners may try: there are two, the daemon's user and root.
    private var penalties: [UInt32: Penalty] = [:]

    /// When the next attempt of a user may be looked at.
    func end(of uid: UInt32) -> Int64 { penalties[uid]?.end ?? 0 }

    /// Counts a wrong one, and says when it may be answered.
    mutating func fail(_ uid: UInt32, at now: Int64) -> Int64 {
        let failures = penalties[uid]?.failures ?? 0
        let end = now + Self.delay(after: failures)
        penalties[uid] = Penalty(failures: failures + 1, end: end)
        return end
    }

    /// How long the answer to another wrong one would be held back.
    func next(of uid: UInt32) -> Int64 { Self.delay(after: penalties[uid]?.failures ?? 0) }

    /// The right one was given.
    mutating func forgive(_ uid: UInt32) { penalties[uid] = nil }

    private static func delay(after failures: Int) -> Int64 {
        // Ten doublings are far above the longest.
        min(longest, first << Int64(min(failures, 10)))
    }
}
