import Glibc
import LinuxSystem

/// Commands that only ask, and so may ask twice.
///
/// A daemon that was killed takes connections until the last of its process is gone, and answers
/// none of them. Whoever asks looks for the daemon again then, and has it started where none is
/// left. What changes something is never repeated: it may have been done.
enum Asking {
    /// How long a daemon that closes without an answer is asked again, in milliseconds.
    private static let patience: Int64 = 2000
    /// The first pause, in microseconds; each is twice as long as the one before.
    private static let firstPause: UInt32 = 10_000

    /// Runs such a command; nothing is printed before the answer is there.
    static func run(
        _ given: Invocation, _ command: (inout Invocation) throws(CommandFailure) -> ExitStatus
    ) throws(CommandFailure) -> ExitStatus {
        var invocation = given
        do {
            return try command(&invocation)
        } catch {
            guard error.isUnanswered else { throw error }
            return try runAgain(given, command)
        }
    }

    private static func runAgain(
        _ given: Invocation, _ command: (inout Invocation) throws(CommandFailure) -> ExitStatus
    ) throws(CommandFailure) -> ExitStatus {
        let deadline = Clock.monotonicMilliseconds() + patience
        var pause = firstPause
        while true {
            usleep(pause)
            pause *= 2
            var invocation = given
            do {
                return try command(&invocation)
            } catch {
                guard error.isUnanswered, Clock.monotonicMilliseconds() < deadline else {
                    throw error
                }
            }
        }
    }
}
