import AccountService
import SecretMemory
import TestStore
import Testing

/// How the store can stand when a call comes.
enum State: CaseIterable, Sendable {
    case empty, present, expired, locked, damaged
    /// Locked on purpose: a passphrase opens it.
    case shut

    /// What is said of the damaged store.
    static let damage =
        "account.plist.sealed is damaged, and there is no previous generation: "
        + "log in again with `account login --replace`"
}

extension Desk {
    static let token = "2.00abcDEF"
    static let login = """
        {"access_token":"2.00abcDEF","uid":"1234567890","expires_in":3600,\
        "issued_at":1699999000,"screen_name":"小明","avatar_large":"https://example.org/a.jpg"}
        """

    /// A desk whose store stands so.
    static func standing(
        _ state: State, arena: SecretArena? = nil, replyCapacity: Int = 4096
    ) throws -> Desk {
        let desk = try Desk(arena: arena, replyCapacity: replyCapacity)
        guard state != .empty else { return desk }
        #expect(try desk.call("Login", login).kind == .reply)
        switch state {
        case .empty, .present: break
        case .expired: desk.pass(seconds: 2600)
        case .locked:
            desk.store.key = .absent
            try desk.load()
        case .damaged:
            desk.store.account = desk.store.account.damaged
            try desk.load()
        case .shut:
            try desk.add(passphrase: passphrase)
            #expect(try desk.call("Lock").text == Reply.ok())
        }
        return desk
    }

    static let passphrase = "correct horse"
    static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-BNCQ"

    /// Adds a slot of a passphrase, in the place of the key file.
    func add(passphrase: String, keepingKeyFile: Bool = false) throws {
        let answer = try call(
            "AddSlot",
            #"{"kind":"passphrase","passphrase":"\#(passphrase)","keep_keyfile":\#(keepingKeyFile)}"#
        )
        try #require(answer.verdict == .answered, "\(answer.text)")
    }

    /// Adds the slot of `code`.
    func addCode() throws {
        let answer = try call("AddSlot", #"{"kind":"recovery","recovery_code":"\#(Self.code)"}"#)
        try #require(answer.verdict == .answered, "\(answer.text)")
    }

    func unlock(passphrase: String) throws -> Answer {
        try call("Unlock", #"{"passphrase":"\#(passphrase)"}"#)
    }

    func unlock(code: String) throws -> Answer {
        try call("Unlock", #"{"recovery_code":"\#(code)"}"#)
    }
}

/// Replies that many tables want.
enum Reply {
    static let account = """
        {"uid":"1234567890","screen_name":"小明","avatar_large":"https://example.org/a.jpg",\
        "expires_in":3600,"issued_at":1699999000,"expires_at":1700002600,\
        "expires_date":"2023-11-14T22:56:40Z","expired":false,"remaining":2600}
        """
    static let expiredAccount = """
        {"uid":"1234567890","screen_name":"小明","avatar_large":"https://example.org/a.jpg",\
        "expires_in":3600,"issued_at":1699999000,"expires_at":1700002600,\
        "expires_date":"2023-11-14T22:56:40Z","expired":true,"remaining":0}
        """
    static let token = ok(
        #""access_token":"2.00abcDEF","uid":"1234567890","expires_at":1700002600"#)
    static let noAccount = error("org.accountd.Account.NoAccount")
    static let locked = error("org.accountd.Account.Locked")
    static let opensByItself = error(
        "org.accountd.Account.OpensByItself", #""protection":["keyfile"]"#)
    static let lastSlot = error("org.accountd.Keys.LastSlot")
    static let tooManySlots = error("org.accountd.Keys.TooManySlots")
    static let tooManyRetiredKeys = error("org.accountd.Keys.TooManyRetiredKeys")
    static let denied = error("org.varlink.service.PermissionDenied")
    static let damaged = damaged(State.damage)
    static let expired = error(
        "org.accountd.Account.TokenExpired", #""expires_at":1700002600,"remaining":0"#)
    static let memory = error(
        "org.accountd.Account.StoreFailed",
        #""errno":12,"message":"the daemon's secret memory is full; "#
            + #"try again when fewer calls are under way""#)
    static let diskIsFull = error(
        "org.accountd.Account.StoreFailed",
        #""errno":28,"message":"/s: No space left on device""#)

    static func ok(_ fields: String = "") -> String { #"{"parameters":{\#(fields)}}"# }

    static func ok(account: String) -> String { ok(#""account":\#(account)"#) }

    static func error(_ name: String, _ fields: String = "") -> String {
        #"{"error":"\#(name)","parameters":{\#(fields)}}"#
    }

    static func damaged(_ what: String) -> String {
        error("org.accountd.Account.StoreDamaged", #""what":"\#(what)""#)
    }

    static func exists(_ uid: String) -> String {
        error("org.accountd.Account.AccountExists", #""uid":"\#(uid)""#)
    }

    static func wrongKey(_ milliseconds: Int) -> String {
        error("org.accountd.Account.WrongKey", #""retry_after_ms":\#(milliseconds)"#)
    }

    static func noSuchSlot(_ id: String) -> String {
        error("org.accountd.Keys.NoSuchSlot", #""id":"\#(id)""#)
    }

    static func noSuchKey(_ id: String) -> String {
        error("org.accountd.Keys.NoSuchKey", #""key_id":"\#(id)""#)
    }

    /// A slot that was made at the desk's first moment, as `Answer.shape` shows it.
    static func slot(_ kind: String) -> String {
        #"{"id":"16 digits","kind":"\#(kind)","created":1700000000,"#
            + #""created_date":"2023-11-14T22:13:20Z"}"#
    }

    static func slots(_ kinds: [String]) -> String {
        let list = kinds.map(slot).joined(separator: ",")
        let key = kinds.isEmpty ? "" : #""key_id":"32 digits","#
        return ok(#""slots":[\#(list)],\#(key)"retired":[]"#)
    }

    static func invalid(parameter name: String) -> String {
        error("org.varlink.service.InvalidParameter", #""parameter":"\#(name)""#)
    }

    static func invalid(field: String, _ reason: String) -> String {
        error(
            "org.accountd.Account.InvalidField", #""field":"\#(field)","reason":"\#(reason)""#)
    }

    static func findings(_ findings: [String]) -> String {
        ok(#""findings":[\#(findings.map { #""\#($0)""# }.joined(separator: ","))]"#)
    }

    static func status(
        _ state: String, protection: String = #""keyfile""#, clock: String = "steady",
        role: String = "owner"
    ) -> String {
        ok(
            #""status":{"state":"\#(state)","version":"9.8.7","protection":[\#(protection)],"#
                + #""memory":"locked","locked_bytes":4096,"clock":"\#(clock)","connections":3,"#
                + #""role":"\#(role)"}"#)
    }
}
