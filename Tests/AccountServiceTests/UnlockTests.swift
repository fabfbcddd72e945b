import AccountService
import Sealing
import TestStore
import Testing

/// What opens a store that was locked, and what is said where nothing does.
@Suite struct UnlockTests {
    static let second = "second one ñ"

    /// A store of two passphrases and a recovery code, locked.
    static func shut() throws -> Desk {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase)
        try desk.add(passphrase: second)
        try desk.addCode()
        #expect(try desk.call("Lock").text == Reply.ok())
        return desk
    }

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    static let attempts: [(String, String)] = [
        (#"{"passphrase":"correct horse"}"#, Reply.ok()),
        (#"{"passphrase":"c\u006frrect\u0020horse"}"#, Reply.ok()),
        (#"{"passphrase":"second one ñ"}"#, Reply.ok()),
        (#"{"passphrase":"second one \u00f1","recovery_code":null}"#, Reply.ok()),
        // Nothing is normalised, trimmed or cut.
        (#"{"passphrase":"second one n\u0303"}"#, Reply.wrongKey(1000)),
        (#"{"passphrase":"Correct horse"}"#, Reply.wrongKey(1000)),
        (#"{"passphrase":"correct horse "}"#, Reply.wrongKey(1000)),
        (#"{"passphrase":"correct hors"}"#, Reply.wrongKey(1000)),
        (#"{"passphrase":"\#(Desk.code)"}"#, Reply.wrongKey(1000)),
        (#"{"passphrase":"\#(long(1024))"}"#, Reply.wrongKey(1000)),
        (
            #"{"passphrase":"\#(long(1025))"}"#,
            Reply.invalid(field: "passphrase", "is longer than 1024 bytes")
        ),
        (
            #"{"passphrase":"\#(long(1023))ñ"}"#,
            Reply.invalid(field: "passphrase", "is longer than 1024 bytes")
        ),
        (#"{"passphrase":""}"#, Reply.invalid(field: "passphrase", "is empty")),
        (#"{"recovery_code":"\#(Desk.code)"}"#, Reply.ok()),
        (#"{"recovery_code":"\#(Desk.code.lowercased())"}"#, Reply.ok()),
        (#"{"recovery_code":" \#(Desk.code.replacing("-", with: " ")) "}"#, Reply.ok()),
        (#"{"recovery_code":"\#(Desk.code.replacing("-", with: ""))"}"#, Reply.ok()),
        (
            #"{"recovery_code":"\#(Desk.code.replacing("0", with: "o").replacing("1", with: "l"))"}"#,
            Reply.ok()
        ),
        (
            #"{"recovery_code":"\#(Desk.code.dropLast())R"}"#,
            Reply.invalid(
                field: "recovery_code", "was mistyped somewhere: its checksum is wrong")
        ),
        (
            #"{"recovery_code":"\#(Desk.code.dropLast())"}"#,
            Reply.invalid(
                field: "recovery_code", "has 35 letters and digits; a code has 36")
        ),
        (
            #"{"recovery_code":""}"#,
            Reply.invalid(field: "recovery_code", "has 0 letters and digits; a code has 36")
        ),
        (
            #"{"recovery_code":"00U0"}"#,
            Reply.invalid(
                field: "recovery_code", "has a character that no code has, at place 3")
        ),
        (
            #"{"passphrase":"correct horse","recovery_code":"\#(Desk.code)"}"#,
            Reply.invalid(field: "recovery_code", "is given beside passphrase; give one of them")
        ),
        (#"{}"#, Reply.locked), (#"{"passphrase":null}"#, Reply.locked),
        (#"{"passphrase":7}"#, Reply.invalid(parameter: "passphrase")),
        (#"{"recovery_code":true}"#, Reply.invalid(parameter: "recovery_code")),
        (#"{"pass":"correct horse"}"#, Reply.invalid(parameter: "pass")),
    ]

    @Test("the right secret opens the store, and no other does", arguments: attempts)
    func attempt(parameters: String, expected: String) throws {
        let desk = try Self.shut()
        let answer = try desk.call("Unlock", parameters)
        #expect(answer.text == expected)
        let isOpen = expected == Reply.ok()
        #expect(try desk.call("GetToken").text == (isOpen ? Reply.token : Reply.locked))
        if expected == Reply.wrongKey(1000) {
            #expect(answer.kind == .replyAt(desk.now.boottime + 500))
            #expect(answer.verdict == .wrongKey)
        } else {
            #expect(answer.kind == .reply)
        }
        // A daemon that starts now is told the same.
        let following = try Desk(desk.store)
        #expect(try following.call("GetToken").text == Reply.locked)
        #expect(try following.call("Unlock", parameters).text == expected)
    }

    @Test("a code that is well made and not the one is a wrong key")
    func otherCode() throws {
        let desk = try Self.shut()
        let drawn = try desk.call("NewRecoveryCode").text
        let code = try #require(drawn.split(separator: "\"").first { $0.contains("-") })
        let answer = try desk.unlock(code: String(code))
        #expect(answer.text == Reply.wrongKey(1000))
        #expect(answer.kind == .replyAt(desk.now.boottime + 500))
    }

    @Test("what no slot is for opens nothing, and is no wrong key")
    func noSuchKind() throws {
        let keyFile = try Desk.standing(.locked)
        #expect(
            try keyFile.unlock(passphrase: "x").text
                == Reply.invalid(field: "passphrase", "opens nothing: this store has no passphrase")
        )
        let noCode = Reply.invalid(
            field: "recovery_code", "opens nothing: this store has no recovery code")
        #expect(try keyFile.unlock(code: Desk.code).text == noCode)
        let passphrase = try Desk.standing(.shut)
        #expect(try passphrase.unlock(code: Desk.code).text == noCode)
        #expect(try passphrase.unlock(passphrase: Desk.passphrase).text == Reply.ok())
    }

    @Test(
        "in a store that is open, or empty, nothing is looked at",
        arguments: [State.present, .empty])
    func open(state: State) throws {
        let desk = try Desk.standing(state)
        for parameters in [
            "{}", #"{"passphrase":"wrong"}"#, #"{"passphrase":""}"#, #"{"recovery_code":"x"}"#,
        ] {
            let answer = desk.begin("Unlock", parameters)
            #expect(answer.text == Reply.ok())
            #expect(answer.kind == .reply)
        }
        let both = desk.begin("Unlock", #"{"passphrase":"a","recovery_code":"b"}"#)
        #expect(both.verdict == .invalid)
    }

    @Test("a store of a passphrase that nobody has stored an account in is locked, too")
    func emptyAndLocked() throws {
        let desk = try Desk()
        try desk.add(passphrase: Desk.passphrase)
        #expect(try desk.call("GetToken").text == Reply.noAccount)
        #expect(try desk.call("Login", Desk.login).kind == .reply)
        #expect(try desk.call("Logout").kind == .reply)
        for desk in [desk, try Desk(desk.store)] {
            _ = try desk.call("Lock")
            #expect(try desk.call("GetToken").text == Reply.locked)
            #expect(try desk.call("Login", Desk.login).text == Reply.locked)
            #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
            #expect(try desk.call("GetToken").text == Reply.noAccount)
        }
        #expect(desk.store.key == .absent)
        #expect(try desk.call("Login", Desk.login).kind == .reply)
        #expect(desk.store.key == .absent)
    }

    @Test("damaged slots are damage whatever is tried, and never a wrong key")
    func damagedSlots() throws {
        let desk = try Self.shut()
        desk.store.slots = desk.store.slots.damaged
        desk.store.slotsCopy = desk.store.slotsCopy.damaged
        let gone = Reply.damaged(
            "keyslots.plist is damaged, and there is no good copy: "
                + "`account login --replace` begins anew and keeps it aside")
        let following = try Desk(desk.store)
        for parameters in [
            "{}", #"{"passphrase":"wrong"}"#, #"{"recovery_code":"\#(Desk.code)"}"#,
        ] {
            let answer = try following.call("Unlock", parameters)
            #expect(answer.text == gone)
            #expect(answer.kind == .reply)
        }
    }

    @Test("slots that somebody has forged are found out once a secret opens one")
    func forgedSlots() throws {
        let desk = try Self.shut()
        try desk.forgeSlots()
        try desk.load()
        let what = "keyslots.plist is damaged: its entries do not belong together"
        #expect(try desk.unlock(passphrase: "wrong").text == Reply.wrongKey(1000))
        desk.pass(seconds: 1)
        for _ in 0..<2 {
            #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.damaged(what))
            #expect(try desk.unlock(code: Desk.code).text == Reply.damaged(what))
        }
        #expect(try desk.call("GetToken").text == Reply.locked)
    }

    @Test("slots that are good in their copy alone open, and the damage is told and mended")
    func copyAlone() throws {
        let desk = try Self.shut()
        desk.store.slots = .absent
        try desk.load()
        let damaged = Reply.damaged(
            "keyslots.plist is missing; `account doctor --repair` brings it back from its copy")
        // Brought back, it wants the passphrase.
        #expect(try desk.call("Repair").text == Reply.locked)
        #expect(desk.store.slots == desk.store.slotsCopy)
        #expect(try desk.call("GetToken").text == Reply.locked)

        desk.store.slots = .absent
        try desk.load()
        #expect(try desk.unlock(passphrase: "wrong").text == Reply.wrongKey(1000))
        desk.pass(seconds: 1)
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == damaged)
        // Open, and damaged still: it is no news that it is open.
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == damaged)
        for (method, parameters) in [
            ("Rotate", "{}"), ("RemoveSlot", #"{"id":"0"}"#),
            ("AddSlot", #"{"kind":"keyfile"}"#),
        ] {
            #expect(try desk.call(method, parameters).text == damaged)
        }
        #expect(try desk.call("Repair").verdict == .answered)
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("an account that is damaged is damaged, whichever secret opens the slots")
    func damagedAccount() throws {
        let desk = try Self.shut()
        desk.store.account = desk.store.account.damaged
        desk.store.previousAccount = .absent
        try desk.load()
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.damaged)
        #expect(try desk.unlock(passphrase: "wrong").text == Reply.damaged)
        #expect(try desk.call("Lock").text == Reply.ok())
        #expect(try desk.unlock(code: Desk.code).text == Reply.damaged)
        let replacing = Desk.login.replacing("{", with: #"{"replace":true,"#)
        #expect(try desk.call("Login", replacing).text == Reply.ok(account: Reply.account))
        #expect(desk.store.key == .absent)
        #expect(try Desk(desk.store).unlock(code: Desk.code).text == Reply.ok())
    }

    @Test("another store that came meanwhile is not opened by the first one's passphrase")
    func replacedMeanwhile() throws {
        let desk = try Desk.standing(.shut)
        let other = try Desk.standing(.present)
        try other.add(passphrase: "another")
        var answer = desk.begin("Unlock", #"{"passphrase":"correct horse"}"#)
        #expect(answer.kind == .change)
        answer = try desk.work()
        #expect(answer.kind == .change)
        desk.store = other.store
        answer = try desk.work()
        #expect(answer.text == Reply.locked)
        #expect(
            try desk.call("GetStatus").text
                == Reply.status("locked", protection: #""passphrase""#))
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.wrongKey(1000))
        desk.pass(seconds: 1)
        #expect(try desk.unlock(passphrase: "another").text == Reply.ok())
    }

    @Test(
        "a store that cannot be read, or memory that is not given, is told",
        arguments: [FakeStore.Step.reading, .derivation])
    func failure(step: FakeStore.Step) throws {
        let desk = try Self.shut()
        desk.store.failsAt = step
        let answer = try desk.unlock(passphrase: Desk.passphrase)
        #expect(answer.text == Reply.diskIsFull)
        #expect(answer.kind == .reply)
        #expect(try desk.call("GetToken").text == Reply.locked)
        desk.store.failsAt = nil
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
    }

    @Test("a key file that is kept beside a passphrase opens the store that was locked")
    func byItself() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase, keepingKeyFile: true)
        #expect(try desk.call("Lock").text == Reply.ok())
        for method in ["GetToken", "Repair", "UpdateProfile", "Export"] {
            #expect(try desk.call(method).text == Reply.locked)
        }
        #expect(try desk.call("Login", Desk.login).text == Reply.locked)
        #expect(try desk.call("Verify").text == Reply.findings([MethodTests.isLocked]))
        let key = desk.store.key
        desk.store.key = .absent
        #expect(try desk.call("Unlock").text == Reply.locked)
        desk.store.key = key
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(try desk.call("Unlock").text == Reply.ok())
        #expect(try desk.call("GetToken").text == Reply.token)
        // The daemon that starts is not the one that was told to lock.
        #expect(try desk.call("Lock").text == Reply.ok())
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("the one right secret of many is found, whichever it is")
    func manySlots() throws {
        let desk = try Desk.standing(.present)
        let passphrases = (0..<KeySlots.maximumSlots).map { "passphrase \($0)" }
        for passphrase in passphrases { try desk.add(passphrase: passphrase) }
        for passphrase in passphrases {
            #expect(try desk.call("Lock").text == Reply.ok())
            #expect(try desk.unlock(passphrase: passphrase).text == Reply.ok())
            #expect(try desk.call("GetToken").text == Reply.token)
        }
        #expect(try desk.call("Lock").text == Reply.ok())
        var answer = desk.begin("Unlock", #"{"passphrase":"passphrase 16"}"#)
        var derivations = 0
        while answer.kind == .change {
            derivations += 1
            answer = try desk.work()
        }
        #expect(answer.text == Reply.wrongKey(1000))
        #expect(derivations == KeySlots.maximumSlots)
    }
}
