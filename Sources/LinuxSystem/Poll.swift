import Glibc

/// Waiting for one descriptor, for programs that have no loop. poll(2)
package enum Poll {
    /// Waits until the descriptor is ready, fails, or the time is up.
    ///
    /// - Parameters:
    ///   - events: `.readable`, `.writable`, or both.
    ///   - timeoutMilliseconds: -1 for ever.
    /// - Returns: what it is ready for, errors and hang-ups among it; empty when the time is up.
    package static func wait(
        _ fd: Int32, for events: PollEvents, timeoutMilliseconds: Int64
    ) throws(Errno) -> PollEvents {
        let end = timeoutMilliseconds < 0 ? -1 : Clock.monotonicMilliseconds() + timeoutMilliseconds
        // The bits of poll(2) and of epoll(7) are the same ones.
        var entry = pollfd(
            fd: fd, events: Int16(truncatingIfNeeded: events.rawValue), revents: 0)
        var left = timeoutMilliseconds
        while true {
            // SAFETY: one entry.
            let count = unsafe Glibc.poll(&entry, 1, Int32(clamping: left))
            if count > 0 { return PollEvents(rawValue: UInt32(UInt16(bitPattern: entry.revents))) }
            if count < 0, errno != EINTR { throw .current }
            guard end >= 0 else { continue }
            left = end - Clock.monotonicMilliseconds()
            if left <= 0 { return [] }
        }
    }
}
