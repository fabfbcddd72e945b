import AccountService
import TestStore
import Testing

/// UpdateProfile and Logout.
@Suite struct ProfileTests {
    static let profiles: [(String, name: String?, avatar: String?)] = [
        ("{}", "小明", "https://example.org/a.jpg"),
        (#"{"screen_name":"other"}"#, "other", "https://example.org/a.jpg"),
        (#"{"avatar_large":"b"}"#, "小明", "b"),
        (#"{"screen_name":"","avatar_large":"b"}"#, nil, "b"),
        (#"{"screen_name":"","avatar_large":""}"#, nil, nil),
        (#"{"screen_name":null,"avatar_large":""}"#, "小明", nil),
    ]

    @Test("a profile changes as far as it is given, and an empty text removes", arguments: profiles)
    func update(parameters: String, name: String?, avatar: String?) throws {
        let desk = try Desk.standing(.present)
        let before = desk.store.account
        let fields =
            (name.map { #","screen_name":"\#($0)""# } ?? "")
            + (avatar.map { #","avatar_large":"\#($0)""# } ?? "")
        let reply = Reply.ok(
            account: """
                {"uid":"1234567890"\(fields),"expires_in":3600,"issued_at":1699999000,\
                "expires_at":1700002600,"expires_date":"2023-11-14T22:56:40Z","expired":false,\
                "remaining":2600}
                """)
        #expect(try desk.call("UpdateProfile", parameters).text == reply)
        #expect(desk.store.previousAccount == before)
        #expect(desk.store.account != before)
        for heard in [desk, try Desk(desk.store)] {
            #expect(try heard.call("GetAccount").text == reply)
            #expect(try heard.call("GetToken").text == Reply.token)
        }
    }

    @Test("both tokens outlive a change of the profile")
    func tokensOutlive() throws {
        let desk = try Desk()
        _ = try desk.call(
            "Login",
            #"{"access_token":"a\"\\b","refresh_token":"r\"\\s","uid":"7","expires_at":1800000000}"#
        )
        let expected = #"{"parameters":{"access_token":"a\"\\b","refresh_token":"r\"\\s","#
        for name in ["one", "two", "three"] {
            _ = try desk.call("UpdateProfile", #"{"screen_name":"\#(name)"}"#)
            #expect(try desk.call("Export").text.hasPrefix(expected))
            #expect(try Desk(desk.store).call("Export").text.hasPrefix(expected))
        }
    }

    static let faults: [(String, String, String)] = [
        (
            #"{"screen_name":"\#(String(repeating: "n", count: 257))"}"#, "screen_name",
            "is too long"
        ),
        (#"{"avatar_large":"a b"}"#, "avatar_large", "has white space in it"),
        (
            #"{"screen_name":"ok","avatar_large":"\u0007"}"#, "avatar_large",
            "has control characters"
        ),
    ]

    @Test("a wrong value changes nothing", arguments: faults)
    func fault(parameters: String, field: String, reason: String) throws {
        let desk = try Desk.standing(.present)
        #expect(
            try desk.call("UpdateProfile", parameters).text
                == Reply.invalid(field: field, reason))
        #expect(try desk.call("GetAccount").text == Reply.ok(account: Reply.account))
    }

    static let logouts: [(State, String, String, gone: Bool)] = [
        (.empty, #"{"if_uid":"1234567890"}"#, Reply.noAccount, true),
        (.present, #"{"if_uid":"1234567890"}"#, Reply.ok(#""uid":"1234567890""#), true),
        (.present, #"{"if_uid":"\u0031234567890"}"#, Reply.ok(#""uid":"1234567890""#), true),
        (.present, #"{"if_uid":"123456789"}"#, Reply.exists("1234567890"), false),
        (.present, #"{"if_uid":"1234567891"}"#, Reply.exists("1234567890"), false),
        (.present, #"{"if_uid":""}"#, Reply.exists("1234567890"), false),
        (.expired, #"{"if_uid":"1234567890"}"#, Reply.ok(#""uid":"1234567890""#), true),
        (.expired, #"{"if_uid":"9"}"#, Reply.exists("1234567890"), false),
        (.locked, #"{"if_uid":"1234567890"}"#, Reply.locked, false),
        (.locked, "{}", Reply.ok(), true),
        (.damaged, #"{"if_uid":"1234567890"}"#, Reply.damaged, false),
        (.damaged, "{}", Reply.ok(), true),
    ]

    @Test("a logout removes the account, or the one that is meant alone", arguments: logouts)
    func logout(state: State, parameters: String, reply: String, gone: Bool) throws {
        let desk = try Desk.standing(state)
        let before = desk.store
        #expect(try desk.call("Logout", parameters).text == reply)
        #expect(desk.store.account == (gone ? .absent : before.account))
        #expect(desk.store.slots == before.slots)
        #expect(desk.store.key == before.key)
    }

    @Test("after a logout the service says what a restart would say")
    func sameAsRestart() throws {
        for state in State.allCases where state != .empty {
            let desk = try Desk.standing(state)
            _ = try desk.call("Logout")
            let status = try desk.call("GetStatus").text
            #expect(try Desk(desk.store).call("GetStatus").text == status, "\(state)")
            let token = try desk.call("GetToken").text
            let isLocked = state == .locked || state == .shut
            #expect(token == (isLocked ? Reply.locked : Reply.noAccount), "\(state)")
        }
    }

    @Test("a store that cannot be opened is empty once its files are removed")
    func damagedSlots() throws {
        let desk = try Desk.standing(.present)
        desk.store.slots = .absent
        desk.store.slotsCopy = .absent
        try desk.load()
        #expect(try desk.call("GetToken").verdict == .damaged)
        #expect(try desk.call("Logout").text == Reply.ok())
        #expect(try desk.call("GetToken").text == Reply.noAccount)
        #expect(try desk.call("Login", Desk.login).text == Reply.ok(account: Reply.account))
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("slots outlive a logout, and the next login uses them")
    func slotsOutlive() throws {
        let desk = try Desk.standing(.present)
        let slots = desk.store.slots
        #expect(try desk.call("Logout").kind == .reply)
        #expect(try desk.call("GetStatus").text == Reply.status("empty"))
        #expect(try desk.call("Login", MethodTests.otherLogin).kind == .reply)
        #expect(desk.store.slots == slots)
        #expect(try Desk(desk.store).call("GetStatus").text == Reply.status("present"))
    }
}
