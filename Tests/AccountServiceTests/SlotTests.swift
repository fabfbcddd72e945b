import AccountService
import Sealing
import SecretMemory
import TestStore
import Testing

/// What is added to the slots and taken from them, and what is refused.
@Suite struct SlotTests {
    static let credential = FakeStore.Key.bytes([UInt8](repeating: 3, count: 32))

    static let refusals: [(String, String)] = [
        ("{}", Reply.invalid(parameter: "kind")),
        (#"{"kind":null}"#, Reply.invalid(parameter: "kind")),
        (#"{"kind":1}"#, Reply.invalid(parameter: "kind")),
        (
            #"{"kind":"Passphrase","passphrase":"x"}"#,
            Reply.invalid(
                field: "kind", "is none of passphrase, credential, keyfile and recovery")
        ),
        (#"{"kind":"passphrase"}"#, Reply.invalid(parameter: "passphrase")),
        (#"{"kind":"recovery"}"#, Reply.invalid(parameter: "recovery_code")),
        (
            #"{"kind":"recovery","passphrase":"x","recovery_code":"\#(Desk.code)"}"#,
            Reply.invalid(field: "passphrase", "goes with the kind passphrase alone")
        ),
        (
            #"{"kind":"passphrase","passphrase":"x","recovery_code":"\#(Desk.code)"}"#,
            Reply.invalid(field: "recovery_code", "goes with the kind recovery alone")
        ),
        (
            #"{"kind":"keyfile","passphrase":"x"}"#,
            Reply.invalid(field: "passphrase", "goes with the kind passphrase alone")
        ),
        (
            #"{"kind":"passphrase","passphrase":""}"#,
            Reply.invalid(field: "passphrase", "is empty")
        ),
        (
            #"{"kind":"passphrase","passphrase":"\#(String(repeating: "x", count: 1025))"}"#,
            Reply.invalid(field: "passphrase", "is longer than 1024 bytes")
        ),
        (
            #"{"kind":"recovery","recovery_code":"\#(Desk.code.dropLast())R"}"#,
            Reply.invalid(
                field: "recovery_code", "was mistyped somewhere: its checksum is wrong")
        ),
        (
            #"{"kind":"credential"}"#,
            Reply.invalid(
                field: "kind",
                "is credential, and the service manager passed none named accountd.key")
        ),
        (
            #"{"kind":"keyfile"}"#,
            Reply.invalid(field: "kind", "is keyfile, and a slot for it is there")
        ),
        (#"{"kind":"keyfile","keep":true}"#, Reply.invalid(parameter: "keep")),
        (#"{"kind":"keyfile","keep_keyfile":1}"#, Reply.invalid(parameter: "keep_keyfile")),
    ]

    @Test("what is no slot is refused, and nothing is written", arguments: refusals)
    func refused(parameters: String, reply: String) throws {
        let desk = try Desk.standing(.present)
        let before = desk.store
        let answer = try desk.call("AddSlot", parameters)
        #expect(answer.text == reply)
        #expect(answer.verdict == .invalid)
        #expect(desk.store.slots == before.slots)
        #expect(desk.store.slotsCopy == before.slotsCopy)
        let started = try Desk(before)
        #expect(desk.arena.used == started.arena.used)
    }

    @Test(
        "a passphrase takes the key file's place, unless it is told not to",
        arguments: [false, true])
    func passphrase(keeps: Bool) throws {
        let desk = try Desk.standing(.present)
        let before = desk.store
        let key = try Self.keyID(desk)
        let answer = try desk.call(
            "AddSlot", #"{"kind":"passphrase","passphrase":"p","keep_keyfile":\#(keeps)}"#)
        let removed = keeps ? "" : Reply.slot("keyfile")
        #expect(
            answer.shape
                == Reply.ok(#""slot":\#(Reply.slot("passphrase")),"removed":[\#(removed)]"#))
        #expect(desk.store.key == (keeps ? before.key : .absent))
        #expect(try (Self.keyID(desk) == key) == keeps)
        #expect(try desk.call("Verify").text == Reply.findings([]))
        #expect(desk.store.slots == desk.store.slotsCopy)
        // The account, sealed by the key before, would be opened by whoever has the key file.
        #expect((desk.store.account == before.account) == keeps)
        let following = try Desk(desk.store)
        #expect(try following.call("GetToken").text == (keeps ? Reply.token : Reply.locked))
        #expect(try following.unlock(passphrase: "p").text == Reply.ok())
        #expect(try following.call("GetToken").text == Reply.token)
        // The key file before opens nothing any more.
        following.store.key = before.key
        try following.load()
        #expect(try following.call("GetToken").text == (keeps ? Reply.token : Reply.locked))
    }

    @Test("a key file that cannot be used, or is another one, is left alone")
    func keyFileLeftAlone() throws {
        for key in [
            FakeStore.Key.bytes([UInt8](repeating: 9, count: 32)), .absent,
            .unusable(22, "the key file /k/key has mode 0644"),
        ] {
            let desk = try Desk.standing(.present)
            desk.store.key = key
            try desk.add(passphrase: "p")
            #expect(desk.store.key == key)
            let answer = try desk.call("ListSlots")
            #expect(answer.shape == Reply.slots(["passphrase"]))
            #expect(try Desk(desk.store).unlock(passphrase: "p").text == Reply.ok())
        }
    }

    @Test("a key file that cannot be used makes no slot, and is not replaced")
    func unusableKeyFile() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: "p")
        desk.store.key = .unusable(22, "the key file /k/key has mode 0644")
        let slots = desk.store.slots
        #expect(
            try desk.call("AddSlot", #"{"kind":"keyfile"}"#).text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":22,"message":"the key file /k/key has mode 0644""#))
        #expect(desk.store.slots == slots)
        desk.store.credential = .unusable(22, "the credential has 31 bytes")
        #expect(
            try desk.call("AddSlot", #"{"kind":"credential"}"#).text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":22,"message":"the credential has 31 bytes""#))
    }

    @Test("a key file that is missing is made, and opens the store")
    func newKeyFile() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: "p")
        #expect(desk.store.key == .absent)
        let answer = try desk.call("AddSlot", #"{"kind":"keyfile"}"#)
        #expect(
            answer.shape == Reply.ok(#""slot":\#(Reply.slot("keyfile")),"removed":[]"#))
        #expect(desk.store.key != .absent)
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
        // One that is there is taken as it is.
        let other = try Desk.standing(.present)
        try other.add(passphrase: "p")
        other.store.key = .bytes([UInt8](repeating: 8, count: 32))
        _ = try other.call("AddSlot", #"{"kind":"keyfile"}"#)
        #expect(other.store.key == .bytes([UInt8](repeating: 8, count: 32)))
        #expect(try Desk(other.store).call("GetToken").text == Reply.token)
    }

    @Test("a second key file may open the store, and a passphrase takes the place of both")
    func twoKeyFiles() throws {
        let desk = try Desk.standing(.present)
        let first = desk.store.key
        desk.store.key = .bytes([UInt8](repeating: 8, count: 32))
        #expect(try desk.call("AddSlot", #"{"kind":"keyfile"}"#).verdict == .answered)
        for key in [first, desk.store.key] {
            var store = desk.store
            store.key = key
            #expect(try Desk(store).call("GetToken").text == Reply.token)
        }
        let answer = try desk.call("AddSlot", #"{"kind":"passphrase","passphrase":"p"}"#)
        #expect(answer.shape.components(of: Reply.slot("keyfile")) == 2)
        #expect(desk.store.key == .absent)
        #expect(try desk.call("ListSlots").shape == Reply.slots(["passphrase"]))
    }

    @Test("the service manager's credential makes a slot, once")
    func credential() throws {
        let desk = try Desk.standing(.present)
        desk.store.credential = Self.credential
        #expect(
            try desk.call("AddSlot", #"{"kind":"credential"}"#).shape
                == Reply.ok(#""slot":\#(Reply.slot("credential")),"removed":[]"#))
        #expect(
            try desk.call("AddSlot", #"{"kind":"credential"}"#).text
                == Reply.invalid(field: "kind", "is credential, and a slot for it is there"))
        desk.store.key = .absent
        let following = try Desk(desk.store)
        #expect(try following.call("GetToken").text == Reply.token)
        #expect(
            try following.call("Verify").text == Reply.findings([MethodTests.keyIsMissing]))
        // A passphrase takes the place of no credential.
        try following.add(passphrase: "p")
        // They are of one second, and so in the order of their ids.
        let orders = [["credential", "passphrase"], ["passphrase", "credential"]]
        #expect(orders.map(Reply.slots).contains(try following.call("ListSlots").shape))
    }

    @Test("a first login is sealed for the credential where there is one, else for a key file")
    func firstLogin() throws {
        let desk = try Desk()
        desk.store.credential = Self.credential
        _ = try desk.call("Login", Desk.login)
        #expect(desk.store.key == .absent)
        #expect(try desk.call("ListSlots").shape == Reply.slots(["credential"]))
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)

        for (credential, finding) in [
            (
                FakeStore.Key.absent,
                "the credential accountd.key was not passed to the daemon; see "
                    + "LoadCredentialEncrypted= in its unit"
            ),
            (
                .bytes([UInt8](repeating: 4, count: 32)),
                "the credential accountd.key is not the one that opens this store"
            ), (.unusable(22, "the credential has 31 bytes"), "the credential has 31 bytes"),
        ] {
            var store = desk.store
            store.credential = credential
            let following = try Desk(store)
            #expect(try following.call("GetToken").text == Reply.locked)
            #expect(try following.call("Verify").text == Reply.findings([finding]))
        }

        let unusable = try Desk()
        unusable.store.credential = .unusable(22, "the credential has 31 bytes")
        #expect(try unusable.call("Login", Desk.login).verdict == .failed)
        #expect(unusable.store.slots == .absent)
        #expect(unusable.store.key == .absent)
    }

    @Test(
        "the first slot may come before the first login",
        arguments: [
            #"{"kind":"passphrase","passphrase":"correct horse"}"#, #"{"kind":"keyfile"}"#,
            #"{"kind":"credential"}"#, #"{"kind":"recovery","recovery_code":"\#(Desk.code)"}"#,
        ])
    func firstSlot(parameters: String) throws {
        let desk = try Desk()
        desk.store.credential = Self.credential
        #expect(try desk.call("AddSlot", parameters).verdict == .answered)
        let id = try Self.slotIDs(desk)[0]
        #expect(try desk.call("GetAccount").text == Reply.noAccount)
        #expect(try desk.call("RemoveSlot", #"{"id":"\#(id)"}"#).text == Reply.lastSlot)
        let key = try Self.keyID(desk)
        #expect(try desk.call("Rotate").verdict == .answered)
        #expect(try Self.keyID(desk) != key)
        #expect(try desk.call("Login", Desk.login).text == Reply.ok(account: Reply.account))
        let following = try Desk(desk.store)
        let parameter = parameters.replacing(/"kind":"[a-z]*",?/, with: "")
        #expect(try following.call("Unlock", parameter).text == Reply.ok())
        #expect(try following.call("GetToken").text == Reply.token)
    }

    @Test("a store that came meanwhile is not begun anew")
    func firstSlotLate() throws {
        let desk = try Desk()
        let other = try Desk.standing(.present)
        desk.store = other.store
        // It opens by its key file, and is what the slot is added to.
        #expect(try desk.call("AddSlot", #"{"kind":"passphrase","passphrase":"p"}"#).kind == .reply)
        #expect(try desk.call("GetToken").text == Reply.token)
        let shut = try Desk.standing(.shut)
        let late = try Desk()
        late.store = shut.store
        #expect(try late.call("AddSlot", #"{"kind":"keyfile"}"#).text == Reply.locked)
        #expect(late.store.slots == shut.store.slots)
    }

    @Test("a slot is added to the store that has come into the place of the first")
    func replacedDirectory() throws {
        let desk = try Desk.standing(.present)
        let other = try Desk()
        _ = try other.call("Login", MethodTests.otherLogin)
        desk.store = other.store
        desk.store.isReplaced = true
        let answer = try desk.complete(
            desk.begin("AddSlot", #"{"kind":"recovery","recovery_code":"\#(Desk.code)"}"#))
        #expect(answer.verdict == .answered)
        #expect(
            try desk.call("GetAccount").text == Reply.ok(account: MethodTests.otherAccount))
        // And to none that is locked.
        let shut = try Desk.standing(.shut)
        let third = try Desk.standing(.present)
        third.store = shut.store
        third.store.isReplaced = true
        #expect(try third.call("AddSlot", #"{"kind":"keyfile"}"#).text == Reply.locked)
        #expect(third.store.slots == shut.store.slots)
    }

    @Test("the same code makes no second slot, which would outlive the first")
    func sameCode() throws {
        let desk = try Desk.standing(.present)
        try desk.addCode()
        #expect(
            try desk.call("AddSlot", #"{"kind":"recovery","recovery_code":"\#(Desk.code)"}"#).text
                == Reply.invalid(field: "recovery_code", "opens the store already"))
        let drawn = try desk.call("NewRecoveryCode").text
        let code = try #require(drawn.split(separator: "\"").first { $0.contains("-") })
        #expect(
            try desk.call("AddSlot", #"{"kind":"recovery","recovery_code":"\#(code)"}"#).verdict
                == .answered)
        #expect(drawn != (try desk.call("NewRecoveryCode").text))
        for code in [Desk.code, String(code)] {
            #expect(try desk.call("Lock").text == Reply.ok())
            #expect(try desk.unlock(code: code).text == Reply.ok())
        }
    }

    @Test("there are sixteen slots at most, and each of them opens")
    func sixteen() throws {
        let desk = try Desk.standing(.present)
        for number in 1...KeySlots.maximumSlots { try desk.add(passphrase: "p\(number)") }
        #expect(try Self.slotIDs(desk).count == KeySlots.maximumSlots)
        let slots = desk.store.slots
        for parameters in [
            #"{"kind":"passphrase","passphrase":"p"}"#, #"{"kind":"keyfile"}"#,
            #"{"kind":"recovery","recovery_code":"\#(Desk.code)"}"#,
        ] {
            let answer = try desk.call("AddSlot", parameters)
            #expect(answer.text == Reply.tooManySlots)
            #expect(answer.verdict == .refused)
        }
        #expect(desk.store.slots == slots)
        let id = try Self.slotIDs(desk)[0]
        #expect(try desk.call("RemoveSlot", #"{"id":"\#(id)","rotate":false}"#).kind == .reply)
        try desk.addCode()
    }

    @Test("a slot is removed by its id, or as much of it as tells it from the others")
    func removal() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: "one")
        try desk.add(passphrase: "two")
        try desk.addCode()
        let ids = try Self.slotIDs(desk)
        let id = ids[0]
        let others = ids.filter { $0 != id }
        var prefix = id.prefix(1)
        while others.contains(where: { $0.hasPrefix(prefix) }) {
            prefix = id.prefix(prefix.count + 1)
        }
        for (given, named) in [
            ("", ""), ("x", ""), (id + "0", ""), ("\(id.dropLast())g", ""), ("é", ""),
            (String(id.map { $0 == "a" ? "b" : "a" }), String(id.map { $0 == "a" ? "b" : "a" })),
        ] {
            #expect(
                try desk.call("RemoveSlot", #"{"id":"\#(given)"}"#).text == Reply.noSuchSlot(named),
                "\(given)")
        }
        #expect(try desk.call("RemoveSlot").text == Reply.invalid(parameter: "id"))
        #expect(
            try desk.call("RemoveSlot", #"{"id":7}"#).text == Reply.invalid(parameter: "id"))
        let key = try Self.keyID(desk)
        let answer = try desk.call("RemoveSlot", #"{"id":"\#(prefix.uppercased())"}"#)
        #expect(answer.text.hasPrefix(#"{"parameters":{"removed":{"id":"\#(id)","kind":"#))
        #expect(try Self.keyID(desk) != key)
        #expect(try Self.slotIDs(desk) == others)
        #expect(try desk.call("Verify").text == Reply.findings([]))
    }

    @Test("one of several slots that begin alike is told by more digits alone")
    func ambiguous() throws {
        let desk = try Desk.standing(.present)
        // Of sixteen ids two begin alike all but once in a million; then it is tried anew.
        for number in 1...KeySlots.maximumSlots { try desk.add(passphrase: "p\(number)") }
        let ids = try Self.slotIDs(desk)
        let groups = Dictionary(grouping: ids) { $0.first }
        guard let alike = groups.values.first(where: { $0.count > 1 }),
            let digit = alike.first?.first
        else { return }
        #expect(
            try desk.call("RemoveSlot", #"{"id":"\#(digit)"}"#).text
                == Reply.noSuchSlot(String(digit)))
    }

    @Test("a removed secret opens nothing, and every other one opens", arguments: [true, false])
    func removedSecret(rotates: Bool) throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: "one")
        let id = try Self.slotIDs(desk)[0]
        try desk.add(passphrase: "two")
        try desk.addCode()
        let key = try Self.keyID(desk)
        #expect(
            try desk.call("RemoveSlot", #"{"id":"\#(id)","rotate":\#(rotates)}"#).verdict
                == .answered)
        #expect(try (Self.keyID(desk) == key) == !rotates)
        for desk in [desk, try Desk(desk.store)] {
            _ = try desk.call("Lock")
            #expect(try desk.unlock(passphrase: "one").text == Reply.wrongKey(1000))
            desk.pass(seconds: 1)
            #expect(try desk.unlock(passphrase: "two").text == Reply.ok())
            _ = try desk.call("Lock")
            #expect(try desk.unlock(code: Desk.code).text == Reply.ok())
            #expect(try desk.call("GetToken").text == Reply.token)
        }
    }

    @Test("the last slot stays, and so does what opens the store by itself until it is removed")
    func lastSlot() throws {
        let desk = try Desk.standing(.present)
        let id = try Self.slotIDs(desk)[0]
        for rotates in [true, false] {
            let answer = try desk.call("RemoveSlot", #"{"id":"\#(id)","rotate":\#(rotates)}"#)
            #expect(answer.text == Reply.lastSlot)
            #expect(answer.verdict == .refused)
        }
        try desk.addCode()
        #expect(try desk.call("RemoveSlot", #"{"id":"\#(id)"}"#).verdict == .answered)
        #expect(try desk.call("Lock").text == Reply.ok())
        #expect(try desk.call("Unlock").text == Reply.locked)
        #expect(try desk.unlock(code: Desk.code).text == Reply.ok())
    }

    @Test("slots are listed in the order of their making, when the store is locked, too")
    func listing() throws {
        let desk = try Desk.standing(.present)
        desk.pass(seconds: 10)
        try desk.addCode()
        desk.pass(seconds: 10)
        try desk.add(passphrase: "p", keepingKeyFile: true)
        desk.pass(seconds: -15)
        desk.store.credential = Self.credential
        #expect(try desk.call("AddSlot", #"{"kind":"credential"}"#).kind == .reply)
        let kinds = ["keyfile", "credential", "recovery", "passphrase"]
        let list = try desk.call("ListSlots").text
        #expect(list.matches(of: /"kind":"([a-z]+)"/).map { String($0.output.1) } == kinds)
        _ = try desk.call("Lock")
        #expect(try desk.call("ListSlots").text == list)
        #expect(
            try desk.call("ListSlots", #"{"all":true}"#).text == Reply.invalid(parameter: "all"))
        desk.store.slots = desk.store.slots.damaged
        desk.store.slotsCopy = .absent
        try desk.load()
        #expect(try desk.call("ListSlots").verdict == .damaged)
    }

    static func keyID(_ desk: Desk) throws -> String {
        let text = try desk.call("ListSlots").text
        return String(try #require(text.firstMatch(of: /"key_id":"([0-9a-f]{32})"/)).output.1)
    }

    static func slotIDs(_ desk: Desk) throws -> [String] {
        let text = try desk.call("ListSlots").text
        return text.matches(of: /"id":"([0-9a-f]{16})"/).map { String($0.output.1) }
    }

    static func retired(_ desk: Desk) throws -> [String] {
        let text = try desk.call("ListSlots").text
        let list = try #require(text.firstMatch(of: /"retired":\[([^\]]*)\]/)).output.1
        return list.matches(of: /[0-9a-f]{32}/).map { String($0.output) }
    }
}

extension String {
    /// How often a part stands in it.
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
