import LinuxSystem

/// Finds the daemon.
///
/// A daemon that is named, by `--socket`, `ACCOUNT_SOCKET` or `--system`, is the one that is meant:
/// there is no other to fall back to, and none is started in its place. So is that of a store that
/// is named, by `--state` or `ACCOUNT_STATE_DIR`, which is reached by the store's own socket.
/// Otherwise the places where this user's daemon may listen are tried in turn.
struct DaemonFinder {
    /// Where the system's daemon listens.
    static let systemSocket = "/run/accountd/socket"
    /// The user that the system's daemon runs as.
    static let systemUser = "accountd"

    let options: GlobalOptions
    /// The command sends a secret, and so must know who gets it.
    let sendsSecret: Bool

    /// Connects to the daemon that runs.
    ///
    /// - Returns: nil when none does.
    /// - Throws: when there is one that must not or cannot be spoken to.
    func find() throws(CommandFailure) -> DaemonConnection? {
        if let path = try namedSocket() {
            return try connect(to: path, .named)
        }
        if options.isSystem {
            return try connect(to: Self.systemSocket, .system)
        }
        if let store = try StoreLocation.chosen(options) {
            return try connect(to: store.socket, .own)
        }
        if let runtime = try Self.sessionDirectory(),
            let connection = try connect(to: runtime + "/account/socket", .own)
        {
            return connection
        }
        if let runtime = Self.usualRuntimeDirectory,
            let connection = try connect(to: runtime + "/account/socket", .own)
        {
            return connection
        }
        let store = try StoreLocation.byDefault()
        return try connect(to: store.socket, .own)
    }

    /// Connects to the daemon, and starts it first when none runs and this command may.
    ///
    /// - Throws: `.noDaemon` when there is none in the end.
    func findOrStart() throws(CommandFailure) -> DaemonConnection {
        if let connection = try find() { return connection }
        if let path = try namedSocket() {
            throw CommandFailure(
                .noDaemon, "no daemon answers at \(path)",
                hint: "start it there: accountd --socket \(ShellWord.quoted(path))")
        }
        if options.isSystem {
            throw CommandFailure(
                .noDaemon, "no daemon answers at \(Self.systemSocket)",
                hint: "start the system's daemon: systemctl start accountd.socket")
        }
        let store = try StoreLocation.of(options)
        return try DaemonStarter(store: store, finder: self).start()
    }

    /// Whether a command may start the daemon when none runs.
    func mayStart() throws(CommandFailure) -> Bool {
        try namedSocket() == nil && !options.isSystem
    }

    /// `--socket`, else `ACCOUNT_SOCKET` unless `--system` or `--state` overrides it.
    private func namedSocket() throws(CommandFailure) -> String? {
        if !options.socket.isEmpty { return options.socket }
        if options.isSystem || !options.stateDirectory.isEmpty { return nil }
        do {
            return try Environment.path("ACCOUNT_SOCKET")
        } catch { throw CommandFailure(error) }
    }

    /// Where this user's daemon listens in a login session. Users.runtimeDirectory()
    private static func sessionDirectory() throws(CommandFailure) -> String? {
        do {
            return try Users.runtimeDirectory()
        } catch { throw CommandFailure(error) }
    }

    /// `/run/user/UID`, where a user manager keeps it; nil unless it is there and this user's.
    static var usualRuntimeDirectory: String? {
        let path = "/run/user/\(Users.currentUID)"
        return Users.ownsDirectory(path) ? path : nil
    }

    private func connect(
        to path: String, _ trust: DaemonConnection.Trust
    ) throws(CommandFailure) -> DaemonConnection? {
        try DaemonConnection.open(
            path, trust, sendsSecret: sendsSecret, timeout: options.timeout)
    }
}
