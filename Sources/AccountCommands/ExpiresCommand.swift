import Accounts
import LinuxSystem

/// `account expires`: when the token expires.
enum ExpiresCommand {
    static let help: StaticString = """
        usage: account expires [--format rfc3339|unix|seconds|relative]

        Prints when the token expires, or when it did; whether it has is for account check.

          --format F   rfc3339 (the default): 2026-01-08T00:00:00Z, always in UTC
                       unix: seconds since 1970
                       seconds: seconds that are left, negative once it has expired
                       relative: "in 6 days 23 h" or "2 days 3 h ago"

        """

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var format = "rfc3339"
        while let option = try invocation.nextOption() {
            switch option {
            case "--format": format = try invocation.value(of: option)
            default: throw Invocation.unknown(option, "expires")
            }
        }
        guard ["rfc3339", "unix", "seconds", "relative"].contains(format) else {
            throw .usage(
                "expires knows no format '\(format)'",
                hint: "the formats are rfc3339, unix, seconds and relative")
        }
        var exchange = try Exchange.start(invocation.options, memory: Exchange.smallMemory)
        let verdict = try Verdict.ask(&exchange, minimum: 0)
        try invocation.print(text(verdict, format) + "\n")
        return .done
    }

    /// The answer without its line's end.
    static func text(_ verdict: Verdict, _ format: String) -> String {
        switch format {
        case "unix": "\(verdict.expiresAt)"
        case "seconds": "\(verdict.remaining)"
        case "relative": RelativeTime.text(verdict.remaining)
        default: CivilTime.rfc3339(verdict.expiresAt)
        }
    }
}
