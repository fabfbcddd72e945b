/// `account help`, `--help` and `--version`.
enum HelpCommand {
    static let description = CommandDescription(
        usage: "[COMMAND]",
        """
        Says what account does, or how COMMAND is used.

        """, operands: Command.listed.map { CommandWord($0.name, $0.summary) })

    /// What `account help` says.
    static var overview: String {
        """
        usage: account [options] COMMAND [options]

        Keeps the account of a Sina Weibo user: who it is, the OAuth2 token, and when it expires.
        The account is held by a daemon, accountd, which is started when it is needed.

        \(CommandDescription.columns(description.operands))
        Options of every command:
        \(CommandDescription.list(GlobalOptions.all))
        D is a duration: 90, 90s, 10m, 6h, 7d or 1h30m.

        """
    }

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        guard invocation.request == .none, let word = try invocation.nextWord() else {
            try invocation.print(overview)
            return .done
        }
        try invocation.takeNoOptions(of: .help)
        guard let command = Command.named(word) else {
            throw word.hasPrefix("-") ? Invocation.unknown(word, .help) : unknown(word)
        }
        return try print(helpOf: command, invocation)
    }

    /// Prints how a command is used.
    static func print(
        helpOf command: Command, _ invocation: Invocation
    ) throws(CommandFailure) -> ExitStatus {
        try invocation.print(command.description.help(of: command.name))
        return .done
    }

    /// There is no such command; one whose name is near may have been meant.
    static func unknown(_ command: String) -> CommandFailure {
        let isOption = command.hasPrefix("-")
        let names = isOption ? GlobalOptions.all.map(\.name) : Command.listed.map(\.name)
        let near = NearMatch.of(command, among: names)
        return .usage(
            isOption
                ? "account has no option \(command)" : "account has no command '\(command)'",
            hint: near.map { "did you mean account \($0)?" } ?? "account help lists the commands")
    }
}
