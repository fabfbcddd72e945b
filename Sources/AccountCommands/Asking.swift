import Glibc
import LinuxSystem
import SecretMemory

/// Asking a daemon that may be dying.
///
/// A daemon that was killed takes connections until the last of its process is gone, and answers
/// none of them. Whoever asks looks for the daemon again then, and has it started where none is
/// left. What changes something is never repeated, since it may have been done; so it is only sent
/// to a daemon that has just answered a question.
struct Asking {
    /// How long a daemon that closes without an answer is asked again, in milliseconds.
    private static let patience: Int64 = 2000

    private var deadline: Int64 = 0
    // Whether a locked store was opened for the command, which is done once.
    private var hasOpened = false
    // Microseconds; each pause is twice as long as the one before.
    private var pause: UInt32 = 10_000

    private init() {}

    /// Runs a command that only asks; it prints nothing before it has the answer.
    static func run(
        _ given: Invocation, _ command: (inout Invocation) throws(CommandFailure) -> ExitStatus
    ) throws(CommandFailure) -> ExitStatus {
        var asking = Asking()
        while true {
            var invocation = given
            do {
                return try command(&invocation)
            } catch { try asking.recover(from: error, invocation.options) }
        }
    }

    // Not a part of what every question goes through.
    @inline(never)
    private mutating func recover(
        from failure: CommandFailure, _ options: GlobalOptions
    ) throws(CommandFailure) {
        guard failure.status == .locked, !hasOpened else { return try wait(after: failure) }
        hasOpened = true
        try Unlocking.open(options)
    }

    /// Runs a part of a command that changes something, and once more where it has found the store
    /// locked, and so has changed nothing, once that is open.
    static func whileOpen<R: ~Copyable>(
        _ options: GlobalOptions, _ body: () throws(CommandFailure) -> R
    ) throws(CommandFailure) -> R {
        do {
            return try body()
        } catch {
            guard error.status == .locked else { throw error }
        }
        try Unlocking.open(options)
        return try body()
    }

    /// Finds or starts the daemon for a command that changes something.
    static func connect(
        _ finder: DaemonFinder, _ arena: SecretArena
    ) throws(CommandFailure) -> Exchange {
        var asking = Asking()
        while true {
            do {
                var exchange = try Exchange(finder.findOrStart(), arena)
                try exchange.send("org.accountd.Account.GetStatus")
                try exchange.receive(.asking(minimum: 0)) { _, _, _ in }
                return exchange
            } catch { try asking.wait(after: error) }
        }
    }

    /// Waits for a moment, if the failure is one after which to ask again; else throws it.
    private mutating func wait(after failure: CommandFailure) throws(CommandFailure) {
        let now = Clock.monotonicMilliseconds()
        if deadline == 0 { deadline = now + Self.patience }
        guard failure.isUnanswered, now < deadline else { throw failure }
        usleep(pause)
        pause *= 2
    }
}
