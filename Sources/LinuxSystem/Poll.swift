import Glibc

/// Waiting for a descriptor or two, for programs that have no loop. poll(2)
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
        // A negative number is passed over.
        try wait(fd, for: events, or: -1, timeoutMilliseconds: timeoutMilliseconds).first
    }

    /// Waits until the first descriptor is ready or the second can be read, or the time is up.
    ///
    /// - Parameters:
    ///   - events: `.readable`, `.writable`, or both.
    ///   - timeoutMilliseconds: -1 for ever.
    /// - Returns: what each is ready for; both empty when the time is up.
    package static func wait(
        _ fd: Int32, for events: PollEvents, or second: Int32, timeoutMilliseconds: Int64
    ) throws(Errno) -> (first: PollEvents, second: PollEvents) {
        let end =
            timeoutMilliseconds < 0
            ? -1 : Clock.deadline(afterMilliseconds: timeoutMilliseconds)
        // The bits of poll(2) and of epoll(7) are the same ones.
        var entries = (
            pollfd(fd: fd, events: Int16(truncatingIfNeeded: events.rawValue), revents: 0),
            pollfd(fd: second, events: Int16(POLLIN), revents: 0)
        )
        var left = timeoutMilliseconds
        while true {
            let count: Int32 = unsafe withUnsafeMutableBytes(of: &entries) { bytes in
                guard let start = bytes.baseAddress else { return -1 }
                // SAFETY: two entries.
                return unsafe Glibc.poll(
                    start.assumingMemoryBound(to: pollfd.self), 2, Int32(clamping: left))
            }
            if count > 0 { return (ready(entries.0), ready(entries.1)) }
            if count < 0, errno != EINTR { throw .current }
            guard end >= 0 else { continue }
            left = end - Clock.monotonicMilliseconds()
            if left <= 0 { return ([], []) }
        }
    }

    private static func ready(_ entry: pollfd) -> PollEvents {
        PollEvents(rawValue: UInt32(UInt16(bitPattern: entry.revents)))
    }
}
