import Accounts
import LinuxSystem
import SecretMemory
import Varlink

/// `account login`: stores the account from a token response of Weibo's.
enum LoginCommand {
    /// Bytes of locked memory: the response while it grows, the tokens, and the call.
    private static let memory = 524_288

    static let description = CommandDescription(
        usage: "[--from FILE|-] [options]",
        """
        Stores the account from what Weibo's oauth2/access_token answered, a JSON object; the answer
        of users/show may be merged into it. Without --from the response is read from standard
        input; on a terminal it is asked for and not shown. The token is never taken from an
        argument or from the environment.

        """, options: LoginOptions.all,
        notes: """
            TIME is 2026-01-08T00:00:00Z or seconds since 1970.

            """)

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        let options = try LoginOptions(&invocation)
        let arena = try Exchange.makeArena(memory)
        let source = LoginSource(
            path: options.source, input: invocation.descriptors.input, options: invocation.options)
        // Before a daemon is started: a response that is rejected should leave nothing behind.
        let response = try parse(options, source, arena)
        for warning in response.warnings { warn(warning, invocation) }

        if source.isPerson { try FirstPassphrase.offer(invocation.options, arena) }
        let account: AccountDescription
        do throws(CommandFailure) {
            if options.replaces { try Unlocking.openToReplace(invocation.options) }
            account = try Asking.whileOpen(invocation.options) { () throws(CommandFailure) in
                try store(response, options, invocation.options, arena)
            }
        } catch { throw error.offeringToBeginAnew }
        try invocation.print(text(account))
        return .done
    }

    private static func store(
        _ response: borrowing TokenResponse, _ options: LoginOptions, _ common: GlobalOptions,
        _ arena: SecretArena
    ) throws(CommandFailure) -> AccountDescription {
        var exchange = try Asking.connect(
            DaemonFinder(options: common, sendsSecret: true), arena)
        try send(response, options.replaces, &exchange)
        return try AccountDescription.receive(&exchange, .loggingIn)
    }

    private static func send(
        _ response: borrowing TokenResponse, _ replaces: Bool, _ exchange: inout Exchange
    ) throws(CommandFailure) {
        try exchange.send(limit: Exchange.maximumReply) { out throws(SecretMemoryError) in
            try write(response, replaces, &out)
        }
    }

    private static func parse(
        _ options: LoginOptions, _ source: LoginSource, _ arena: SecretArena
    ) throws(CommandFailure) -> TokenResponse {
        var input = try makeInput(arena)
        let receivedAt = try source.read(into: &input)
        return try input.withBytes { text throws(CommandFailure) in
            do throws(TokenResponseError) {
                return try TokenResponse.parse(
                    text, supplement: options.supplement(receivedAt: receivedAt), arena: arena)
            } catch { throw CommandFailure(error) }
        }
    }

    private static func makeInput(_ arena: SecretArena) throws(CommandFailure) -> SecretBuffer {
        do {
            return try SecretBuffer(
                arena: arena, capacity: 4096, limit: LoginSource.maximumSize)
        } catch { throw CommandFailure(error) }
    }

    // The date decides; what it was derived from goes along where it leads to the same.
    private static func write(
        _ response: borrowing TokenResponse, _ replaces: Bool, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var call = try MessageWriter.beginCall("org.accountd.Account.Login", &out)
        try call.field("access_token", secret: response.accessToken, &out)
        try call.field("uid", response.uid, &out)
        let expiry = response.expiry
        if let expiresIn = expiry.expiresIn, let issuedAt = expiry.issuedAt,
            issuedAt + expiresIn == expiry.expiresAt
        {
            try call.field("expires_in", expiresIn, &out)
            try call.field("issued_at", issuedAt, &out)
        } else {
            try call.field("expires_at", expiry.expiresAt, &out)
        }
        try call.field("screen_name", optional: response.screenName, &out)
        try call.field("avatar_large", optional: response.avatarLarge, &out)
        try call.refreshToken(response, &out)
        if replaces { try call.field("replace", true, &out) }
        try call.end(&out)
    }

    /// What is said once the account is stored.
    static func text(_ account: AccountDescription) -> String {
        "Logged in as \(expiryText(account)).\n"
    }

    /// Who it is, and when the token expires.
    static func expiryText(_ account: AccountDescription) -> String {
        let date = CivilTime.rfc3339(account.expiresAt)
        let expiry =
            account.isExpired
            ? "its token expired on \(date)"
            : "the token expires on \(date) (\(RelativeTime.text(account.remaining)))"
        return "\(account.name); \(expiry)"
    }

    private static func warn(_ warning: String, _ invocation: Invocation) {
        // It is no part of the result, which counts.
        try? StandardStream.print(
            "account: warning: \(ControlCharacters.escaped(warning))\n",
            to: invocation.descriptors.error)
    }
}

extension MessageWriter {
    fileprivate mutating func refreshToken(
        _ response: borrowing TokenResponse, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        switch response.refreshToken {
        case .some(let token): try field("refresh_token", secret: token, &out)
        case .none: break
        }
    }
}

extension CommandFailure {
    /// A store that stays locked may be given up by whoever logs in.
    fileprivate var offeringToBeginAnew: CommandFailure {
        guard status == .locked, let hint else { return self }
        return CommandFailure(status, message, hint: hint + "; without it: account login --replace")
    }

    /// A token response was rejected.
    init(_ error: TokenResponseError) {
        self.init(
            .inputRejected, "the token response was rejected (\(error.reason)): \(error.message)",
            hint: error.hint)
    }
}
