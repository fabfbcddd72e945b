import Accounts
import LinuxSystem

/// `account expires`: when the token expires.
enum ExpiresCommand {
    static let format = CommandOption(
        "--format", "F", .word, "how to write it:",
        words: [
            CommandWord("rfc3339", "2026-01-08T00:00:00Z, always in UTC (the default)"),
            CommandWord("unix", "seconds since 1970"),
            CommandWord("seconds", "seconds that are left, negative once it has expired"),
            CommandWord("relative", "\"in 6 days 23 h\" or \"2 days 3 h ago\""),
        ])

    static let description = CommandDescription(
        """
        Prints when the token expires, or when it did; whether it has is for account check.

        """, options: [format])

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var format = "rfc3339"
        while let option = try invocation.nextOption() {
            switch option {
            case Self.format: format = try invocation.value(of: option)
            default: throw Invocation.unknown(option, .expires)
            }
        }
        guard Self.format.words.contains(where: { $0.name == format }) else {
            throw Self.format.refusal(of: format, .expires)
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
