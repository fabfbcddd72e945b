import Accounts
import JSON
import SecretMemory
import Varlink

/// `account token`: the token alone, on stdout.
enum TokenCommand {
    /// Bytes of the longest token with an escape for each of its bytes, and what stands around it.
    private static let maximumOutput = 2 * AccountField.maximumTokenLength + 256

    static let header: StaticString = "Authorization: OAuth2 "

    private static let noNewline = CommandOption(
        "--no-newline", "do not end the token with a line's end")
    private static let json = CommandOption(
        "--json", "print access_token, uid and expires_at as JSON")

    static let description = CommandDescription(
        """
        Prints the access token and nothing else. When the token has expired, or is good for less
        than D, nothing is printed and the exit status is 1.

        """, options: [.minValidity, noNewline, json])

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var minimum: Int64 = 0
        var endsLine = true
        var isJSON = false
        while let option = try invocation.nextOption() {
            switch option {
            case .minValidity: minimum = try invocation.duration(of: option)
            case Self.noNewline: endsLine = false
            case Self.json: isJSON = true
            default: throw Invocation.unknown(option, .token)
            }
        }
        try print(invocation, minimum, isJSON ? .json : .bare, endsLine)
        return .done
    }

    /// What stands around the token.
    enum Form {
        case bare, header, json
    }

    /// Asks for the token and prints it.
    ///
    /// It goes from one locked page to another and to stdout.
    static func print(
        _ invocation: Invocation, _ minimum: Int64, _ form: Form, _ endsLine: Bool
    ) throws(CommandFailure) {
        var exchange = try Exchange.start(invocation.options, memory: Exchange.smallMemory)
        try exchange.send("org.accountd.Account.GetToken", minimum: minimum)
        try exchange.receive()
        var output = try Output(exchange.arena, capacity: 128, limit: maximumOutput)
        let isPlain = try exchange.withText { text throws(CommandFailure) in
            guard let token = TokenAnswer(plain: text) else { return false }
            try output.append(token, form, text)
            return true
        }
        if !isPlain { try read(&exchange, .asking(minimum: minimum), form, &output) }
        if endsLine { try output.append("\n") }
        try output.flush(to: invocation.descriptors.output)
    }

    // An answer with spaces or escapes in it, or an error.
    private static func read(
        _ exchange: inout Exchange, _ task: CommandFailure.Task, _ form: Form,
        _ output: inout Output
    ) throws(CommandFailure) {
        let path = exchange.path
        try exchange.read(task) { answer, index, text throws(CommandFailure) in
            guard let token = TokenAnswer(answer, index, text) else { throw .notUnderstood(path) }
            if form == .json {
                try output.append(token, form, text)
            } else {
                if form == .header { try output.append(header) }
                guard let node = answer.field("access_token", index, text),
                    try output.append(token: node, index, text)
                else { throw .notUnderstood(path) }
            }
        }
    }
}
