import AccountService
import SecretMemory
import TestStore
import Testing

/// How the store can stand when a call comes.
enum State: CaseIterable, Sendable {
    case empty, present, expired, locked, damaged

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
        }
        return desk
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
