import AccountService
import TestStore
import Testing

/// When an account may take the place of what is stored, and what becomes of that.
@Suite struct ReplaceTests {
    struct Case: Sendable {
        let state: State
        let uid: String
        let replace: Bool
        /// Nil: the account is stored.
        let refusal: String?
        var keepsPrevious = false
        var setsAside = false
    }

    static let cases: [Case] = [
        Case(state: .empty, uid: "42", replace: false, refusal: nil),
        Case(state: .empty, uid: "42", replace: true, refusal: nil),
        Case(
            state: .present, uid: "1234567890", replace: false, refusal: nil, keepsPrevious: true),
        Case(state: .present, uid: "1234567890", replace: true, refusal: nil, keepsPrevious: true),
        Case(state: .present, uid: "42", replace: false, refusal: Reply.exists("1234567890")),
        Case(state: .present, uid: "42", replace: true, refusal: nil),
        Case(
            state: .present, uid: "01234567890", replace: false,
            refusal: Reply.exists("1234567890")),
        Case(
            state: .expired, uid: "1234567890", replace: false, refusal: nil, keepsPrevious: true),
        Case(state: .expired, uid: "42", replace: false, refusal: Reply.exists("1234567890")),
        Case(state: .expired, uid: "42", replace: true, refusal: nil),
        Case(state: .locked, uid: "1234567890", replace: false, refusal: Reply.locked),
        Case(state: .locked, uid: "1234567890", replace: true, refusal: nil, setsAside: true),
        Case(state: .damaged, uid: "1234567890", replace: false, refusal: Reply.damaged),
        Case(state: .damaged, uid: "1234567890", replace: true, refusal: nil),
    ]

    @Test("an account takes another's place as far as it may", arguments: cases)
    func replace(one: Case) throws {
        let desk = try Desk.standing(one.state)
        let before = desk.store
        let answer = try desk.call(
            "Login",
            """
            {"access_token":"2.00new","uid":"\(one.uid)","expires_at":1800000000,\
            "replace":\(one.replace)}
            """)
        if let refusal = one.refusal {
            #expect(answer.text == refusal)
            #expect(desk.store.account == before.account)
            #expect(desk.store.slots == before.slots)
            return
        }
        let token = Reply.ok(
            #""access_token":"2.00new","uid":"\#(one.uid)","expires_at":1800000000"#)
        #expect(answer.text.hasPrefix(#"{"parameters":{"account":{"uid":"\#(one.uid)","#))
        #expect(try desk.call("GetToken").text == token)
        #expect(try Desk(desk.store).call("GetToken").text == token)
        #expect(try Desk(desk.store).call("Verify").text == Reply.findings([]))
        #expect(desk.store.previousAccount == (one.keepsPrevious ? before.account : .absent))
        if one.setsAside {
            #expect(
                desk.store.aside == [
                    "keyslots.plist.damaged-1700000000": before.slots,
                    "keyslots.plist~.damaged-1700000000": before.slotsCopy,
                ])
            #expect(desk.store.slots != before.slots)
        } else {
            #expect(desk.store.aside.isEmpty)
        }
    }

    @Test("an account of another uid leaves no previous generation of the one before")
    func previousOfAnother() throws {
        let desk = try Desk.standing(.present)
        _ = try desk.call("Login", Desk.login)
        #expect(desk.store.previousAccount != .absent)
        _ = try desk.call(
            "Login", #"{"access_token":"2.0","uid":"9","expires_in":9,"replace":true}"#)
        #expect(desk.store.previousAccount == .absent)
    }

    @Test("a file that was damaged meanwhile does not become the spare, though it was looked at")
    func damagedMeanwhile() throws {
        let desk = try Desk.standing(.present)
        _ = try desk.call("Login", Desk.login)
        let spare = desk.store.previousAccount
        let damaged = desk.store.account.damaged
        desk.store.account = damaged
        #expect(try desk.call("Verify").text != Reply.findings([]))
        #expect(try desk.call("Login", Desk.login).text == Reply.ok(account: Reply.account))
        #expect(desk.store.previousAccount == spare)
        #expect(desk.store.aside == ["account.plist.sealed.damaged-1700000000": damaged])
        #expect(try Desk(desk.store).call("Verify").text == Reply.findings([]))
    }

    @Test("a key that has come back opens the store for a login")
    func keyCameBack() throws {
        let desk = try Desk.standing(.present)
        let key = desk.store.key
        desk.store.key = .absent
        try desk.load()
        #expect(try desk.call("GetToken").text == Reply.locked)
        desk.store.key = key
        // Another account is there after all.
        let other = #"{"access_token":"2.0","uid":"9","expires_at":1800000000}"#
        #expect(try desk.call("Login", other).text == Reply.exists("1234567890"))
        #expect(try desk.call("GetToken").text == Reply.token)
        #expect(desk.store.aside.isEmpty)
    }

    @Test("a login with the slots' copy alone writes both, so that the account opens again")
    func slotsFromTheirCopy() throws {
        for slots in [StoreFile.absent, .damaged] {
            let desk = try Desk.standing(.present)
            let good = desk.store.slots
            desk.store.slots = slots == .absent ? .absent : good.damaged
            try desk.load()
            #expect(try desk.call("Login", Desk.login).verdict == .damaged)
            let replacing = Desk.login.replacing("{", with: #"{"replace":true,"#)
            #expect(try desk.call("Login", replacing).text == Reply.ok(account: Reply.account))
            #expect(desk.store.slots == good)
            #expect(desk.store.slotsCopy == good)
            #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
            #expect(try Desk(desk.store).call("Verify").text == Reply.findings([]))
            let aside = desk.store.aside["keyslots.plist.damaged-1700000000"]
            #expect(aside == (slots == .absent ? nil : good.damaged))
        }
    }

    /// What can be wrong with a file.
    enum StoreFile { case absent, damaged }

    @Test("slots that are gone are written again beside the account that they open")
    func slotsGone() throws {
        let desk = try Desk.standing(.present)
        let slots = desk.store.slots
        // The whole directory was removed.
        var store = FakeStore()
        store.key = desk.store.key
        desk.store = store
        #expect(try desk.call("Login", Desk.login).text == Reply.ok(account: Reply.account))
        #expect(desk.store.slots == slots)
        #expect(desk.store.slotsCopy == slots)
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("nothing is stored beside another store's slots")
    func slotsOfAnotherStore() throws {
        let desk = try Desk.standing(.present)
        let other = try Desk.standing(.present)
        desk.store = other.store
        #expect(
            try desk.call("Login", Desk.login).text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":116,"message":"/s/keyslots.plist is another one""#))
        #expect(desk.store.account == other.store.account)
        #expect(try desk.call("GetToken").text == Reply.token)
    }
}
