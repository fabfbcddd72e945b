/// `account header`: the token as the header that Weibo wants.
enum HeaderCommand {
    static let description = CommandDescription(
        """
        Prints "Authorization: OAuth2 TOKEN" on a line. When the token has expired, or is good for
        less than D, nothing is printed and the exit status is 1.

        """, options: [.minValidity],
        notes: """
            curl -H @<(account header) URL sends its request without a token when this command fails;
            so check first: account check --quiet && curl -H @<(account header) URL

            """)

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var minimum: Int64 = 0
        while let option = try invocation.nextOption() {
            switch option {
            case .minValidity: minimum = try invocation.duration(of: option)
            default: throw Invocation.unknown(option, .header)
            }
        }
        try TokenCommand.print(invocation, minimum, .header, true)
        return .done
    }
}
