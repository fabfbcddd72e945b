import AccountService
import SecretMemory
import TestStore
import Testing

@testable import AccountService
@testable import Sealing

/// The keys of archives: who is given which.
@Suite struct ArchiveKeyTests {
    /// An id that no master key has.
    static let noKey = String(repeating: "0f", count: 16)

    /// What docs/FORMAT.md, "Keys", derives of a name from the master key that is held.
    private func expected(_ desk: Desk, _ name: String) throws -> String {
        switch desk.service.masterKey {
        case .none:
            try #require(Bool(false), "the store is locked")
            return ""
        case .some(let masterKey):
            let key = try masterKey.archiveKey(named: name, in: desk.arena)
            return key.withBytes { key in hexadecimal(key.array) }
        }
    }

    private func reply(_ key: String, _ id: String) -> String {
        Reply.ok(#""key":"\#(key)","key_id":"\#(id)""#)
    }

    /// What is given for a name, and the master key's id.
    private func derive(_ desk: Desk, _ parameters: String) throws -> (key: String, id: String) {
        let text = try desk.call("DeriveArchiveKey", parameters).text
        let match = try #require(
            text.wholeMatch(
                of: /\{"parameters":\{"key":"([0-9a-f]{64})","key_id":"([0-9a-f]{32})"\}\}/),
            "\(text)")
        return (String(match.output.1), String(match.output.2))
    }

    static let names: [(json: String, name: String)] = [
        ("drafts", "drafts"), ("a", "a"), ("草稿/é", "草稿/é"), ("e\u{301}", "e\u{301}"),
        ("../../keyslots", "../../keyslots"), (#"\ud83d\ude00"#, "😀"), (#"a\u002fb"#, "a/b"),
        (#"\"\\\n\u007f"#, "\"\\\n\u{7F}"), (" ", " "),
        (String(repeating: "n", count: 180), String(repeating: "n", count: 180)),
        (String(repeating: "é", count: 90), String(repeating: "é", count: 90)),
        (String(repeating: #"\u00e9"#, count: 90), String(repeating: "é", count: 90)),
    ]

    @Test("the key is that of the name's bytes, however they are written", arguments: names)
    func derivation(json: String, name: String) throws {
        let desk = try Desk.standing(.present)
        let id = try SlotTests.keyID(desk)
        let answer = try desk.call("DeriveArchiveKey", #"{"name":"\#(json)"}"#)
        #expect(try answer.text == reply(expected(desk, name), id))
        #expect(answer.kind == .reply)
        #expect(answer.method == .deriveArchiveKey)
        #expect(answer.verdict == .answered)
        // And by the master key's own name, in either case.
        for id in [id, id.uppercased()] {
            #expect(
                try desk.call("DeriveArchiveKey", #"{"key_id":"\#(id)","name":"\#(json)"}"#).text
                    == answer.text)
        }
        #expect(
            try desk.call("DeriveArchiveKey", #"{"name":"\#(json)","key_id":null}"#).text
                == answer.text)
    }

    @Test("each name has a key of its own")
    func distinct() throws {
        let desk = try Desk.standing(.present)
        let names = ["drafts", "Drafts", "drafts ", "é", "e\\u0301", "account", "accountd app v1"]
        let keys = try names.map { try derive(desk, #"{"name":"\#($0)"}"#).key }
        #expect(Set(keys).count == names.count)
        let other = try Desk.standing(.present)
        #expect(try derive(other, #"{"name":"drafts"}"#).key != keys[0])
        // The same store gives the same after a restart.
        #expect(try derive(Desk(desk.store), #"{"name":"drafts"}"#).key == keys[0])
    }

    private static let idIsNone = Reply.invalid(
        field: "key_id", "is not 32 hexadecimal digits")

    static let refusals: [(parameters: String, reply: String, verdict: Verdict)] = [
        ("{}", Reply.invalid(parameter: "name"), .invalid),
        (#"{"name":null}"#, Reply.invalid(parameter: "name"), .invalid),
        (#"{"name":7}"#, Reply.invalid(parameter: "name"), .invalid),
        (#"{"name":["a"]}"#, Reply.invalid(parameter: "name"), .invalid),
        (#"{"name":"a","key_id":7}"#, Reply.invalid(parameter: "key_id"), .invalid),
        (#"{"name":"a","keyid":"a"}"#, Reply.invalid(parameter: "keyid"), .invalid),
        (#"{"name":""}"#, Reply.invalid(field: "name", "is empty"), .invalid),
        (
            #"{"name":"\#(String(repeating: "n", count: 181))"}"#,
            Reply.invalid(field: "name", "is longer than 180 bytes"), .invalid
        ),
        (
            #"{"name":"n\#(String(repeating: "é", count: 90))"}"#,
            Reply.invalid(field: "name", "is longer than 180 bytes"), .invalid
        ),
        (#"{"name":"a","key_id":""}"#, idIsNone, .invalid),
        (#"{"name":"a","key_id":"\#(noKey.dropLast())"}"#, idIsNone, .invalid),
        (#"{"name":"a","key_id":"\#(noKey)0"}"#, idIsNone, .invalid),
        (#"{"name":"a","key_id":"\#(noKey.dropLast())g"}"#, idIsNone, .invalid),
        (#"{"name":"a","key_id":"g\#(noKey.dropFirst())"}"#, idIsNone, .invalid),
        (#"{"name":"a","key_id":"\#(noKey)\#(noKey)"}"#, idIsNone, .invalid),
        (#"{"name":"a","key_id":"\#(noKey)"}"#, Reply.noSuchKey(noKey), .refused),
        (
            #"{"name":"a","key_id":"\#(noKey.uppercased())"}"#, Reply.noSuchKey(noKey), .refused
        ),
    ]

    @Test("what is no name, or names no key, is refused", arguments: refusals)
    func refused(parameters: String, reply: String, verdict: Verdict) throws {
        let desk = try Desk.standing(.present)
        let used = desk.arena.used
        let answer = try desk.call("DeriveArchiveKey", parameters)
        #expect(answer.text == reply)
        #expect(answer.verdict == verdict)
        #expect(desk.arena.used == used)
    }

    @Test("a name with a zero byte in it is no text that a call may have")
    func zeroByte() throws {
        let desk = try Desk.standing(.present)
        #expect(try desk.call("DeriveArchiveKey", #"{"name":"a\u0000b"}"#).kind == .close)
        #expect(try desk.call("DeriveArchiveKey", #"{"name":"\ud800"}"#).kind == .close)
    }

    @Test(
        "nobody but the daemon's own user is given a key, not even root", arguments: State.allCases)
    func otherUsers(state: State) throws {
        let desk = try Desk.standing(state)
        desk.isOwnUser = false
        for parameters in [#"{"name":"a"}"#, "{}", #"{"name":"a","key_id":"\#(Self.noKey)"}"#] {
            let answer = try desk.call("DeriveArchiveKey", parameters)
            #expect(answer.text == Reply.denied)
            #expect(answer.verdict == .denied)
        }
        // All else is an owner's.
        #expect(try desk.call("FinishRotation").text != Reply.denied)
        #expect(try desk.call("Export").text != Reply.denied)
        // And a uid alone is no role.
        desk.isOwnUser = true
        #expect(
            try desk.call("DeriveArchiveKey", #"{"name":"a"}"#, as: .reader).text == Reply.denied)
    }

    @Test("an earlier master key gives what it gave, as long as it is kept")
    func retired() throws {
        let desk = try Desk.standing(.present)
        var earlier: [(key: String, id: String)] = []
        for _ in 0..<3 {
            earlier.append(try derive(desk, #"{"name":"drafts"}"#))
            desk.store.archiveKeys.append(try #require(desk.service.slots?.slots.current))
            #expect(try desk.call("Rotate").verdict == .answered)
        }
        let current = try derive(desk, #"{"name":"drafts"}"#)
        #expect(Set((earlier + [current]).map(\.key)).count == 4)
        for desk in [desk, try Desk(desk.store)] {
            for one in earlier + [current] {
                let given = try derive(desk, #"{"name":"drafts","key_id":"\#(one.id)"}"#)
                #expect(given == one)
            }
        }
        let forgotten = earlier.removeFirst()
        desk.store.archiveKeys.removeFirst()
        #expect(try desk.call("FinishRotation").verdict == .answered)
        #expect(
            try desk.call(
                "DeriveArchiveKey", #"{"name":"drafts","key_id":"\#(forgotten.id)"}"#
            ).text == Reply.noSuchKey(forgotten.id))
        #expect(try derive(desk, #"{"name":"drafts","key_id":"\#(earlier[0].id)"}"#) == earlier[0])
    }

    @Test("while a change is written the master key in effect gives the key")
    func changeInHand() throws {
        let desk = try Desk.standing(.present)
        desk.store.archiveKeys.append(try #require(desk.service.slots?.slots.current))
        let before = try derive(desk, #"{"name":"a"}"#)
        var answer = desk.begin("Rotate")
        // The slots are not durable yet.
        #expect(try derive(desk, #"{"name":"a"}"#) == before)
        #expect(desk.begin("FinishRotation").kind == .wait)
        answer = try desk.work()
        // Now they are, and the account is still sealed by the key before.
        let after = try derive(desk, #"{"name":"a"}"#)
        #expect(after.id != before.id)
        while answer.kind == .change {
            #expect(try derive(desk, #"{"name":"a"}"#) == after)
            #expect(try derive(desk, #"{"name":"a","key_id":"\#(before.id)"}"#) == before)
            answer = try desk.work()
        }
        #expect(answer.text == reply(rotation: after.id, [before.id]))
        #expect(try derive(Desk(desk.store), #"{"name":"a"}"#) == after)
    }

    private func reply(rotation id: String, _ retired: [String]) -> String {
        let list = retired.map { #""\#($0)""# }.joined(separator: ",")
        return Reply.ok(#""key_id":"\#(id)","retired":[\#(list)]"#)
    }

    @Test("a passphrase that is being made a key of holds nobody up, and opens nothing by itself")
    func derivationInHand() throws {
        let desk = try Desk.standing(.present)
        let before = try derive(desk, #"{"name":"a"}"#)
        var answer = desk.begin("AddSlot", #"{"kind":"passphrase","passphrase":"p"}"#)
        var given = before
        while answer.kind == .change {
            given = try derive(desk, #"{"name":"a"}"#)
            answer = try desk.work()
        }
        // It took the key file's place, under another master key.
        #expect(given.id != before.id)
        #expect(try desk.call("Lock").text == Reply.ok())
        answer = desk.begin("Unlock", #"{"passphrase":"p"}"#)
        while answer.kind == .change {
            #expect(try desk.call("DeriveArchiveKey", #"{"name":"a"}"#).text == Reply.locked)
            answer = try desk.work()
        }
        #expect(try derive(desk, #"{"name":"a"}"#) == given)
    }

    @Test("archives outlive a logout: their keys are given while the slots are there")
    func loggedOut() throws {
        let desk = try Desk.standing(.present)
        let before = try derive(desk, #"{"name":"a"}"#)
        _ = try desk.call("Logout")
        #expect(try derive(desk, #"{"name":"a"}"#) == before)
        #expect(try derive(Desk(desk.store), #"{"name":"a"}"#) == before)
        // And before the first login, once there is a slot.
        let early = try Desk()
        _ = try early.call("AddSlot", #"{"kind":"keyfile"}"#)
        let first = try derive(early, #"{"name":"a"}"#)
        _ = try early.call("Login", Desk.login)
        #expect(try derive(early, #"{"name":"a"}"#) == first)
    }

    @Test("whoever wants no reply gets none")
    func oneway() throws {
        let desk = try Desk.standing(.present)
        let message = Desk.message("DeriveArchiveKey", #"{"name":"a"}"#, flag: "oneway")
        #expect(desk.send(message).kind == .silence)
        let upgrade = Desk.message("DeriveArchiveKey", #"{"name":"a"}"#, flag: "upgrade")
        #expect(desk.send(upgrade).text == Reply.invalid(parameter: "upgrade"))
    }
}
