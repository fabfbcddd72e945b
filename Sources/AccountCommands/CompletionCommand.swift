/// `account completion`: a script by which a shell completes the command line.
enum CompletionCommand {
    private static let shells = [
        CommandWord("bash", "the script for bash, 4 or later"),
        CommandWord("zsh", "the script for zsh"), CommandWord("fish", "the script for fish"),
    ]

    static let description = CommandDescription(
        usage: "bash|zsh|fish",
        """
        Prints a script by which the shell completes commands, options and their values. The script
        runs no program and asks no daemon. make install has put it where the shells look for it;
        without that, have your shell read it:

          source <(account completion bash)   in ~/.bashrc
          source <(account completion zsh)    in ~/.zshrc, after compinit
          account completion fish | source    in ~/.config/fish/config.fish

        """, operands: shells)

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        guard let shell = try invocation.nextWord() else {
            throw .usage("completion needs the name of a shell", hint: hint)
        }
        let script: String
        switch shell {
        case "bash": script = BashCompletion.script
        case "zsh": script = ZshCompletion.script
        case "fish": script = FishCompletion.script
        default:
            guard !shell.hasPrefix("-") else { throw Invocation.unknown(shell, .completion) }
            throw .usage("completion knows no shell '\(shell)'", hint: hint)
        }
        try invocation.takeNoOptions(of: .completion)
        try invocation.print(script)
        return .done
    }

    private static let hint = "the shells are bash, zsh and fish"
}
