import AccountService
import TestStore
import Testing

/// Verify and Repair, for every combination of what the store's files can be.
@Suite struct RepairTests {
    enum File: CaseIterable { case good, damaged, absent, unreadable }

    enum Key: CaseIterable { case right, absent, wrong, unusable }

    /// How one store stands.
    struct Combination: CustomStringConvertible {
        let account: File
        let previous: File
        let slots: File
        let copy: File
        let key: Key

        static let all = File.allCases.flatMap { account in
            File.allCases.flatMap { previous in
                File.allCases.flatMap { slots in
                    File.allCases.flatMap { copy in
                        Key.allCases.map { key in
                            Combination(
                                account: account, previous: previous, slots: slots, copy: copy,
                                key: key)
                        }
                    }
                }
            }
        }

        var description: String {
            "account \(account), previous \(previous), slots \(slots), copy \(copy), key \(key)"
        }

        private var hasSealed: Bool { account != .absent || previous != .absent }

        /// What docs/PROTOCOL.md and docs/FORMAT.md make of it.
        var state: String {
            guard slots == .good else {
                // Copies count only for files that are sealed by them.
                if slots == .absent, !hasSealed { return "empty" }
                return "damaged"
            }
            guard key == .right else { return "locked" }
            switch (account, previous) {
            case (.good, _): return "present"
            case (.absent, .absent), (.absent, .damaged), (.absent, .unreadable): return "empty"
            default: return "damaged"
            }
        }

        /// The same once all is mended that has a good copy.
        var mended: Combination {
            let slots = slots != .good && copy == .good && state != "empty" ? .good : slots
            let opens = slots == .good && key == .right
            return Combination(
                account: opens && account != .good && previous == .good ? .good : account,
                previous: previous, slots: slots, copy: slots == .good ? .good : copy, key: key)
        }
    }

    static func file(_ file: File, _ good: StoreContents.File) -> StoreContents.File {
        switch file {
        case .good: good
        case .damaged: good.damaged
        case .absent: .absent
        case .unreadable: .unreadable("cannot be read: Input/output error")
        }
    }

    /// A store with two generations: "b" now, "a" before.
    static func store() throws -> FakeStore {
        let desk = try Desk()
        _ = try desk.call("Login", #"{"access_token":"2.00a","uid":"7","expires_at":1800000000}"#)
        _ = try desk.call("Login", #"{"access_token":"2.00b","uid":"7","expires_at":1900000000}"#)
        return desk.store
    }

    static func make(_ one: Combination, from whole: FakeStore) -> FakeStore {
        var store = whole
        store.account = file(one.account, whole.account)
        store.previousAccount = file(one.previous, whole.previousAccount)
        store.slots = file(one.slots, whole.slots)
        store.slotsCopy = file(one.copy, whole.slotsCopy)
        switch one.key {
        case .right: break
        case .absent: store.key = .absent
        case .wrong: store.key = .bytes([UInt8](repeating: 1, count: 32))
        case .unusable: store.key = .unusable(13, "the key file /k/key cannot be read: EACCES")
        }
        return store
    }

    @Test("the state is what the files make it, and looking changes nothing")
    func states() throws {
        let whole = try Self.store()
        for one in Combination.all {
            let desk = try Desk(Self.make(one, from: whole))
            let status = try desk.call("GetStatus").text
            #expect(status.contains(#""state":"\#(one.state)""#), "\(one)")
            let first = try desk.call("Verify").text
            #expect(try desk.call("Verify").text == first)
            #expect(try desk.call("GetStatus").text == status, "\(one)")
            let isWhole =
                one.account == .good && one.previous == .good && one.slots == .good
                && one.copy == .good && one.key == .right
            if one.state == "empty" || one.state == "present" { continue }
            #expect((first == Reply.findings([])) == isWhole, "\(one)")
        }
    }

    @Test("a repair brings back what has a good copy, and nothing is lost")
    func repairs() throws {
        let whole = try Self.store()
        for one in Combination.all {
            let desk = try Desk(Self.make(one, from: whole))
            let before = desk.store
            let repaired = try desk.call("Repair")
            let expected = one.mended
            let status = try desk.call("GetStatus").text
            #expect(status.contains(#""state":"\#(expected.state)""#), "\(one)")
            let restarted = try Desk(desk.store)
            #expect(try restarted.call("GetStatus").text == status, "\(one)")
            switch expected.state {
            case "present":
                let uid = #"{"parameters":{"account":{"uid":"7","expires_at":"#
                let isPrevious = one.account != .good
                #expect(repaired.text.hasPrefix("\(uid)\(isPrevious ? 18 : 19)00000000,"), "\(one)")
            case "empty": #expect(repaired.text == Reply.ok(), "\(one)")
            case "locked": #expect(repaired.text == Reply.locked, "\(one)")
            default: #expect(repaired.verdict == .damaged, "\(one)")
            }
            try nothingIsLost(before, desk.store, one)
            // A second time there is nothing left to do.
            let mended = desk.store
            _ = try desk.call("Repair")
            #expect(desk.store.contents.slots == mended.contents.slots)
            #expect(desk.store.aside == mended.aside, "\(one)")
        }
    }

    /// What stood there stands there still, or aside, or was there twice.
    private func nothingIsLost(
        _ before: FakeStore, _ after: FakeStore, _ one: Combination
    ) throws {
        let kept =
            [after.account, after.previousAccount, after.slots, after.slotsCopy]
            + Array(after.aside.values)
        for file in [before.account, before.previousAccount, before.slots] {
            if case .unreadable = file { continue }
            #expect(file == .absent || kept.contains(file), "\(one)")
        }
        #expect(before.key == after.key)
        #expect(before.previousAccount == after.previousAccount)
    }

    static let findings: [(Combination, [String])] = [
        (row(), []),
        (row(previous: .absent), []),
        (
            row(previous: .damaged),
            ["account.plist.sealed~ is damaged; it is a spare, and the next login replaces it"]
        ),
        (
            row(account: .damaged),
            [
                "account.plist.sealed is damaged; `account doctor --repair` brings back the "
                    + "previous generation, of uid 7, whose token expires 2027-01-15T08:00:00Z"
            ]
        ),
        (
            row(account: .absent),
            [
                "account.plist.sealed is missing; `account doctor --repair` brings back the "
                    + "previous generation, of uid 7, whose token expires 2027-01-15T08:00:00Z"
            ]
        ),
        (
            row(account: .unreadable, previous: .absent),
            [
                "account.plist.sealed cannot be read: Input/output error, and there is no "
                    + "previous generation: log in again with `account login --replace`"
            ]
        ),
        (
            row(account: .damaged, previous: .damaged),
            [
                "account.plist.sealed~ is damaged; it is a spare, and the next login replaces it",
                State.damage,
            ]
        ),
        (row(copy: .absent), ["keyslots.plist~ is missing; \(again)"]),
        (row(copy: .damaged), ["keyslots.plist~ is damaged; \(again)"]),
        (
            row(copy: .unreadable),
            ["keyslots.plist~ cannot be read: Input/output error; \(again)"]
        ),
        (row(slots: .damaged), ["keyslots.plist is damaged; \(back)"]),
        (row(slots: .absent), ["keyslots.plist is missing; \(back)"]),
        (
            row(slots: .unreadable),
            ["keyslots.plist cannot be read: Input/output error; \(back)"]
        ),
        (
            row(slots: .damaged, copy: .absent),
            [
                "keyslots.plist is damaged, and there is no good copy: `account login --replace` "
                    + "begins anew and keeps it aside"
            ]
        ),
        (
            row(slots: .absent, copy: .damaged),
            [
                "keyslots.plist is missing, and there is no good copy, though sealed files are "
                    + "there: put it back, or `account login --replace` begins anew"
            ]
        ),
        (row(key: .absent), ["the key file /k/key is missing; put it back"]),
        (row(key: .wrong), ["the key file /k/key is not the one that opens this store"]),
        (row(key: .unusable), ["the key file /k/key cannot be read: EACCES"]),
        (
            row(slots: .damaged, key: .absent),
            ["keyslots.plist is damaged; \(back)", "the key file /k/key is missing; put it back"]
        ),
        (
            row(account: .damaged, slots: .damaged),
            [
                "keyslots.plist is damaged; \(back)",
                "account.plist.sealed is damaged; `account doctor --repair` brings back the "
                    + "previous generation, of uid 7, whose token expires 2027-01-15T08:00:00Z",
            ]
        ),
    ]

    private static let again = "`account doctor --repair` makes it again"
    private static let back = "`account doctor --repair` brings it back from its copy"

    private static func row(
        account: File = .good, previous: File = .good, slots: File = .good, copy: File = .good,
        key: Key = .right
    ) -> Combination {
        Combination(account: account, previous: previous, slots: slots, copy: copy, key: key)
    }

    @Test("each fault is said once, in the order of the files", arguments: findings)
    func finding(one: Combination, findings: [String]) throws {
        let store = Self.make(one, from: try Self.store())
        #expect(try Desk(store).call("Verify").text == Reply.findings(findings))
    }
}
