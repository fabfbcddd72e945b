import Glibc
import LinuxSystem

/// Starts the user's daemon when none runs. docs/PROTOCOL.md, "Where the
/// socket is"
///
/// A daemon that is started here is told `--ready-fd 3`. It writes one line there and closes it:
/// `ready` once it listens, "… holds the store …" when another daemon has it, or why it cannot serve.
struct DaemonStarter {
    /// How long the daemon that has the store may take until it listens, in milliseconds.
    private static let holderTimeout: Int64 = 5000
    /// How long it is waited for before another is started in its place, in milliseconds.
    private static let holderPatience: Int64 = 500
    /// Between two attempts to reach it, in microseconds.
    private static let retryInterval: UInt32 = 10_000

    let store: StoreLocation
    let finder: DaemonFinder

    /// Has the user manager start the daemon, or starts it, and connects.
    ///
    /// - Throws: `.noDaemon` with the reason when there is no daemon in the end.
    func start() throws(CommandFailure) -> DaemonConnection {
        guard store.isOwn(uid: Users.currentUID) else {
            throw CommandFailure(
                .noDaemon, "no daemon runs, and the store at \(store.path) is not yours",
                hint: "use --system, or name your own store with --state DIR")
        }
        if !store.isChosen, UserManager.offersDaemon() {
            try UserManager.startDaemon(timeout: finder.options.timeout)
            if let connection = try waitForDaemon(Self.holderTimeout) { return connection }
            throw CommandFailure(
                .noDaemon, "the user manager has started accountd.socket, and nothing answers",
                hint: "systemctl --user status accountd.socket accountd.service")
        }
        guard Environment.value("INVOCATION_ID") == nil else {
            throw CommandFailure(
                .noDaemon, "no daemon runs, and none is started from within a unit",
                hint: hintWithinUnit)
        }
        return try startHere()
    }

    // Where the user manager runs and has the unit, that has been started.
    private var hintWithinUnit: String {
        if store.isChosen {
            return "run it in a unit of its own: accountd\(storeOptions)"
        }
        return "your user manager starts it where that has accountd.socket and runs: loginctl"
            + " enable-linger; or use --system"
    }

    private func startHere() throws(CommandFailure) -> DaemonConnection {
        let program = try Self.findProgram()
        do {
            // It would not get what is not UTF-8, and would put its key file elsewhere.
            for name in ["HOME", "XDG_CONFIG_HOME"] { _ = try Environment.path(name) }
        } catch { throw CommandFailure(error) }
        let deadline = Clock.monotonicMilliseconds() + Self.holderTimeout
        while true {
            let answer = try run(program)
            let isThere = answer == "ready" || Self.saysHeld(answer)
            if let connection = try waitForDaemon(isThere ? Self.holderPatience : 0) {
                return connection
            }
            // Its socket may have been taken away since, and so it ends. Of many that wait for it
            // one has to start the next.
            if isThere, Clock.monotonicMilliseconds() < deadline { continue }
            throw CommandFailure(
                .noDaemon,
                answer.isEmpty
                    ? "the daemon ended before it was ready"
                    : "the daemon could not start: \(answer)",
                hint: "to see more, run it by itself: \(ShellWord.quoted(program)) --verbose"
                    + (store.isChosen ? storeOptions : ""))
        }
    }

    // For a command line that is shown.
    private var storeOptions: String {
        " --state \(ShellWord.quoted(store.path)) --socket \(ShellWord.quoted(store.socket))"
    }

    // Word by word: to look for a text within a text would link the library of regular expressions,
    // whose tables cost each start of this program 36,000 instructions.
    private static func saysHeld(_ line: String) -> Bool {
        for word in line.split(whereSeparator: { $0 == " " }) where word == "holds" { return true }
        return false
    }

    // Runs the program until it has said what has become of it.
    private func run(_ program: String) throws(CommandFailure) -> String {
        var arguments = ["--ready-fd", "\(ChildProcess.passedDescriptor)"]
        if store.isChosen {
            // The store is not the usual one: its daemon must not take the usual one's place.
            arguments += ["--state", store.path, "--socket", store.socket]
        }
        do {
            // What this command may take is no measure for a daemon that outlives it.
            return try ResourceLimits.withoutSoftLimits { () throws(Errno) in
                try ReadinessPipe(
                    starting: program, arguments: arguments, environment: Self.environment())
            }.readLine(timeout: finder.options.timeout)
        } catch {
            guard error == .timedOut else { throw .system("cannot start \(program)", error) }
            throw CommandFailure(
                .timedOut, "the daemon was not ready within \(finder.options.timeout) s",
                hint: "give it more time with --timeout D")
        }
    }

    // Looks at least once.
    private func waitForDaemon(
        _ milliseconds: Int64
    ) throws(CommandFailure) -> DaemonConnection? {
        let deadline = Clock.monotonicMilliseconds() + milliseconds
        while true {
            if let connection = try finder.find() { return connection }
            guard Clock.monotonicMilliseconds() < deadline else { return nil }
            usleep(Self.retryInterval)
        }
    }

    /// The daemon's program, beside the one that runs or where packages put such programs.
    ///
    /// PATH is not looked at.
    private static func findProgram() throws(CommandFailure) -> String {
        let own: String
        do { own = try ChildProcess.executablePath() } catch {
            throw .system(
                "cannot tell where this program stands, and so where accountd is", error,
                hint: "if it was just upgraded, run the command again")
        }
        let directory = Files.split(own).parent
        for candidate in [
            directory + "/accountd", directory + "/../libexec/accountd", "/usr/libexec/accountd",
        ] {
            guard let status = try? FileStatus.of(path: candidate, following: true),
                status.kind == .regular, status.permissions & 0o111 != 0
            else { continue }
            return candidate
        }
        throw CommandFailure(
            .noDaemon, "no daemon runs, and there is no accountd beside this program",
            hint: "install accountd in \(directory), or start it yourself")
    }

    /// What the daemon gets of the environment.
    static func environment() -> [String] {
        kept(of: Environment.all()) + ["SWIFT_BACKTRACE=enable=no"]
    }

    /// The variables that say where things are, and no others.
    static func kept(of environment: [String]) -> [String] {
        environment.filter { entry in
            let name = entry.prefix(while: { $0 != "=" })
            return name == "HOME" || name == "PATH" || name == "ACCOUNT_STATE_DIR"
                || name.hasPrefix("XDG_")
        }
    }
}
