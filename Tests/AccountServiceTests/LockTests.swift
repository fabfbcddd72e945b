import SecretMemory
import TestStore
import TestSupport
import Testing

@testable import AccountService

/// Locking on demand: what goes from memory, and what stays known.
@Suite struct LockTests {
    private func isShut(_ desk: Desk) -> Bool {
        let holdsKey = desk.service.masterKey != nil
        return desk.service.held == nil && desk.service.watch == nil && !holdsKey
            && desk.service.unfinished == nil
    }

    @Test("a locked store holds no key, no account and no reply, and gives its memory back")
    func wiped() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase)
        let open = desk.arena.used
        #expect(try desk.call("Lock").text == Reply.ok())
        #expect(isShut(desk))
        // No more than in a daemon that was never told.
        let started = try Desk(desk.store)
        let closed = started.arena.used
        #expect(desk.arena.used == closed)
        var lent = false
        desk.service.lendTokenReply { _ in lent = true }
        #expect(!lent)
        let plain = Array(#"{"method":"org.accountd.Account.GetToken"}"#.utf8)
        let isAnswered = desk.service.answersPlainly(plain.span, from: .owner, at: desk.now)
        #expect(!isAnswered)
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
        let isAnsweredAgain = desk.service.answersPlainly(plain.span, from: .reader, at: desk.now)
        #expect(isAnsweredAgain)
        #expect(desk.arena.used == open)
        for _ in 0..<20 {
            _ = try desk.call("Lock")
            _ = try desk.unlock(passphrase: Desk.passphrase)
            _ = try desk.call("Lock")
            _ = try desk.unlock(passphrase: "wrong")
            desk.pass(seconds: 10)
            _ = try desk.call("Unlock")
        }
        #expect(desk.arena.used == closed)
    }

    @Test("what opens by itself is not locked", arguments: [false, true])
    func refused(isCredential: Bool) throws {
        let desk = try Desk()
        if isCredential { desk.store.credential = .bytes([UInt8](repeating: 3, count: 32)) }
        _ = try desk.call("Login", Desk.login)
        let kind = isCredential ? "credential" : "keyfile"
        let answer = try desk.call("Lock")
        #expect(
            answer.text
                == Reply.error(
                    "org.accountd.Account.OpensByItself", #""protection":["\#(kind)"]"#))
        #expect(answer.verdict == .refused)
        #expect(desk.lock() == .refused)
        #expect(try desk.call("GetToken").text == Reply.token)
        // With both it is refused as well; with a code it is not.
        let other = isCredential ? "keyfile" : "credential"
        desk.store.credential = .bytes([UInt8](repeating: 3, count: 32))
        #expect(try desk.call("AddSlot", #"{"kind":"\#(other)"}"#).kind == .reply)
        #expect(
            try desk.call("Lock").text
                == Reply.error(
                    "org.accountd.Account.OpensByItself",
                    #""protection":["keyfile","credential"]"#))
        try desk.addCode()
        #expect(try desk.call("Lock").text == Reply.ok())
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(try desk.call("Unlock").text == Reply.ok())
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("a lock takes no parameters and has no effect twice")
    func twice() throws {
        let desk = try Desk.standing(.shut)
        #expect(try desk.call("Lock").text == Reply.ok())
        #expect(desk.lock() == .nothing)
        #expect(
            try desk.call("Lock", #"{"now":true}"#).text == Reply.invalid(parameter: "now"))
        let empty = try Desk()
        #expect(empty.lock() == .nothing)
        #expect(try empty.call("GetToken").text == Reply.noAccount)
    }

    @Test("a token that has expired stays so through a lock and a clock that is set back")
    func expiryIsKnown() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase)
        desk.pass(seconds: 2601)
        #expect(try desk.call("GetToken").verdict == .expired)
        #expect(try desk.call("Lock").text == Reply.ok())
        desk.now = Instant(
            realtime: desk.now.realtime - 2000, boottime: desk.now.boottime + 1000)
        for _ in 0..<2 {
            #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
            #expect(try desk.call("GetToken").verdict == .expired)
            #expect(
                try desk.call("GetStatus").text
                    == Reply.status(
                        "present", protection: #""passphrase""#, clock: "stepped_back"))
            #expect(try desk.call("Lock").text == Reply.ok())
            #expect(try desk.call("Verify").kind == .reply)
            #expect(try desk.call("Repair").text == Reply.locked)
            #expect(try desk.call("Login", Desk.login).text == Reply.locked)
        }
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
        #expect(try desk.call("Login", Desk.login).kind == .reply)
        #expect(try desk.call("GetToken").verdict == .expired)
        // One that ends at another time is another one.
        let later = Desk.login.replacing("3600", with: "36000")
        #expect(try desk.call("Login", later).kind == .reply)
        #expect(try desk.call("GetToken").kind == .tokenReply)
    }

    @Test("a good token stays good through a lock")
    func goodToken() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase)
        desk.pass(seconds: 100)
        _ = try desk.call("Lock")
        desk.pass(seconds: 1000)
        _ = try desk.unlock(passphrase: Desk.passphrase)
        #expect(
            try desk.call("CheckExpiry").text
                == Reply.ok(#""valid":true,"expires_at":1700002600,"remaining":1500"#))
        _ = try desk.call("Lock")
        desk.pass(seconds: 1500)
        _ = try desk.unlock(passphrase: Desk.passphrase)
        #expect(try desk.call("GetToken").verdict == .expired)
    }

    @Test("a lock without a call waits for the change in hand", arguments: [false, true])
    func whileChanging(fails: Bool) throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase)
        #expect(desk.begin("Login", Desk.login).kind == .change)
        #expect(desk.begin("Lock").kind == .wait)
        #expect(desk.lock() == .later)
        #expect(desk.lock() == .later)
        #expect(try desk.call("GetToken").text == Reply.token)
        if fails { desk.store.failsAt = .account }
        let answer = try desk.work()
        #expect(answer.text == (fails ? Reply.diskIsFull : Reply.ok(account: Reply.account)))
        #expect(isShut(desk))
        #expect(try desk.call("GetToken").text == Reply.locked)
        desk.store.failsAt = nil
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("an unlock during which the store was locked opens nothing")
    func whileUnlocking() throws {
        let desk = try Desk.standing(.shut)
        var answer = desk.begin("Unlock", #"{"passphrase":"correct horse"}"#)
        answer = try desk.work()
        #expect(desk.lock() == .later)
        answer = try desk.complete(answer)
        #expect(answer.text == Reply.ok())
        #expect(isShut(desk))
        #expect(try desk.call("GetToken").text == Reply.locked)
    }

    @Test("a store that opens by itself stays open though a lock waited")
    func laterRefused() throws {
        let desk = try Desk.standing(.present)
        let begun = desk.begin("UpdateProfile")
        #expect(desk.lock() == .later)
        #expect(try desk.complete(begun).text == Reply.ok(account: Reply.account))
        #expect(try desk.call("GetToken").text == Reply.token)
        // And is not locked later on.
        try desk.add(passphrase: Desk.passphrase)
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("whoever logs out of a locked store leaves it locked")
    func logout() throws {
        let desk = try Desk.standing(.shut)
        #expect(try desk.call("Logout", #"{"if_uid":"1234567890"}"#).text == Reply.locked)
        #expect(try desk.call("Logout").text == Reply.ok())
        #expect(desk.store.account == .absent)
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
        #expect(try desk.call("GetToken").text == Reply.noAccount)
    }

    @Test("a locked store can be begun anew, and the slots that it had are kept aside")
    func replace() throws {
        let desk = try Desk.standing(.shut)
        let slots = desk.store.slots
        let replacing = Desk.login.replacing("{", with: #"{"replace":true,"#)
        #expect(try desk.call("Login", replacing).text == Reply.ok(account: Reply.account))
        #expect(desk.store.aside.values.contains(slots))
        #expect(try desk.call("GetToken").text == Reply.token)
        #expect(
            try desk.call("GetStatus").text == Reply.status("present"))
        #expect(try desk.call("Lock").text == Reply.opensByItself)
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("a store that came into the place of a locked one is not locked by that")
    func replacedDirectory() throws {
        let desk = try Desk.standing(.shut)
        let other = try Desk.standing(.present)
        desk.store = other.store
        desk.store.isReplaced = true
        #expect(try desk.call("Verify").text == Reply.findings([]))
        desk.store.isReplaced = false
        #expect(try desk.call("GetToken").text == Reply.token)
        // One that wants a passphrase is locked until it has got it.
        let third = try Desk.standing(.present)
        try third.add(passphrase: "third", keepingKeyFile: true)
        let locked = try Desk.standing(.shut)
        locked.store = third.store
        locked.store.isReplaced = true
        _ = try locked.call("Verify")
        #expect(try locked.call("GetToken").text == Reply.locked)
    }

    @Test("the daemon's log says what keeps a locked store shut")
    func trouble() throws {
        #expect(
            try Desk.standing(.shut).service.trouble == "locked until `account unlock`")
        let desk = try Desk()
        desk.store.credential = .bytes([UInt8](repeating: 3, count: 32))
        _ = try desk.call("Login", Desk.login)
        desk.store.credential = .absent
        try desk.load()
        #expect(
            desk.service.trouble
                == "locked: the credential accountd.key does not open the store")
    }
}

extension Desk {
    /// As by a signal.
    func lock() -> AccountService.Locking { service.lock() }
}
