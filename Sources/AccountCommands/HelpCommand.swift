/// `account help`, `--help` and `--version`.
enum HelpCommand {
    /// The commands, in the order in which they are listed.
    static let commands: [(name: String, help: StaticString)] = [
        ("login", LoginCommand.help), ("show", ShowCommand.help), ("token", TokenCommand.help),
        ("header", HeaderCommand.help), ("expires", ExpiresCommand.help),
        ("check", CheckCommand.help), ("logout", LogoutCommand.help),
        ("status", StatusCommand.help), ("doctor", DoctorCommand.help),
        ("exit-codes", ExitCodesCommand.help), ("help", help),
    ]

    static let help: StaticString = """
        usage: account help [COMMAND]

        Says what account does, or how COMMAND is used.

        """

    /// What `account help` says.
    static let overview: StaticString = """
        usage: account [options] COMMAND [options]

        Keeps the account of a Sina Weibo user: who it is, the OAuth2 token, and when it expires.
        The account is held by a daemon, accountd, which is started when it is needed.

          login        store the account from a token response of Weibo's
          show         who is logged in, and until when
          token        print the token, if it is good
          header       print the token as an HTTP header
          expires      print when the token expires
          check        is the token good for long enough?
          logout       forget the account
          status       show the daemon, without starting it
          doctor       look for what is wrong, and repair it
          exit-codes   what the exit statuses mean
          help         how a command is used

        Options of every command:
          --socket PATH   ask the daemon that listens there (also: ACCOUNT_SOCKET)
          --system        ask the system's daemon
          --state DIR     use the account that is kept in DIR (also: ACCOUNT_STATE_DIR)
          --timeout D     how long an answer may take (10 s)
          --no-input      never ask for anything
          -h, --help      how the command is used
          --version       the version of this program

        D is a duration: 90, 90s, 10m, 6h, 7d or 1h30m.

        """

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        guard let word = try invocation.nextWord() else {
            try invocation.print(overview)
            return .done
        }
        try invocation.takeNoOptions(of: "help")
        try print(helpOf: word, invocation)
        return .done
    }

    /// Prints how a command is used.
    static func print(
        helpOf command: String, _ invocation: Invocation
    ) throws(CommandFailure) {
        for entry in commands where entry.name == command {
            return try invocation.print(entry.help)
        }
        throw unknown(command)
    }

    /// Whether there is such a command.
    static func knows(_ command: String) -> Bool { commands.contains { $0.name == command } }

    /// The long options of a command, and those that every command has, as the help names them.
    static func options(of command: String) -> [String] {
        let texts = commands.filter { $0.name == command }.map { "\($0.help)" } + ["\(overview)"]
        return texts.flatMap { text in
            text.split { !($0.isLetter || $0 == "-") }.map(String.init).filter {
                $0.hasPrefix("--")
            }
        }
    }

    /// There is no such command; one whose name is near may have been meant.
    static func unknown(_ command: String) -> CommandFailure {
        let names = command.hasPrefix("-") ? options(of: "") : commands.map(\.name)
        let near = NearMatch.of(command, among: names)
        return .usage(
            command.hasPrefix("-")
                ? "account has no option \(command)" : "account has no command '\(command)'",
            hint: near.map { "did you mean account \($0)?" } ?? "account help lists the commands")
    }
}
