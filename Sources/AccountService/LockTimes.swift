/// When the daemon locks the store by itself.
///
/// Both are counted by CLOCK_BOOTTIME, which goes on during a suspend.
package struct LockTimes: Equatable, Sendable {
    /// Seconds without a call that uses the store; nil: never.
    package let afterIdle: Int64?
    /// Seconds after the store was opened; nil: never.
    package let after: Int64?

    /// By default the store is not locked by time.
    package init(afterIdle: Int64? = nil, after: Int64? = nil) {
        self.afterIdle = afterIdle
        self.after = after
    }

    /// The point of boot time, in milliseconds, at which the store is to be locked.
    func deadline(openedAt: Int64, usedAt: Int64) -> Int64? {
        let byUse = afterIdle.map { Self.sum(usedAt, seconds: $0) }
        let byAge = after.map { Self.sum(openedAt, seconds: $0) }
        guard let byUse else { return byAge }
        return byAge.map { min($0, byUse) } ?? byUse
    }

    private static func sum(_ start: Int64, seconds: Int64) -> Int64 {
        let (milliseconds, isLong) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isOver) = start.addingReportingOverflow(milliseconds)
        return isLong || isOver ? .max : sum
    }
}
