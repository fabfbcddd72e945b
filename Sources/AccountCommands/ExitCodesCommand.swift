/// `account exit-codes`: what the exit statuses mean.
enum ExitCodesCommand {
    static let description = CommandDescription(
        """
        Prints the exit statuses of every command and what they mean.

        """)

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        try invocation.takeNoOptions(of: .exitCodes)
        try invocation.print(text)
        return .done
    }

    /// One line for each, its number first.
    static var text: String {
        var text = ""
        for status in ExitStatus.allCases {
            let number = "\(status.rawValue)"
            text += number + String(repeating: " ", count: 4 - number.utf8.count)
            text += "\(status.meaning)\n"
        }
        return text
    }
}
