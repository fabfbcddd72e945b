import LinuxSystem

/// Where the store, its key and its socket are. docs/FORMAT.md, "Files"
struct StorePaths: Sendable {
    let state: String
    let keyFile: KeyFilePath
    /// Where the service manager has put the credential, if it has passed any. systemd.exec(5)
    let credential: KeyFilePath?
    /// Nil where a socket was passed.
    let socket: String?
    /// Directories besides the store that belong to this program, whether they are there or not.
    let ownDirectories: [String]

    static let socketName = "socket"

    init(_ options: DaemonOptions, socketIsPassed: Bool) throws(StartError) {
        if let given = options.state {
            state = try Self.absolute(given)
        } else {
            state = try Self.absolute(Self.defaultState())
        }
        if let given = options.keyFile {
            keyFile = KeyFilePath(path: try Self.absolute(given), isDefault: false)
        } else {
            keyFile = KeyFilePath(
                path: try Self.defaultKeyFile(), isDefault: true,
                mayBeShared: try Self.usualState() != state)
        }
        credential = try Self.absoluteVariable("CREDENTIALS_DIRECTORY").map {
            KeyFilePath(
                path: "\($0)/\(KeyFilePath.credentialName)", isDefault: false, isCredential: true)
        }
        var own = keyFile.isDefault ? [Files.split(keyFile.path).parent] : []
        if socketIsPassed {
            socket = nil
        } else if let given = options.socket {
            socket = try Self.absolute(given)
        } else if let runtime = try Self.runtimeDirectory() {
            let directory = "\(Files.withoutTrailingSlashes(runtime))/account"
            socket = "\(directory)/\(Self.socketName)"
            own.append(directory)
        } else {
            socket = "\(state)/\(Self.socketName)"
        }
        ownDirectories = own
    }

    private static func defaultState() throws(StartError) -> String {
        if let given = try variable("ACCOUNT_STATE_DIR") { return given }
        if let usual = try usualState() { return usual }
        return try home("--state") + usualPlace
    }

    // Below the home directory.
    private static let usualPlace = "/.local/state/account"

    /// The store of a user who has named no other; nil where there is no home for it.
    private static func usualState() throws(StartError) -> String? {
        if let state = try absoluteVariable("XDG_STATE_HOME") { return "\(state)/account" }
        return try named { () throws(NotUTF8) in try Users.homeDirectory() }
            .map { $0 + usualPlace }
    }

    private static func defaultKeyFile() throws(StartError) -> String {
        if let config = try absoluteVariable("XDG_CONFIG_HOME") { return "\(config)/account/key" }
        return try home("--key-file") + "/.config/account/key"
    }

    private static func home(_ option: String) throws(StartError) -> String {
        let home = try named { () throws(NotUTF8) in try Users.homeDirectory() }
        if let home { return home }
        throw .refused("there is no home directory (HOME is unset); give \(option)")
    }

    // The specification has relative paths ignored.
    private static func absoluteVariable(_ name: String) throws(StartError) -> String? {
        try named { () throws(NotUTF8) in try Environment.absolutePath(name) }
            .map(Files.withoutTrailingSlashes)
    }

    private static func runtimeDirectory() throws(StartError) -> String? {
        try named { () throws(NotUTF8) in try Users.runtimeDirectory() }
    }

    private static func variable(_ name: String) throws(StartError) -> String? {
        try named { () throws(NotUTF8) in try Environment.path(name) }
    }

    private static func named(
        _ read: () throws(NotUTF8) -> String?
    ) throws(StartError) -> String? {
        do {
            return try read()
        } catch { throw .refused("\(error.what) is not UTF-8, as paths have to be") }
    }

    private static func absolute(_ path: String) throws(StartError) -> String {
        if Files.isAbsolute(path) { return Files.withoutTrailingSlashes(path) }
        do throws(Errno) {
            return Files.withoutTrailingSlashes(
                "\(try Files.readLink("/proc/self/cwd"))/\(path)")
        } catch { throw .system("the working directory cannot be told", error) }
    }
}
