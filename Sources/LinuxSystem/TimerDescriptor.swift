import CLinux
import Glibc

/// A timer as something to wait for. timerfd_create(2)
package struct TimerDescriptor: ~Copyable {
    /// The clocks that a timer can go by.
    package enum Source: Equatable, Sendable {
        /// Stands still while the machine sleeps. CLOCK_MONOTONIC
        case monotonic
        /// Goes on while the machine sleeps. CLOCK_BOOTTIME
        case boottime
        /// The time of day, which can be set. CLOCK_REALTIME
        case realtime
    }

    /// What became of a timer.
    package enum Outcome: Equatable, Sendable {
        /// It has not gone off.
        case pending
        /// It has gone off, so many times since this was asked last.
        case expired(UInt64)
        /// The time of day has been set; the timer must be set anew.
        case clockWasSet
    }

    private let descriptor: FileDescriptor
    private let source: Source

    /// Makes a timer that is not set.
    package init(_ source: Source) throws(Errno) {
        self.source = source
        let clock =
            switch source {
            case .monotonic: CLOCK_MONOTONIC
            case .boottime: CLOCK_BOOTTIME
            case .realtime: CLOCK_REALTIME
            }
        let flags = Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)
        descriptor = FileDescriptor(owning: try valueOrErrno { timerfd_create(clock, flags) })
    }

    /// The number to wait for: readable when the timer has gone off.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Goes off after a time. timerfd_settime(2)
    ///
    /// - Parameters:
    ///   - milliseconds: from now; 0 and less is at once.
    ///   - period: milliseconds between that and each time after; 0 for once.
    package func set(afterMilliseconds milliseconds: Int64, period: Int64 = 0) throws(Errno) {
        try set(Self.time(milliseconds), Self.time(period, zero: 0), flags: 0)
    }

    /// Goes off at a point of its clock. TFD_TIMER_ABSTIME
    ///
    /// - Parameter milliseconds: as that clock counts them; what is past is at once.
    package func set(atMilliseconds milliseconds: Int64) throws(Errno) {
        // TFD_TIMER_CANCEL_ON_SET concerns the time of day alone.
        let flags = source == .realtime ? 3 : 1
        try set(Self.time(milliseconds), timespec(), flags: Int32(flags))
    }

    /// Goes off no more.
    package func disarm() throws(Errno) { try set(timespec(), timespec(), flags: 0) }

    /// What became of it; clears what made it readable.
    package func acknowledge() throws(Errno) -> Outcome {
        var count: UInt64 = 0
        let number = descriptor.rawValue
        do {
            // SAFETY: eight bytes of room.
            _ = try valueOrErrno { unsafe read(number, &count, 8) }
            return .expired(count)
        } catch {
            switch error {
            case .wouldBlock: return .pending
            case .canceled: return .clockWasSet
            default: throw error
            }
        }
    }

    private func set(_ first: timespec, _ period: timespec, flags: Int32) throws(Errno) {
        var times = itimerspec(it_interval: period, it_value: first)
        let number = descriptor.rawValue
        // SAFETY: the kernel copies the structure.
        _ = try valueOrErrno { unsafe timerfd_settime(number, flags, &times, nil) }
    }

    // A time of zero would disarm it; a nanosecond is as good as at once.
    private static func time(_ milliseconds: Int64, zero nanoseconds: Int = 1) -> timespec {
        guard milliseconds > 0 else { return timespec(tv_sec: 0, tv_nsec: nanoseconds) }
        return timespec(
            tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    }
}
