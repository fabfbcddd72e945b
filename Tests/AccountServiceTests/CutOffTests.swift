import AccountService
import TestStore
import Testing

/// Changes that were cut off: the store is the one before, or the new one, and nobody has to mend
/// it. docs/FORMAT.md, "Writing"
@Suite struct CutOffTests {
    /// What a store that is begun anew stands in the place of.
    enum Before: CaseIterable {
        case keyAway, anotherKey, slotsDamaged, slotsGone

        func desk() throws -> Desk {
            let desk = try Desk.standing(.present)
            _ = try desk.call("Login", Desk.login)
            switch self {
            case .keyAway: desk.store.key = .absent
            case .anotherKey: desk.store.key = .bytes([UInt8](repeating: 7, count: 32))
            case .slotsDamaged:
                desk.store.slots = desk.store.slots.damaged
                desk.store.slotsCopy = desk.store.slotsCopy.damaged
            case .slotsGone:
                desk.store.slots = .absent
                desk.store.slotsCopy = .absent
            }
            try desk.load()
            return desk
        }
    }

    private static let replacing =
        #"{"access_token":"2.00new","uid":"42","expires_at":1800000000,"replace":true}"#
    private static let token = Reply.ok(
        #""access_token":"2.00new","uid":"42","expires_at":1800000000"#)

    @Test(
        "a store that is begun anew is the one before until its account stands",
        arguments: Before.allCases)
    func begunAnew(before: Before) throws {
        let key = try Before.slotsGone.desk().store.key
        #expect(key != .absent)
        var outcomes: Set<Bool> = []
        for steps in 0..<12 {
            let desk = try before.desk()
            let was = desk.store
            let trouble = desk.service.trouble
            desk.store.isKilledAfter = steps
            _ = try desk.call("Login", Self.replacing)
            var left = desk.store
            left.isKilledAfter = nil
            let following = try Desk(left)
            #expect(following.store.nextSlots == .absent, "\(steps)")
            if try following.call("GetToken").text == Self.token {
                outcomes.insert(true)
                #expect(try following.call("Verify").text == Reply.findings([]), "\(steps)")
                #expect(following.store.previousAccount == .absent, "\(steps)")
                #expect(following.store.slots == following.store.slotsCopy)
                if was.slots != .absent {
                    #expect(following.store.aside.values.contains(was.slots), "\(steps)")
                }
            } else {
                outcomes.insert(false)
                #expect(following.service.trouble == trouble, "\(steps)")
                #expect(following.store.account == was.account, "\(steps)")
                #expect(following.store.slots == was.slots, "\(steps)")
                #expect(following.store.slotsCopy == was.slotsCopy, "\(steps)")
                #expect(following.store.aside.isEmpty, "\(steps)")
            }
            #expect(try following.call("Login", Self.replacing).kind == .reply, "\(steps)")
            #expect(try Desk(following.store).call("GetToken").text == Self.token, "\(steps)")
        }
        #expect(outcomes == [true, false])
    }

    @Test("where the last steps cannot be done the account is served, and they are done later")
    func lastStepsFail() throws {
        let desk = try Before.keyAway.desk()
        desk.store.failsAt = .mending
        let answer = try desk.call("Login", Self.replacing)
        #expect(answer.text == Reply.diskIsFull)
        #expect(try desk.call("GetToken").text == Self.token)
        let following = try Desk(desk.store)
        #expect(try following.call("GetToken").text == Self.token)
        #expect(
            try following.call("Verify").text
                == Reply.findings([
                    "keyslots.plist.next was not put into its place yet; "
                        + "`account doctor --repair` does"
                ]))
        for method in ["Repair", "Login"] {
            for service in [desk, following] {
                let before = service.store
                service.store.failsAt = nil
                #expect(
                    try service.call(method, method == "Login" ? Self.replacing : "{}").kind
                        == .reply)
                #expect(service.store.nextSlots == .absent)
                #expect(try Desk(service.store).call("GetToken").text == Self.token)
                #expect(try Desk(service.store).call("Verify").text == Reply.findings([]))
                service.store = before
                try service.load()
            }
        }
    }

    @Test("the spare of whoever was logged in before goes with the next start")
    func spareOfAnother() throws {
        let desk = try Desk.standing(.present)
        _ = try desk.call("Login", Desk.login)
        desk.store.failsAt = .previousRemoval
        #expect(try desk.call("Login", Self.replacing).text == Reply.diskIsFull)
        #expect(desk.store.previousAccount != .absent)
        let finding =
            "account.plist.sealed~ is of another user and was not removed yet; "
            + "`account doctor --repair` does"
        #expect(try desk.call("Verify").text == Reply.findings([finding]))
        desk.store.failsAt = nil
        #expect(try Desk(desk.store).store.previousAccount == .absent)
        #expect(try desk.call("Repair").kind == .reply)
        #expect(desk.store.previousAccount == .absent)
        #expect(try desk.call("GetToken").text == Self.token)
    }

    @Test("slots whose account cannot be read now are kept for it")
    func accountUnreadable() throws {
        let desk = try Before.keyAway.desk()
        desk.store.failsAt = .mending
        _ = try desk.call("Login", Self.replacing)
        var store = desk.store
        store.failsAt = nil
        let account = store.account
        store.account = .unreadable("cannot be read: Input/output error")
        let shut = try Desk(store)
        #expect(shut.store.nextSlots == store.nextSlots)
        store.account = account
        #expect(try Desk(store).call("GetToken").text == Self.token)
        // Damaged themselves, they are all that is known of the account's key.
        store.nextSlots = store.nextSlots.damaged
        #expect(try Desk(store).store.nextSlots == store.nextSlots)
        store.account = .absent
        #expect(try Desk(store).store.nextSlots == .absent)
    }
}
