import Glibc

extension ChildProcess {
    /// How long a child may take to end once it is asked to, in milliseconds.
    private static let grace: Int64 = 500
    /// The longest pause between two looks, in microseconds.
    private static let longestPause: UInt32 = 20_000

    /// Waits for the end of a child, and brings it about where it does not come by itself: SIGTERM,
    /// then SIGKILL. kill(2), waitpid(2)
    ///
    /// No child is left when this returns, not even a stopped one.
    ///
    /// - Parameter patienceMilliseconds: how long it may take by itself.
    package static func end(_ pid: Int32, patienceMilliseconds: Int64) {
        if hasEnded(pid, within: patienceMilliseconds) { return }
        kill(pid, SIGTERM)
        // A stopped process acts on no other signal.
        kill(pid, SIGCONT)
        if hasEnded(pid, within: grace) { return }
        kill(pid, SIGKILL)
        _ = try? wait(for: pid)
    }

    // Looks at least once. A child that is not there any more has ended.
    private static func hasEnded(_ pid: Int32, within milliseconds: Int64) -> Bool {
        let end = Clock.deadline(afterMilliseconds: milliseconds)
        var pause: UInt32 = 500
        while true {
            var status: Int32 = 0
            // SAFETY: one integer to fill.
            if unsafe waitpid(pid, &status, WNOHANG) != 0 { return true }
            if Clock.monotonicMilliseconds() >= end { return false }
            usleep(pause)
            pause = min(2 * pause, longestPause)
        }
    }
}
