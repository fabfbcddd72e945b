import Accounts
import LinuxSystem
import SecretMemory
import Varlink

/// `account show`: the account, without its token.
enum ShowCommand {
    private static let json = CommandOption(
        "--json", "print it as JSON; times as seconds since 1970 and as RFC 3339")

    static let description = CommandDescription(
        """
        Shows who is logged in, when the token was granted, when it expires, and how the store is
        protected. The token itself is never shown here.

        """, options: [json])

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var isJSON = false
        while let option = try invocation.nextOption() {
            switch option {
            case Self.json: isJSON = true
            default: throw Invocation.unknown(option, .show)
            }
        }
        var exchange = try Exchange.start(invocation.options, memory: 2 * Exchange.smallMemory)
        // Both calls at once: they are answered in order.
        try exchange.send(limit: 256) { out throws(SecretMemoryError) in
            try MessageWriter.beginCall("org.accountd.Account.GetAccount", &out).end(&out)
            try MessageWriter.beginCall("org.accountd.Account.GetStatus", &out).end(&out)
        }
        let account = try AccountDescription.receive(&exchange, .asking(minimum: 0))
        let status = try StatusDescription.receive(&exchange)
        try invocation.print(
            isJSON ? json(account, status.protection) : text(account, status.protection))
        return .done
    }

    /// The account for people.
    static func text(_ account: AccountDescription, _ protection: [String]) -> String {
        var table = TextTable()
        table.add("uid", account.uid)
        table.add("screen name", account.screenName)
        table.add("avatar", account.avatarLarge)
        table.add("granted", granted(account))
        table.add("expires", account.expiry)
        if let refused = account.refused {
            let meaning = WeiboError.meaning(of: refused) ?? "a code that is not known here"
            table.add("refused", "by Weibo with \(refused): \(meaning)")
        }
        table.add("protection", protection.joined(separator: ", "))
        return table.text
    }

    private static func granted(_ account: AccountDescription) -> String? {
        guard let issuedAt = account.issuedAt else { return nil }
        let date = CivilTime.rfc3339(issuedAt)
        return account.expiresIn.map { "\(date) for \(DurationText.format($0))" } ?? date
    }

    /// The account for programs: the daemon's names, and always all of them.
    static func json(_ account: AccountDescription, _ protection: [String]) -> String {
        var object = JSONText()
        object.add("uid", account.uid)
        object.add("screen_name", account.screenName)
        object.add("avatar_large", account.avatarLarge)
        object.add("expires_in", account.expiresIn)
        object.add("issued_at", account.issuedAt)
        object.add("issued_date", account.issuedAt.map(CivilTime.rfc3339))
        object.add("expires_at", account.expiresAt)
        object.add("expires_date", CivilTime.rfc3339(account.expiresAt))
        object.add("expired", account.isExpired)
        object.add("remaining", account.remaining)
        object.add("refused", account.refused)
        object.add("protection", protection)
        return object.line
    }
}
