import AccountService
import Sealing
import TestStore
import Testing

@testable import AccountService

/// What is left of a rotation is done without another one.
@Suite struct FinishRotationTests {
    /// What a rotation has left to do.
    enum Left: CaseIterable, Sendable {
        /// The account is sealed by the key before.
        case account
        /// The account and its previous generation are.
        case accountAndSpare
        /// The previous generation alone is.
        case spare
        /// Nothing is sealed by the key before, which is kept still.
        case key
        /// Nobody is logged in, and a key is kept.
        case keyAlone
    }

    /// A store with a passphrase that a rotation has left so.
    private func desk(_ left: Left) throws -> Desk {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase, keepingKeyFile: true)
        _ = try desk.call("Login", Desk.login)
        if left == .account { desk.store.previousAccount = .absent }
        let previous = desk.store.previousAccount
        let id = try #require(desk.service.slots?.slots.current)
        switch left {
        case .account, .accountAndSpare: try desk.rotate()
        case .spare, .key, .keyAlone:
            if left == .keyAlone { _ = try desk.call("Logout") }
            desk.store.archiveKeys = [id]
            #expect(try desk.call("Rotate").verdict == .answered)
            desk.store.archiveKeys = []
            if left == .spare { desk.store.previousAccount = previous }
        }
        try desk.load()
        #expect(try SlotTests.retired(desk) == [id.description])
        return desk
    }

    private func isFinished(_ desk: Desk, _ left: Left, _ comment: Comment? = nil) throws {
        #expect(try SlotTests.retired(desk).isEmpty, comment)
        #expect(try desk.call("Verify").text == Reply.findings([]), comment)
        #expect(desk.store.slots == desk.store.slotsCopy, comment)
        let current = try #require(desk.service.slots?.slots.current)
        for file in [desk.store.account, desk.store.previousAccount] where file != .absent {
            #expect(FakeStore.keyID(of: file) == current, comment)
        }
        let token = left == .keyAlone ? Reply.noAccount : Reply.token
        for desk in [desk, try Desk(desk.store)] {
            #expect(try desk.call("GetToken").text == token, comment)
            _ = try desk.call("Lock")
            #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok(), comment)
            #expect(try desk.call("GetToken").text == token, comment)
        }
    }

    @Test("whatever is left is done, and the master key stays", arguments: Left.allCases)
    func finishes(left: Left) throws {
        let desk = try desk(left)
        let id = try SlotTests.keyID(desk)
        let answer = try desk.call("FinishRotation")
        #expect(answer.text == Reply.ok(#""key_id":"\#(id)","retired":[]"#))
        #expect(answer.method == .finishRotation)
        try isFinished(desk, left)
        #expect(try SlotTests.keyID(desk) == id)
    }

    private static let steps = 0..<16

    @Test("cut off at any step, it can be run again", arguments: Left.allCases)
    func cutOff(left: Left) throws {
        var wasDone = false
        for steps in Self.steps where !wasDone {
            let desk = try desk(left)
            desk.store.isKilledAfter = steps
            let answer = try desk.call("FinishRotation")
            wasDone = answer.verdict == .answered
            desk.store.isKilledAfter = nil
            let following = try Desk(desk.store)
            #expect(try following.call("FinishRotation").verdict == .answered, "\(steps)")
            try isFinished(following, left, "\(steps)")
        }
        #expect(wasDone, "there are more steps")
    }

    @Test("what fails is said, and is done by the next one", arguments: Left.allCases)
    func failure(left: Left) throws {
        var failed: Set<String> = []
        for step in FakeStore.Step.allCases {
            let desk = try desk(left)
            let token = try desk.call("GetToken").text
            desk.store.failsAt = step
            let answer = try desk.call("FinishRotation")
            desk.store.failsAt = nil
            if answer.verdict == .answered { continue }
            failed.insert("\(step)")
            #expect(answer.text == Reply.diskIsFull, "\(step)")
            #expect(try desk.call("GetToken").text == token, "\(step)")
            #expect(try Desk(desk.store).call("GetToken").text == token, "\(step)")
            #expect(try desk.call("FinishRotation").verdict == .answered, "\(step)")
            try isFinished(desk, left, "\(step)")
        }
        #expect(failed.isSuperset(of: ["retiredKeys", "slotsCopy", "slots"]))
        let savesAgain = [.account, .accountAndSpare, .spare].contains(left)
        #expect(failed.contains("account") == savesAgain)
    }

    @Test("what stands there although it failed is in effect")
    func failsInPlace() throws {
        let desk = try desk(.account)
        _ = desk.begin("FinishRotation")
        let failure = StoreResult.failed(
            StoreFailure(errno: 5, message: "/s: Input/output error", isInPlace: true))
        let change = try #require(desk.change)
        _ = desk.store.perform(change)
        let text = Reply.error(
            "org.accountd.Account.StoreFailed", #""errno":5,"message":"/s: Input/output error""#)
        #expect(try desk.work(with: failure).text == text)
        #expect(desk.service.held?.file == Desk.bytes(desk.store.account))
        // The account stands; the key is left.
        _ = desk.begin("FinishRotation")
        let next = try #require(desk.change)
        guard case .dropRetiredKeys = next else {
            Issue.record("\(next)")
            return
        }
        _ = desk.store.perform(next)
        #expect(try desk.work(with: failure).text == text)
        #expect(desk.begin("FinishRotation").kind == .reply)
        try isFinished(desk, .account)
    }

    @Test("with nothing left to do it is answered at once, and nothing is written")
    func nothing() throws {
        let desk = try Desk.standing(.present)
        _ = try desk.call("Login", Desk.login)
        let before = desk.store
        let id = try SlotTests.keyID(desk)
        for _ in 0..<2 {
            let answer = desk.begin("FinishRotation")
            #expect(answer.kind == .reply)
            #expect(answer.text == Reply.ok(#""key_id":"\#(id)","retired":[]"#))
        }
        #expect(desk.store.account == before.account)
        #expect(desk.store.previousAccount == before.previousAccount)
        #expect(desk.store.slots == before.slots)
        #expect(
            desk.send(Desk.message("FinishRotation", "{}", flag: "oneway")).kind == .silence)
        #expect(
            try desk.call("FinishRotation", #"{"all":true}"#).text
                == Reply.invalid(parameter: "all"))
    }

    @Test("keys that archives are sealed by stay, and so does the account's previous generation")
    func archives() throws {
        let desk = try Desk.standing(.present)
        var ids: [String] = []
        for _ in 0..<3 {
            ids.append(try SlotTests.keyID(desk))
            desk.store.archiveKeys.append(try #require(desk.service.slots?.slots.current))
            _ = try desk.call("Rotate")
        }
        _ = try desk.call("Login", Desk.login)
        let account = desk.store.account
        let previous = desk.store.previousAccount
        #expect(previous != .absent)
        let id = try SlotTests.keyID(desk)
        // The archives are sealed anew one after the other.
        for order in [[0, 1, 2], [0, 2], [2], []] {
            desk.store.archiveKeys = order.compactMap { position in
                desk.service.slots?.slots.retired.map(\.id).first {
                    $0.description == ids[position]
                }
            }
            let list = order.map { #""\#(ids[$0])""# }.joined(separator: ",")
            #expect(
                try desk.call("FinishRotation").text
                    == Reply.ok(#""key_id":"\#(id)","retired":[\#(list)]"#))
            #expect(desk.store.account == account)
            #expect(desk.store.previousAccount == previous)
        }
        try #require(desk.store.previousAccount != .absent)
        #expect(try desk.call("Verify").text == Reply.findings([]))
    }

    @Test("a spare by an earlier key goes once, though archives keep that key")
    func spareAndArchive() throws {
        let desk = try desk(.spare)
        let id = try SlotTests.retired(desk)[0]
        desk.store.archiveKeys = try #require(desk.service.slots?.slots.retired.map(\.id))
        for _ in 0..<2 {
            #expect(try desk.call("FinishRotation").text.hasSuffix(#""retired":["\#(id)"]}}"#))
            #expect(desk.store.previousAccount == .absent)
        }
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("a worker that finds a spare again and again does not keep it going for ever")
    func spareThatStays() throws {
        let desk = try desk(.spare)
        let ids = try #require(desk.service.slots?.slots.retired.map(\.id))
        let borne = StoreResult.borne(BorneKeys(ids, bySpare: true))
        _ = desk.begin("FinishRotation")
        #expect(try desk.work(with: borne).kind == .change)
        // The account was sealed anew, and the keys are asked for once more.
        #expect(try desk.work().kind == .change)
        let answer = try desk.work(with: borne)
        #expect(answer.kind == .reply)
        #expect(answer.text.hasSuffix(#""retired":["\#(ids[0])"]}}"#))
    }

    @Test("slots that are not those that were read are not overwritten", arguments: Left.allCases)
    func otherSlots(left: Left) throws {
        let desk = try desk(left)
        desk.store.slots = try Desk.standing(.shut).store.slots
        let store = desk.store
        #expect(try desk.call("FinishRotation").verdict == .failed)
        #expect(desk.store.slots == store.slots)
        #expect(desk.store.slotsCopy == store.slotsCopy)
        #expect(desk.store.account == store.account)
    }

    @Test("it waits for the change in hand, and a use of the store it is if it writes")
    func waiting() throws {
        let desk = try desk(.key)
        let begun = desk.begin("UpdateProfile")
        #expect(desk.begin("FinishRotation").kind == .wait)
        _ = try desk.complete(begun)
        desk.pass(seconds: 7)
        #expect(try desk.call("FinishRotation").verdict == .answered)
        #expect(desk.service.usedAt == desk.now.boottime)
        desk.pass(seconds: 7)
        #expect(try desk.call("FinishRotation").verdict == .answered)
        #expect(desk.service.usedAt != desk.now.boottime)
    }
}

extension Desk {
    fileprivate static func bytes(_ file: StoreContents.File) -> [UInt8]? {
        guard case .bytes(let bytes) = file else { return nil }
        return bytes
    }
}
