import LinuxSystem

/// The user's service manager, where there is one that knows the daemon. systemd.unit(5)
enum UserManager {
    /// The unit that listens in the daemon's place.
    private static let unit = "accountd.socket"
    private static let programs = ["/usr/bin/systemctl", "/bin/systemctl"]
    /// The directories that hold user units, after those of the user.
    private static let unitDirectories = [
        "/etc/systemd/user", "/run/systemd/user", "/usr/local/lib/systemd/user",
        "/usr/lib/systemd/user", "/lib/systemd/user",
    ]

    /// Whether a user manager runs and has the daemon's socket unit.
    static func offersDaemon() -> Bool {
        guard let runtime = runtimeDirectory, exists(runtime + "/systemd/private") else {
            return false
        }
        return offersUnit(in: ownUnitDirectories(runtime) + unitDirectories)
    }

    /// Whether the first of the directories that has the unit offers it: a link to /dev/null there
    /// is how it is masked.
    static func offersUnit(in directories: [String]) -> Bool {
        for directory in directories {
            let path = directory + "/" + unit
            guard exists(path) else { continue }
            return (try? Files.readLink(path)) != "/dev/null"
        }
        return false
    }

    /// Has it listen.
    ///
    /// - Parameter timeout: seconds.
    static func startDaemon(timeout: Int64) throws(CommandFailure) {
        guard let program = programs.first(where: exists) else {
            throw failure("systemctl is not installed")
        }
        let status: Int32
        do {
            let systemctl = try ReadinessPipe(
                starting: program,
                arguments: ["--user", "--quiet", "--no-ask-password", "start", unit],
                environment: environment(of: Environment.all(), runtime: runtimeDirectory))
            // It says nothing there; that the pipe is closed tells that it has ended.
            _ = try systemctl.readLine(timeout: timeout)
            status = try ChildProcess.wait(for: systemctl.pid)
        } catch { throw failure(error.message) }
        guard status == 0 else { throw failure("systemctl ended with status \(status)") }
    }

    private static func failure(_ reason: String) -> CommandFailure {
        CommandFailure(
            .noDaemon, "the user manager could not start \(unit): \(reason)",
            hint: "systemctl --user status \(unit)")
    }

    private static var runtimeDirectory: String? {
        (try? Users.runtimeDirectory()) ?? DaemonFinder.usualRuntimeDirectory
    }

    private static func ownUnitDirectories(_ runtime: String) -> [String] {
        let home = (try? Users.homeDirectory()) ?? ""
        let configuration = (try? Environment.absolutePath("XDG_CONFIG_HOME")) ?? home + "/.config"
        let data = (try? Environment.absolutePath("XDG_DATA_HOME")) ?? home + "/.local/share"
        return [
            configuration + "/systemd/user", runtime + "/systemd/user", data + "/systemd/user",
        ]
    }

    /// What systemctl gets of the environment, and where the manager is: a cron job or a service
    /// has no variable that says so, and after `su` it tells of another user's.
    static func environment(of all: [String], runtime: String?) -> [String] {
        let kept = DaemonStarter.kept(of: all).filter { !$0.hasPrefix("XDG_RUNTIME_DIR=") }
        guard let runtime else { return kept }
        return kept + ["XDG_RUNTIME_DIR=\(runtime)"]
    }

    private static func exists(_ path: String) -> Bool {
        (try? FileStatus.of(path: path, following: false)) != nil
    }
}
