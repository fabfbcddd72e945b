import AccountService
import Sealing
import TestStore
import Testing

@testable import AccountService

/// A change of the slots that is cut off, or fails, at each of its steps.
@Suite struct RotationTests {
    /// A change, in a store of a passphrase, a code and an earlier generation of the account.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        var parameters = "{}"
        /// Whether a key file opens the store, too.
        var hasKeyFile = false
        var testDescription: String { "\(method) \(parameters)" }
    }

    static let cases: [Case] = [
        Case(method: "Rotate"), Case(method: "Rotate", hasKeyFile: true),
        Case(method: "RemoveSlot", parameters: #"{"id":"a recovery slot's"}"#),
        Case(method: "RemoveSlot", parameters: #"{"id":"a recovery slot's","rotate":false}"#),
        Case(
            method: "AddSlot", parameters: #"{"kind":"passphrase","passphrase":"another"}"#,
            hasKeyFile: true),
        Case(method: "AddSlot", parameters: #"{"kind":"passphrase","passphrase":"another"}"#),
        Case(method: "AddSlot", parameters: #"{"kind":"keyfile"}"#),
    ]

    private func desk(_ one: Case) throws -> Desk {
        let desk = try Desk.standing(.present)
        _ = try desk.call("Login", Desk.login)
        try desk.add(passphrase: Desk.passphrase, keepingKeyFile: one.hasKeyFile)
        try desk.addCode()
        if !one.hasKeyFile { _ = try desk.call("Login", Desk.login) }
        #expect(desk.store.previousAccount != .absent)
        return desk
    }

    private func parameters(_ one: Case, _ desk: Desk) throws -> String {
        let list = try desk.call("ListSlots").text
        let match = try #require(list.firstMatch(of: /"id":"([0-9a-f]+)","kind":"recovery"/))
        return one.parameters.replacing("a recovery slot's", with: match.output.1)
    }

    private static let steps = 0..<24

    @Test(
        "cut off at any step, the store opens with the same account, and it can be run again",
        arguments: cases)
    func cutOff(one: Case) throws {
        var wasDone = false
        for steps in Self.steps where !wasDone {
            let desk = try desk(one)
            let parameters = try parameters(one, desk)
            let before = try SlotTests.slotIDs(desk)
            desk.store.isKilledAfter = steps
            let answer = try desk.call(one.method, parameters)
            wasDone = answer.verdict == .answered
            var left = desk.store
            left.isKilledAfter = nil
            let ids = try SlotTests.slotIDs(Desk(left))
            try opens(left, "\(steps)", hasCode: one.method != "RemoveSlot" || ids == before)
            // Whoever runs it again, or a rotation, finishes it.
            // Where nothing but the copy was written there is nothing to finish, and the copy is for a
            // repair.
            let hasBegun = left.slots == left.slotsCopy
            for again in [one.method, "Rotate"] + (hasBegun ? ["FinishRotation"] : []) {
                let following = try Desk(left)
                _ = try following.unlock(passphrase: Desk.passphrase)
                let answer = try following.call(again, again == one.method ? parameters : "{}")
                switch answer.verdict {
                case .answered: break
                // It was removed.
                case .refused: #expect(one.method == "RemoveSlot" && ids != before, "\(steps)")
                case .invalid: #expect(one.method == "AddSlot" && ids != before, "\(steps)")
                default: Issue.record("\(steps): \(answer.text)")
                }
                // A spare that bears the key before is left to a rotation.
                if answer.verdict != .answered || again == "AddSlot" {
                    #expect(try following.call("Rotate").verdict == .answered)
                }
                #expect(try SlotTests.retired(following).isEmpty, "\(steps), \(again)")
                #expect(try following.call("Verify").text == Reply.findings([]), "\(steps)")
                #expect(following.store.slots == following.store.slotsCopy)
                let hasCode = try following.call("ListSlots").text.contains("recovery")
                try opens(following.store, "\(steps), \(again)", hasCode: hasCode)
            }
        }
        #expect(wasDone, "there are more steps")
    }

    /// Whether a daemon that starts now serves the account by each secret.
    private func opens(_ store: FakeStore, _ comment: String, hasCode: Bool) throws {
        let passphrase = try Desk(store)
        #expect(
            try passphrase.unlock(passphrase: Desk.passphrase).text == Reply.ok(), "\(comment)")
        #expect(try passphrase.call("GetToken").text == Reply.token, "\(comment)")
        guard hasCode else { return }
        let code = try Desk(store)
        #expect(try code.unlock(code: Desk.code).text == Reply.ok(), "\(comment)")
        #expect(try code.call("GetToken").text == Reply.token, "\(comment)")
    }

    @Test(
        "what fails is said, and the service is where a restart would be", arguments: cases,
        ["Rotate", "FinishRotation"])
    func failure(one: Case, finishing: String) throws {
        for step in FakeStore.Step.allCases {
            let desk = try desk(one)
            let parameters = try parameters(one, desk)
            let slots = desk.store.slots
            desk.store.failsAt = step
            let answer = try desk.call(one.method, parameters)
            desk.store.failsAt = nil
            if answer.verdict == .answered { continue }
            #expect(answer.verdict == .failed, "\(step)")
            let isChanged = desk.store.slots != slots
            #expect(answer.text.contains("the slots are changed") == isChanged, "\(step)")
            let following = try Desk(desk.store)
            _ = try following.unlock(passphrase: Desk.passphrase)
            try areAlike(desk, following, "\(step)")
            // What is left to do is done by a rotation, or without another one, in either of them.
            for desk in [following, desk] {
                let before = desk.store
                #expect(try desk.call(finishing).verdict == .answered, "\(step)")
                #expect(try SlotTests.retired(desk).isEmpty, "\(step)")
                let hasCode = try desk.call("ListSlots").text.contains("recovery")
                try opens(desk.store, "\(step)", hasCode: hasCode)
                desk.store = before
            }
        }
    }

    private func areAlike(_ desk: Desk, _ other: Desk, _ comment: String) throws {
        for method in ["GetToken", "GetAccount", "ListSlots", "Verify", "GetStatus"] {
            let text = try desk.call(method).text
            #expect(try other.call(method).text == text, "\(comment), \(method)")
        }
        #expect(desk.service.slots?.bytes == other.service.slots?.bytes, "\(comment)")
        let id = desk.service.masterKey?.id
        let otherID = other.service.masterKey?.id
        #expect(id == otherID, "\(comment)")
        #expect(desk.service.held?.file == other.service.held?.file, "\(comment)")
    }

    static let inPlace: [(Int, String)] = [
        (0, "the slots are changed, but a power cut may bring back those before"),
        (1, "the slots are changed; `account key rotate` seals the account anew"),
        (2, "the slots are changed; `account key rotate` forgets the earlier master key"),
    ]

    @Test("what stands there although it failed is in effect", arguments: inPlace)
    func failsInPlace(position: Int, what: String) throws {
        let desk = try desk(Case(method: "Rotate"))
        var answer = desk.begin("Rotate")
        for _ in 0..<position { answer = try desk.work() }
        #expect(answer.kind == .change)
        let change = try #require(desk.change)
        let result = desk.store.perform(change)
        guard case .done = result else {
            Issue.record("\(result)")
            return
        }
        answer = try desk.work(
            with: .failed(
                StoreFailure(errno: 5, message: "/s: Input/output error", isInPlace: true)))
        #expect(
            answer.text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":5,"message":"/s: Input/output error; \#(what)""#))
        let following = try Desk(desk.store)
        _ = try following.unlock(passphrase: Desk.passphrase)
        try areAlike(desk, following, what)
        #expect(try desk.call("Rotate").verdict == .answered)
        #expect(try SlotTests.retired(desk).isEmpty)
    }

    @Test("keys that archives are sealed by stay, and those alone")
    func archives() throws {
        let desk = try desk(Case(method: "Rotate"))
        var borne: [String] = []
        for number in 1...3 {
            let id = try SlotTests.keyID(desk)
            if number != 2 {
                borne.append(id)
                desk.store.archiveKeys.append(try #require(desk.service.slots?.slots.current))
            }
            let answer = try desk.call("Rotate")
            let list = borne.map { "\"\($0)\"" }.joined(separator: ",")
            let current = try SlotTests.keyID(desk)
            #expect(
                answer.text == Reply.ok(#""key_id":"\#(current)","retired":[\#(list)]"#))
        }
        #expect(try SlotTests.retired(desk) == borne)
        let finding =
            "keyslots.plist keeps 2 earlier master keys, by which files may still be sealed; "
            + "`account key rotate` looks, and forgets what it can"
        #expect(try desk.call("Verify").text == Reply.findings([finding]))
        desk.store.archiveKeys.removeFirst()
        // Any change of the slots looks, too.
        #expect(try desk.call("AddSlot", #"{"kind":"keyfile"}"#).verdict == .answered)
        #expect(try SlotTests.retired(desk) == [borne[1]])
        desk.store.archiveKeys = []
        #expect(try desk.call("Rotate").text.hasSuffix(#""retired":[]}}"#))
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("there are sixteen earlier keys at most, and room is made once nothing is sealed by one")
    func sixteen() throws {
        let desk = try desk(Case(method: "Rotate"))
        for _ in 0..<KeySlots.maximumRetiredKeys {
            desk.store.archiveKeys.append(try #require(desk.service.slots?.slots.current))
            #expect(try desk.call("Rotate").verdict == .answered)
        }
        #expect(try SlotTests.retired(desk).count == 16)
        let id = try SlotTests.slotIDs(desk)[0]
        for (method, parameters) in [("Rotate", "{}"), ("RemoveSlot", #"{"id":"\#(id)"}"#)] {
            let slots = desk.store.slots
            let answer = try desk.call(method, parameters)
            #expect(answer.text == Reply.tooManyRetiredKeys)
            #expect(answer.verdict == .refused)
            #expect(desk.store.slots == slots)
            #expect(try desk.call("GetToken").text == Reply.token)
        }
        // Without a rotation a slot may go.
        #expect(
            try desk.call("RemoveSlot", #"{"id":"\#(id)","rotate":false}"#).verdict == .answered)
        let gone = desk.store.archiveKeys.removeFirst()
        let full = desk.store
        for failing in [nil, FakeStore.Step.account, .retiredKeys, .slots, .slotsCopy] {
            desk.store = full
            try desk.load()
            _ = try desk.unlock(passphrase: Desk.passphrase)
            _ = try desk.unlock(code: Desk.code)
            desk.store.failsAt = failing
            if failing != nil { #expect(try desk.call("Rotate").text == Reply.diskIsFull) }
            desk.store.failsAt = nil
            let key = try SlotTests.keyID(desk)
            #expect(try desk.call("Rotate").verdict == .answered)
            let retired = try SlotTests.retired(desk)
            #expect(retired.count == 15, "\(failing as Any)")
            #expect(!retired.contains(gone.description))
            #expect(try SlotTests.keyID(desk) != key)
        }
        desk.store.archiveKeys = []
        #expect(try desk.call("Rotate").text.hasSuffix(#""retired":[]}}"#))
        #expect(try Desk(desk.store).unlock(passphrase: Desk.passphrase).kind != .change)
    }

    @Test("a rotation leaves nothing that the key before opens")
    func previousGeneration() throws {
        let desk = try desk(Case(method: "Rotate"))
        let id = try #require(desk.service.slots?.slots.current)
        #expect(try desk.call("Rotate").verdict == .answered)
        #expect(desk.store.previousAccount == .absent)
        guard case .bytes(let bytes) = desk.store.account else {
            Issue.record("no account")
            return
        }
        #expect(try SealedFile.header(of: bytes.span).keyID != id)
        // And an account of another store is not taken for the one that is sealed anew.
        #expect(desk.service.held?.file == bytes)
    }

    @Test("slots that are not those that were read are not overwritten")
    func otherSlots() throws {
        for one in Self.cases {
            let desk = try desk(one)
            let parameters = try parameters(one, desk)
            let other = try Desk.standing(.shut)
            desk.store.slots = other.store.slots
            let store = desk.store
            let answer = try desk.call(one.method, parameters)
            #expect(answer.verdict == .failed)
            #expect(desk.store.slots == store.slots)
            #expect(desk.store.slotsCopy == store.slotsCopy)
            #expect(desk.store.account == store.account)
            #expect(desk.store.key == store.key || one.parameters.contains("keyfile"))
            #expect(try desk.call("GetToken").text == Reply.token)
        }
    }
}
