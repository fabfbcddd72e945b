import Foundation
import Testing

/// A home directory of one test's own, and the daemons that serve its account.
///
/// Whatever runs for it is ended with it.
final class Home {
    /// How the account's daemon is found.
    enum Kind {
        /// By the store, which is named. Nothing beside the home is looked at.
        case chosen
        /// By XDG_RUNTIME_DIR, as in a login session.
        case session
        /// With HOME alone, as cron runs its jobs.
        case cron
    }

    /// What every command gets.
    static let bare = ["PATH": "/usr/bin:/bin"]

    /// Absolute.
    let path: String
    /// The folder of the programs.
    var programs: String
    /// What commands get of an environment.
    var environment: [String: String]
    /// Words before each command's own: a program that runs it elsewhere or as another user.
    var prefix: [String] = []
    /// Daemons that were started by the test itself, and so are its children.
    private var children: [pid_t] = []

    /// The state directory.
    var state: String { path + "/.local/state/account" }
    /// The key file.
    var keyFile: String { path + "/.config/account/key" }
    /// The sealed account.
    var account: String { state + "/account.plist.sealed" }
    /// The socket, or what leads to it.
    var socket: String { state + "/socket" }

    /// Makes one, lends it, and ends it.
    static func with(_ kind: Kind = .chosen, _ body: (Home) throws -> Void) throws {
        let home = try Home(kind)
        defer { home.end() }
        try body(home)
    }

    private init(_ kind: Kind) throws {
        // What is written to a command that has ended is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        programs = try #require(Programs.folder)
        path =
            URL(fileURLWithPath: NSTemporaryDirectory()).path + "/account-e2e-"
            + UUID().uuidString
            .prefix(8)
        environment = Self.bare.merging([
            "HOME": path, "PATH": programs + ":/usr/bin:/bin:/usr/sbin:/sbin",
        ]) { _, own in own }
        try makeFolder(path)
        switch kind {
        case .chosen: environment["ACCOUNT_STATE_DIR"] = state
        case .session:
            environment["XDG_RUNTIME_DIR"] = path + "/run"
            try makeFolder(path + "/run")
        case .cron: break
        }
    }

    /// Makes a folder for its owner alone.
    func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// Changes a file's mode.
    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Makes the home another user's.
    func giveAway(to uid: Int) throws {
        try FileManager.default.setAttributes(
            [.ownerAccountID: uid, .groupOwnerAccountID: uid], ofItemAtPath: path)
        try copyPrograms()
    }

    /// Has the programs stand where every user can run them.
    func copyPrograms() throws {
        try setMode(0o755, of: path)
        let folder = path + "/bin"
        // By another process: while a descriptor for writing was open somewhere in this one, they
        // could not be run.
        let copy = try Launch.run(
            [
                "/bin/sh", "-c", "mkdir \"$2\" && cp \"$1\"/account \"$1\"/accountd \"$2\"", "sh",
                programs, folder,
            ], environment: Self.bare)
        try #require(copy.status == 0)
        try setMode(0o755, of: folder)
        programs = folder
    }

    // MARK: Commands

    /// Runs `account`.
    func account(
        _ words: String..., input: String = "", adding: [String: String] = [:],
        timeout: Double = 30
    ) throws -> CommandResult {
        try run(
            [programs + "/account"] + words, input: Array(input.utf8), adding: adding,
            timeout: timeout)
    }

    /// Runs a shell's script; `account` and `accountd` are in its PATH.
    func shell(
        _ script: String, input: String = "", adding: [String: String] = [:], timeout: Double = 60
    ) throws -> CommandResult {
        try run(
            ["/bin/bash", "-c", script], input: Array(input.utf8), adding: adding,
            timeout: timeout)
    }

    /// Runs a command; an empty value of `adding` takes a variable away.
    func run(
        _ words: [String], input: [UInt8] = [], adding: [String: String] = [:],
        timeout: Double = 30
    ) throws -> CommandResult {
        try Launch.run(
            prefix + words, environment: environment(adding), input: input, timeout: timeout)
    }

    private func environment(_ adding: [String: String]) -> [String: String] {
        environment.merging(adding) { _, other in other }.filter { !$0.value.isEmpty }
    }

    // MARK: Daemons

    /// Starts a daemon in the foreground, and waits until it serves.
    ///
    /// - Parameter errors: a file for what it says; by default nothing is kept.
    @discardableResult
    func startDaemon(
        _ options: [String] = [], adding: [String: String] = [:], errors: String = "/dev/null"
    ) throws -> pid_t {
        let readiness = try Pipe()
        // SAFETY: the paths are ended by NUL.
        let log = unsafe open(errors, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(log)
            close(null)
        }
        let own = environment["ACCOUNT_STATE_DIR"] == nil ? [] : ["--socket", socket]
        let pid = try Launch.start(
            prefix + [programs + "/accountd", "--ready-fd", "3"] + own + options,
            environment: environment(adding),
            passing: [(null, 0), (null, 1), (log, 2), (readiness.writer, 3)])
        children.append(pid)
        readiness.closeWriter()
        let line = try readiness.readToEnd()
        try #require(line == "ready\n", "the daemon says: \(line)")
        return pid
    }

    /// Starts a program that serves the test and is ended with the home.
    func startHelper(_ words: [String], output: Pipe) throws -> pid_t {
        let pid = try Launch.start(
            words, environment: environment, passing: [(output.writer, 1), (output.writer, 2)])
        children.append(pid)
        output.closeWriter()
        return pid
    }

    /// The process that holds the store; nil when none does.
    var daemon: pid_t? {
        guard let text = try? String(contentsOfFile: state + "/lock", encoding: .utf8),
            let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            ProcessTable.isRunning(pid),
            ProcessTable.words(pid, "cmdline").contains(where: { $0.hasSuffix("/accountd") })
        else { return nil }
        // The number may be another process's by now. (An environment may not be readable.)
        let environment = ProcessTable.text(pid, "environ") ?? path
        let isOwn =
            environment.contains(path)
            || ProcessTable.text(pid, "cmdline")?.contains(path) ?? false
        return isOwn ? pid : nil
    }

    /// Every daemon that runs for this home, as far as this user can tell.
    var daemons: [pid_t] {
        geteuid() == 0 ? ProcessTable.naming(path) : [daemon].compactMap { $0 }
    }

    /// Ends the daemon that holds the store, and waits until it has ended.
    func endDaemon(_ signal: Int32 = SIGTERM) throws {
        let pid = try #require(daemon)
        kill(pid, signal)
        #expect(hasEnded(pid))
    }

    /// Waits until a process has ended; a child is reaped.
    func hasEnded(_ pid: pid_t, within timeout: Double = 10) -> Bool {
        ProcessTable.wait(timeout) { !ProcessTable.isRunning(pid) }
    }

    /// The exit status of a daemon that the test has started.
    func status(ofDaemon pid: pid_t) -> Int32? {
        guard let index = children.firstIndex(of: pid) else { return nil }
        children.remove(at: index)
        return Launch.wait(pid, until: Date(timeIntervalSinceNow: 10))
    }

    // MARK: The end

    private func end() {
        if let daemon { kill(daemon, SIGKILL) }
        for pid in children { kill(pid, SIGKILL) }
        for pid in children { _ = Launch.wait(pid, until: Date(timeIntervalSinceNow: 5)) }
        let left = ProcessTable.wait(5) {
            let left = ProcessTable.naming(path)
            for pid in left { kill(pid, SIGKILL) }
            return left.isEmpty
        }
        #expect(left, "processes of \(path) do not end")
        // What a test has closed to its owner is opened again.
        _ = try? Launch.run(
            ["/bin/sh", "-c", "chmod -R u+rwx \"$1\" 2>/dev/null; rm -rf \"$1\"", "sh", path],
            environment: Self.bare)
    }
}
