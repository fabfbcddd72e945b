import Accounts

/// The daemon's command line. accountd(8)
struct DaemonOptions: Equatable {
    /// `--secret-memory`.
    enum SecretMemoryChoice: String { case auto, memfd, locked }

    /// What it asks for besides serving.
    enum Request { case serve, help, version }

    var request = Request.serve
    var socket: String?
    var state: String?
    var keyFile: String?
    var secretMemory = SecretMemoryChoice.auto
    var requiresLockedMemory = false
    var readers: String?
    var observers: String?
    var isVerbose = false
    /// Seconds.
    var lockAfterIdle: Int64?
    var lockAfter: Int64?
    /// Where readiness, or the reason for the lack of it, is written: one line.
    var readyDescriptor: Int32?

    static let help = """
        usage: accountd [options]

        Holds the Sina Weibo account of one store and answers for it on a Unix socket. It stays in
        the foreground; `account` starts it by itself where no service manager does.

          --socket PATH             listen here (default: $XDG_RUNTIME_DIR/account/socket,
                                    else STATE/socket); a socket passed by systemd comes first
          --state DIR               the store (default: $ACCOUNT_STATE_DIR,
                                    $XDG_STATE_HOME/account, ~/.local/state/account)
          --key-file FILE           the key that opens it (default: $XDG_CONFIG_HOME/account/key,
                                    ~/.config/account/key)
          --secret-memory KIND      auto, memfd or locked (default: auto)
          --require-locked-memory   do not start where memory cannot be locked
          --lock-after-idle D       lock the store when it was not used for that long
          --lock-after D            lock the store that long after it was opened
          --readers GROUP           members may ask for the account and its token
          --observers GROUP         members may ask for the status and the expiry
          --verbose                 write access records to standard error
          --ready-fd N              write a line to this descriptor once it serves, or why it does not
          -h, --help                how it is used
          --version                 the version of this program

        """

    private static func duration(_ text: String, _ name: String) throws(StartError) -> Int64 {
        guard let seconds = DurationText.parse(text), seconds > 0 else {
            throw .usage("\(name) is a duration like 10m or 6h, not \(text)")
        }
        return seconds
    }

    /// Reads arguments, the program's name left out.
    init(_ arguments: [String]) throws(StartError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            var name = argument
            var attached: String?
            // By bytes: what follows the sign may be a letter that combines with it.
            let bytes = argument.utf8
            if bytes.starts(with: "--".utf8),
                let equals = bytes.firstIndex(of: UInt8(ascii: "="))
            {
                name = String(Substring(bytes[..<equals]))
                attached = String(Substring(bytes[bytes.index(after: equals)...]))
            }
            func value() throws(StartError) -> String {
                guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
                    throw .usage("\(name) needs a value")
                }
                return value
            }
            switch name {
            case "--socket": socket = try value()
            case "--state": state = try value()
            case "--key-file": keyFile = try value()
            case "--secret-memory":
                let kind = try value()
                guard let choice = SecretMemoryChoice(rawValue: kind) else {
                    throw .usage("--secret-memory is auto, memfd or locked, not \(kind)")
                }
                secretMemory = choice
            case "--lock-after-idle": lockAfterIdle = try Self.duration(value(), name)
            case "--lock-after": lockAfter = try Self.duration(value(), name)
            case "--readers": readers = try value()
            case "--observers": observers = try value()
            case "--ready-fd":
                let number = try value()
                guard let descriptor = Int32(number), descriptor > 2 else {
                    throw .usage("--ready-fd is a descriptor above 2, not \(number)")
                }
                readyDescriptor = descriptor
            default:
                guard attached == nil else { throw .usage("\(name) takes no value, or is unknown") }
                switch name {
                case "--require-locked-memory": requiresLockedMemory = true
                case "--verbose": isVerbose = true
                case "--help", "-h": request = .help
                case "--version": request = .version
                default: throw .usage("\(argument) is not an option of accountd")
                }
            }
        }
    }
}
