package import Accounts
import JSON
import LinuxSystem
package import SecretMemory
import Varlink

/// What a program beside `account` has of its command line: the daemon that is meant, and where to
/// print.
package struct CommandContext: Sendable {
    let options: GlobalOptions
    let descriptors: StandardDescriptors

    init(_ invocation: Invocation) {
        options = invocation.options
        descriptors = invocation.descriptors
    }

    /// The number of standard input.
    package var input: Int32 { descriptors.input }
    /// The number of standard output.
    package var output: Int32 { descriptors.output }
    /// Seconds that may pass until something comes through a pipe.
    package var patience: Int64 {
        options.hasTimeout ? options.timeout : LoginSource.patience
    }

    /// Seconds that another writer of the same archive is waited for.
    package var writersPatience: Int { options.hasTimeout ? Int(options.timeout) : 30 }

    /// Locked memory for the command.
    package func makeArena(_ capacity: Int) throws(CommandFailure) -> SecretArena {
        try Exchange.makeArena(capacity)
    }

    /// Writes a text that is no secret to standard output. write(2)
    package func print(_ text: String) throws(CommandFailure) {
        do {
            try StandardStream.print(text, to: descriptors.output)
        } catch { throw .standardOutput(error) }
    }

    /// Writes a line to standard error that is no part of the result.
    package func warn(_ warning: String) {
        try? StandardStream.print(
            "account: warning: \(ControlCharacters.escaped(warning))\n",
            to: descriptors.error)
    }

    /// Has the daemon store an account, and starts it where none runs.
    ///
    /// - Parameter replaces: whether another account that is stored is forgotten.
    /// - Returns: what is said of it: who it is, and when its token expires.
    package func store(
        _ account: borrowing UserAccount, replaces: Bool, in arena: SecretArena
    ) throws(CommandFailure) -> String {
        if replaces { try Unlocking.openToReplace(options) }
        let stored = try Asking.whileOpen(options) { () throws(CommandFailure) in
            try login(account, replaces, arena)
        }
        return LoginCommand.expiryText(stored)
    }

    private func login(
        _ account: borrowing UserAccount, _ replaces: Bool, _ arena: SecretArena
    ) throws(CommandFailure) -> AccountDescription {
        var exchange = try Asking.connect(
            DaemonFinder(options: options, sendsSecret: true), arena)
        try Self.send(account, replaces, &exchange)
        return try AccountDescription.receive(&exchange, .loggingIn)
    }

    private static func send(
        _ account: borrowing UserAccount, _ replaces: Bool, _ exchange: inout Exchange
    ) throws(CommandFailure) {
        try exchange.send(limit: Exchange.maximumReply) { out throws(SecretMemoryError) in
            try account.writeLogin(replaces: replaces, &out)
        }
    }

    /// Asks the daemon for the account with its tokens, and starts it where none runs.
    package func export(in arena: SecretArena) throws(CommandFailure) -> UserAccount {
        try Asking.whileOpen(options) { () throws(CommandFailure) in try read(arena) }
    }

    private func read(_ arena: SecretArena) throws(CommandFailure) -> UserAccount {
        var exchange = try Asking.connect(
            DaemonFinder(options: options, sendsSecret: false), arena)
        try exchange.send("org.accountd.Account.Export")
        let path = exchange.path
        return try exchange.receive(.asking(minimum: 0)) {
            answer, index, text throws(CommandFailure) in
            guard let account = UserAccount(answer, index, text, arena) else {
                throw .notUnderstood(path)
            }
            return account
        }
    }
}

extension UserAccount {
    // The date decides; what it was derived from goes along where it leads to the same.
    fileprivate borrowing func writeLogin(
        replaces: Bool, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var call = try MessageWriter.beginCall("org.accountd.Account.Login", &out)
        try call.field("access_token", secret: accessToken, &out)
        try call.field("uid", uid, &out)
        if let expiresIn = expiry.expiresIn, let issuedAt = expiry.issuedAt {
            try call.field("expires_in", expiresIn, &out)
            try call.field("issued_at", issuedAt, &out)
        } else {
            try call.field("expires_at", expiry.expiresAt, &out)
        }
        try call.field("screen_name", optional: screenName, &out)
        try call.field("avatar_large", optional: avatarLarge, &out)
        switch refreshToken {
        case .some(let token): try call.field("refresh_token", secret: token, &out)
        case .none: break
        }
        if replaces { try call.field("replace", true, &out) }
        try call.end(&out)
    }

    /// Reads the answer of Export; nil when it is none.
    fileprivate init?(
        _ answer: ClientReply, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ arena: SecretArena
    ) {
        guard
            let description = AccountDescription(
                answer.field("account", index, text), index, text, arena),
            let node = answer.field("access_token", index, text),
            let token = index.secret(node, text, arena),
            let expiry = try? description.grantedExpiry()
        else { return nil }
        var refreshToken: SecretBytes?
        if let node = answer.field("refresh_token", index, text) {
            refreshToken = index.secret(node, text, arena)
        }
        self.init(
            accessToken: token, refreshToken: refreshToken, uid: description.uid,
            screenName: description.screenName, avatarLarge: description.avatarLarge,
            expiry: expiry, refused: description.refused)
    }
}

extension AccountDescription {
    // The date decides, as above.
    fileprivate func grantedExpiry() throws(AccountError) -> Expiry {
        if let expiresIn, let issuedAt {
            let granted = try Expiry(expiresIn: expiresIn, issuedAt: issuedAt)
            if granted.expiresAt == expiresAt { return granted }
        }
        return try Expiry(expiresAt: expiresAt)
    }
}

extension JSONIndex {
    /// The value of a text that is an access or refresh token; nil when it is none.
    fileprivate func secret(
        _ node: Node, _ text: Span<UInt8>, _ arena: SecretArena
    ) -> SecretBytes? {
        let count = decodedCount(of: node, in: text)
        guard count > 0, var buffer = try? SecretBuffer(arena: arena, capacity: count),
            (try? appendString(node, in: text, to: &buffer)) != nil,
            buffer.withBytes({ AccountField.check(accessToken: $0) }) == nil
        else { return nil }
        return try? SecretBytes(copying: buffer, in: arena)
    }
}
