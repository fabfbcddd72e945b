import Accounts

/// What every command takes: which daemon, which store, how long to wait, whether to ask.
struct GlobalOptions: Sendable {
    /// Seconds that a call may take unless `--timeout` says otherwise.
    static let defaultTimeout: Int64 = 10
    /// The longest `--timeout`, in seconds.
    static let maximumTimeout: Int64 = 86_400

    private static let socketOption = CommandOption(
        "--socket", "PATH", .file, "ask the daemon that listens there (also: ACCOUNT_SOCKET)",
        rival: "--system")
    private static let systemOption = CommandOption(
        "--system", "ask the system's daemon", rival: "--socket")
    private static let stateOption = CommandOption(
        "--state", "DIR", .directory,
        "use the account that is kept in DIR (also: ACCOUNT_STATE_DIR)")
    private static let timeoutOption = CommandOption(
        "--timeout", "D", .text, "how long an answer may take (10 s)")
    private static let noInputOption = CommandOption("--no-input", "never ask for anything")

    /// The options that every command takes.
    static let all: [CommandOption] = [
        socketOption, systemOption, stateOption, timeoutOption, noInputOption, .help, .version,
    ]

    /// `--socket`: the daemon's socket; empty when it is not given. (An optional text would be
    /// copied by way of its type's metadata, whose making costs a process 35,000 instructions.)
    var socket = ""
    /// `--system`: the system's daemon.
    var isSystem = false
    /// `--state`: the store whose daemon is meant; empty when it is not given.
    var stateDirectory = ""
    /// `--timeout`, in seconds.
    var timeout = defaultTimeout
    /// Whether `--timeout` was given.
    var hasTimeout = false
    /// Whether a person may be asked; `--no-input` says no.
    var mayPrompt = true

    /// Takes an option, if it is one of these.
    ///
    /// - Returns: whether it was.
    mutating func take(
        _ option: String, _ arguments: inout ArgumentReader
    ) throws(CommandFailure) -> Bool {
        switch option {
        case Self.socketOption:
            socket = try Self.path(arguments.value(of: option), option)
        case Self.systemOption:
            isSystem = true
        case Self.stateOption:
            stateDirectory = try Self.path(arguments.value(of: option), option)
        case Self.timeoutOption:
            let seconds = try Self.duration(arguments.value(of: option), option)
            guard 0 < seconds, seconds <= Self.maximumTimeout else {
                throw .usage("--timeout must be between 1 second and 1 day")
            }
            timeout = seconds
            hasTimeout = true
        case Self.noInputOption:
            mayPrompt = false
        default:
            return false
        }
        if !socket.isEmpty, isSystem { throw .usage("--socket and --system exclude each other") }
        return true
    }

    /// Reads the value of an option that takes a path.
    static func path(
        _ value: String, _ option: String
    ) throws(CommandFailure) -> String {
        guard !value.isEmpty else { throw .usage("\(option) needs a path, not an empty text") }
        return value
    }

    /// Reads the value of an option that takes a duration, in seconds.
    static func duration(
        _ value: String, _ option: String
    ) throws(CommandFailure) -> Int64 {
        guard let seconds = DurationText.parse(value) else {
            throw .usage(
                "\(option) takes a duration, not '\(value)'",
                hint: "durations are written 90, 90s, 10m, 6h, 7d or 1h30m")
        }
        return seconds
    }
}
