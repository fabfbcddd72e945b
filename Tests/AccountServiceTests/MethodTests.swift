import AccountService
import TestStore
import Testing

/// Every method in every state, for every role.
@Suite struct MethodTests {
    static let otherLogin = """
        {"access_token":"2.00xyz","uid":"42","expires_at":1800000000}
        """
    static let otherAccount = """
        {"uid":"42","expires_at":1800000000,"expires_date":"2027-01-15T08:00:00Z",\
        "expired":false,"remaining":100000000}
        """
    static let export = """
        "access_token":"2.00abcDEF","account":\(Reply.account)
        """
    static let expiredExport = """
        "access_token":"2.00abcDEF","account":\(Reply.expiredAccount)
        """
    static let keyIsMissing = "the key file /k/key is missing; put it back"
    static let isLocked = "the store is locked: `account unlock` opens it"
    static let keyFileSlots = Reply.slots(["keyfile"])
    static let added = Reply.ok(#""slot":\#(Reply.slot("recovery")),"removed":[]"#)
    static let addedLater = added.replacing("1700000000", with: "1700002600")
        .replacing("22:13:20", with: "22:56:40")
    static let rotated = Reply.ok(#""key_id":"32 digits","retired":[]"#)
    static let derived = Reply.ok(#""key":"64 digits","key_id":"32 digits""#)
    static let info = Reply.ok(
        #""vendor":"accountd","product":"accountd","version":"9.8.7","url":"","#
            + #""interfaces":["org.varlink.service","org.accountd.Account","#
            + #""org.accountd.Keys"]"#)

    /// The owner's replies, in the order of the states: empty, present, expired, locked, damaged,
    /// shut.
    static let replies: [(method: String, parameters: String, replies: [String])] = [
        (
            "GetStatus", "{}",
            [
                Reply.status("empty", protection: ""), Reply.status("present"),
                Reply.status("present"), Reply.status("locked"), Reply.status("damaged"),
                Reply.status("locked", protection: #""passphrase""#),
            ]
        ),
        (
            "GetAccount", "{}",
            [
                Reply.noAccount, Reply.ok(account: Reply.account),
                Reply.ok(account: Reply.expiredAccount), Reply.locked, Reply.damaged, Reply.locked,
            ]
        ),
        (
            "GetToken", "{}",
            [
                Reply.noAccount, Reply.token, Reply.expired, Reply.locked, Reply.damaged,
                Reply.locked,
            ]
        ),
        (
            "CheckExpiry", "{}",
            [
                Reply.noAccount,
                Reply.ok(#""valid":true,"expires_at":1700002600,"remaining":2600"#),
                Reply.ok(#""valid":false,"expires_at":1700002600,"remaining":0"#),
                Reply.locked, Reply.damaged, Reply.locked,
            ]
        ),
        (
            "Login", otherLogin,
            [
                Reply.ok(account: otherAccount), Reply.exists("1234567890"),
                Reply.exists("1234567890"), Reply.locked, Reply.damaged, Reply.locked,
            ]
        ),
        (
            "UpdateProfile", "{}",
            [
                Reply.noAccount, Reply.ok(account: Reply.account),
                Reply.ok(account: Reply.expiredAccount), Reply.locked, Reply.damaged, Reply.locked,
            ]
        ),
        (
            "Logout", "{}",
            [
                Reply.noAccount, Reply.ok(#""uid":"1234567890""#),
                Reply.ok(#""uid":"1234567890""#), Reply.ok(), Reply.ok(), Reply.ok(),
            ]
        ),
        (
            "Export", "{}",
            [
                Reply.noAccount, Reply.ok(export), Reply.ok(expiredExport), Reply.locked,
                Reply.damaged, Reply.locked,
            ]
        ),
        (
            "Verify", "{}",
            [
                Reply.findings([]), Reply.findings([]), Reply.findings([]),
                Reply.findings([keyIsMissing]), Reply.findings([State.damage]),
                Reply.findings([isLocked]),
            ]
        ),
        (
            "Repair", "{}",
            [
                Reply.ok(), Reply.ok(account: Reply.account),
                Reply.ok(account: Reply.expiredAccount), Reply.locked, Reply.damaged, Reply.locked,
            ]
        ),
        (
            "Lock", "{}",
            [
                Reply.ok(), Reply.opensByItself, Reply.opensByItself, Reply.ok(),
                Reply.opensByItself, Reply.ok(),
            ]
        ),
        (
            "Unlock", "{}",
            [Reply.ok(), Reply.ok(), Reply.ok(), Reply.locked, Reply.damaged, Reply.locked]
        ),
        (
            "ListSlots", "{}",
            [
                Reply.slots([]), keyFileSlots, keyFileSlots, keyFileSlots, keyFileSlots,
                Reply.slots(["passphrase"]),
            ]
        ),
        (
            "AddSlot", #"{"kind":"recovery","recovery_code":"\#(Desk.code)"}"#,
            [
                added, added, addedLater, Reply.locked, Reply.damaged, Reply.locked,
            ]
        ),
        (
            "RemoveSlot", #"{"id":"x"}"#,
            [
                Reply.noSuchSlot(""), Reply.noSuchSlot(""), Reply.noSuchSlot(""), Reply.locked,
                Reply.damaged, Reply.locked,
            ]
        ),
        (
            "Rotate", "{}",
            [Reply.noAccount, rotated, rotated, Reply.locked, Reply.damaged, Reply.locked]
        ),
        (
            "NewRecoveryCode", "{}",
            [String](repeating: Reply.ok(#""recovery_code":"a code""#), count: 6)
        ),
        (
            "DeriveArchiveKey", #"{"name":"drafts"}"#,
            [Reply.noAccount, derived, derived, Reply.locked, Reply.damaged, Reply.locked]
        ),
        (
            "FinishRotation", "{}",
            [Reply.noAccount, rotated, rotated, Reply.locked, Reply.damaged, Reply.locked]
        ),
        ("org.varlink.service.GetInfo", "{}", [String](repeating: info, count: 6)),
    ]

    /// The least role that may call a method; docs/PROTOCOL.md, "Who may ask what".
    static let roles: [String: Role] = [
        "GetStatus": .observer, "CheckExpiry": .observer, "GetAccount": .reader,
        "GetToken": .reader, "Login": .owner, "UpdateProfile": .owner, "Logout": .owner,
        "Export": .owner, "Verify": .owner, "Repair": .owner,
        "Lock": .owner, "Unlock": .owner, "ListSlots": .owner, "AddSlot": .owner,
        "RemoveSlot": .owner, "Rotate": .owner, "NewRecoveryCode": .owner,
        "DeriveArchiveKey": .owner, "FinishRotation": .owner,
        "org.varlink.service.GetInfo": .observer,
    ]

    @Test("each method answers in each state, and each role as far as it may", arguments: replies)
    func reply(method: String, parameters: String, replies: [String]) throws {
        let least = try #require(Self.roles[method])
        for (state, expected) in zip(State.allCases, replies) {
            for role in [Role.stranger, .observer, .reader, .owner] {
                let desk = try Desk.standing(state)
                let answer = try desk.call(method, parameters, as: role)
                if role < least {
                    #expect(answer.text == Reply.denied, "\(state), \(role)")
                    #expect(answer.verdict == .denied)
                    #expect(answer.kind == .reply)
                } else {
                    let told =
                        role == .observer && expected == Reply.damaged
                        ? Reply.damaged("the store needs repair, of which its owner is told more")
                        : expected
                    let own = told.replacing(
                        #""role":"owner""#, with: #""role":"\#(role.name)""#)
                    #expect(answer.shape == own, "\(state), \(role)")
                }
            }
        }
    }

    @Test("every method that is served has a row here")
    func everyMethodHasARow() {
        let names = Self.replies.map { Desk.name($0.method) }
        #expect(Self.replies.allSatisfy { $0.replies.count == State.allCases.count })
        let served = Method.allCases.filter { $0 != .getInterfaceDescription }.map { "\($0.name)" }
        #expect(Set(names) == Set(served))
    }

    static let verdicts: [(State, String, Verdict)] = [
        (.empty, "GetToken", .noAccount), (.present, "GetToken", .answered),
        (.expired, "GetToken", .expired), (.locked, "GetToken", .locked),
        (.damaged, "GetToken", .damaged), (.present, "Login", .accountExists),
        (.expired, "CheckExpiry", .answered), (.locked, "Logout", .answered),
        (.damaged, "Verify", .answered), (.damaged, "Repair", .damaged),
        (.present, "Lock", .refused), (.locked, "Lock", .answered), (.shut, "Unlock", .locked),
        (.shut, "GetToken", .locked),
    ]

    @Test("a record says what became of a call", arguments: verdicts)
    func verdict(state: State, method: String, verdict: Verdict) throws {
        let desk = try Desk.standing(state)
        let parameters = method == "Login" ? Self.otherLogin : "{}"
        let answer = try desk.call(method, parameters)
        #expect(answer.verdict == verdict)
        #expect(answer.method.map { "\($0.name)" } == "org.accountd.Account.\(method)")
    }
}
