import Glibc

/// The kernel's clocks. clock_gettime(2)
package enum Clock {
    /// A point in time since 1970-01-01T00:00:00Z.
    package struct Time: Equatable, Sendable {
        /// Whole seconds.
        package let seconds: Int64
        /// 0 to 999,999,999.
        package let nanoseconds: Int32
    }

    /// The time of day, which people and time servers set. CLOCK_REALTIME
    package static func realtime() -> Time {
        let time = now(CLOCK_REALTIME)
        return Time(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// The time of day in whole seconds, from the kernel's last tick: a few milliseconds late, and
    /// cheaper. CLOCK_REALTIME_COARSE
    package static func realtimeSeconds() -> Int64 { Int64(now(CLOCK_REALTIME_COARSE).tv_sec) }

    /// Milliseconds since some moment; stands still while the machine sleeps. CLOCK_MONOTONIC
    package static func monotonicMilliseconds() -> Int64 {
        milliseconds(now(CLOCK_MONOTONIC))
    }

    /// Milliseconds since boot, those that the machine slept among them. CLOCK_BOOTTIME
    package static func boottimeMilliseconds() -> Int64 { milliseconds(now(CLOCK_BOOTTIME)) }

    /// The point of the monotonic clock at which a time from now is up; the last one there is
    /// where that would be later.
    static func deadline(afterMilliseconds milliseconds: Int64) -> Int64 {
        let (sum, isOver) = monotonicMilliseconds().addingReportingOverflow(max(0, milliseconds))
        return isOver ? .max : sum
    }

    private static func now(_ clock: Int32) -> timespec {
        var time = timespec()
        // SAFETY: one structure to fill. It cannot fail: the clocks exist.
        unsafe clock_gettime(clock, &time)
        return time
    }

    private static func milliseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// What a wall's clock and calendar show.
    package struct LocalTime: Equatable, Sendable {
        /// The year, as 2026.
        package let year: Int
        /// 1 to 12.
        package let month: Int
        /// 1 to 31.
        package let day: Int
        /// 0 to 23.
        package let hour: Int
        /// 0 to 59.
        package let minute: Int
        /// 0 to 60.
        package let second: Int
    }

    /// What they show here at a moment, by TZ or /etc/localtime. localtime_r(3)
    ///
    /// - Parameter seconds: since 1970-01-01T00:00:00Z; where the year is out of range, its start.
    package static func localTime(_ seconds: Int64) -> LocalTime {
        var time = time_t(seconds)
        // SAFETY: two structures of this function's own; the pointer in the second is not followed.
        var parts = unsafe tm()
        if unsafe localtime_r(&time, &parts) == nil {
            time = 0
            unsafe gmtime_r(&time, &parts)
        }
        return unsafe LocalTime(
            year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1,
            day: Int(parts.tm_mday), hour: Int(parts.tm_hour), minute: Int(parts.tm_min),
            second: Int(parts.tm_sec))
    }
}
