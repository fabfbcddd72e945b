import AccountService
import Accounts
import Sealing
import SecretMemory
import TestSupport
import TestStore
import Testing

/// Stores that another program, an earlier key or a later version has written.
@Suite struct StoreTests {
    @Test("slots that differ from their copy are the ones that count")
    func copyDiffers() throws {
        let desk = try Desk.standing(.present)
        desk.store.slotsCopy = try Desk.standing(.present).store.slotsCopy
        try desk.load()
        #expect(try desk.call("GetToken").text == Reply.token)
        #expect(
            try desk.call("Verify").text
                == Reply.findings([
                    "keyslots.plist~ differs from keyslots.plist; "
                        + "`account doctor --repair` makes it again"
                ]))
        #expect(try desk.call("Repair").text == Reply.ok(account: Reply.account))
        #expect(desk.store.slots == desk.store.slotsCopy)
        #expect(try desk.call("Verify").text == Reply.findings([]))
    }

    @Test("whoever looks at a store that came into the place of the first has it served")
    func replaced() throws {
        let desk = try Desk.standing(.present)
        let other = try Desk()
        _ = try other.call("Login", MethodTests.otherLogin)
        desk.store = other.store
        #expect(try desk.call("Verify").text == Reply.findings([]))
        #expect(try desk.call("GetToken").text == Reply.token)
        desk.store.isReplaced = true
        #expect(try desk.call("Verify").text == Reply.findings([]))
        #expect(
            try desk.call("GetAccount").text == Reply.ok(account: MethodTests.otherAccount))
    }

    @Test("what whoever read the files found comes first")
    func findings() throws {
        let desk = try Desk.standing(.present)
        desk.store.findings = ["account.plist.sealed has mode 0644"]
        desk.store.previousAccount = .bytes([1])
        #expect(
            try desk.call("Verify").text
                == Reply.findings([
                    "account.plist.sealed has mode 0644",
                    "account.plist.sealed~ is damaged; it is a spare, and the next login "
                        + "replaces it",
                ]))
    }

    @Test("missing slots are damage where archives are there, and never a new key")
    func archivesAlone() throws {
        let desk = try Desk()
        desk.store.hasOtherSealedFiles = true
        try desk.load()
        #expect(try desk.call("GetToken").verdict == .damaged)
        #expect(try desk.call("Login", Desk.login).verdict == .damaged)
        #expect(desk.store.slots == .absent)
        let replacing = Desk.login.replacing("{", with: #"{"replace":true,"#)
        #expect(try desk.call("Login", replacing).text == Reply.ok(account: Reply.account))
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("an account that an earlier master key sealed is opened by it")
    func retiredKey() throws {
        let desk = try Desk.standing(.present)
        try desk.rotate()
        try desk.load()
        #expect(try desk.call("GetToken").text == Reply.token)
        #expect(
            try desk.call("Verify").text
                == Reply.findings([
                    "keyslots.plist keeps 1 earlier master key, by which files may still be "
                        + "sealed; `account key rotate` looks, and forgets what it can"
                ]))
        let sealed = desk.store.account
        #expect(try desk.call("Login", Desk.login).kind == .reply)
        #expect(desk.store.previousAccount == sealed)
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("an account that is sealed by another store's key is told apart")
    func foreignAccount() throws {
        let desk = try Desk.standing(.present)
        desk.store.account = try Desk.standing(.present).store.account
        try desk.load()
        #expect(
            try desk.call("GetToken").text
                == Reply.damaged(
                    "account.plist.sealed is sealed by a key that this store does not hold, and "
                        + Self.noPrevious))
    }

    private static let noPrevious =
        "there is no previous generation: log in again with `account login --replace`"

    @Test("a later version's file is told apart from a damaged one", arguments: [8, 10])
    func laterFormat(offset: Int) throws {
        let desk = try Desk.standing(.present)
        guard case .bytes(var bytes) = desk.store.account else { return }
        bytes[offset] = 2
        desk.store.account = .bytes(bytes)
        try desk.load()
        #expect(
            try desk.call("GetToken").text
                == Reply.damaged(
                    "account.plist.sealed was written by a later version of accountd, and "
                        + Self.noPrevious))
    }

    static let plaintexts: [(name: String, from: [UInt8], to: [UInt8], what: String)] = [
        (
            "a later schema", [0x10, 0x01], [0x10, 0x02],
            "was written by a later version of accountd"
        ),
        ("no property list", Array("bplist00".utf8), Array("xplist00".utf8), "holds no account"),
        ("no uid", Array("uid".utf8), Array("uie".utf8), "holds no account"),
    ]

    @Test("an account that opens and cannot be read is told apart", arguments: plaintexts)
    func plaintext(name: String, from: [UInt8], to: [UInt8], what: String) throws {
        let desk = try Desk.standing(.present)
        try desk.rewriteAccount { bytes in
            let starts = bytes.indices.filter { bytes[$0...].starts(with: from) }
            try #require(starts.count == 1, "\(name)")
            bytes.replaceSubrange(starts[0]..<(starts[0] + from.count), with: to)
        }
        try desk.load()
        #expect(
            try desk.call("GetToken").text
                == Reply.damaged("account.plist.sealed \(what), and \(Self.noPrevious)"))
    }

    @Test("slots that somebody has changed without the key are damaged")
    func forgedSlots() throws {
        let desk = try Desk.standing(.present)
        try desk.forgeSlots()
        try desk.load()
        let what = "keyslots.plist is damaged: its entries do not belong together"
        #expect(try desk.call("GetToken").text == Reply.damaged(what))
        #expect(try desk.call("Verify").text == Reply.findings([what]))
        #expect(try desk.call("Repair").text == Reply.damaged(what))
    }

    @Test("slots of which none is a key file's are locked")
    func noKeyFileSlot() throws {
        let desk = try Desk.standing(.present)
        try desk.replaceSlots { arena in
            let code = try RecoveryCode.random(in: arena)
            return try code.withBytes { bytes throws(KeySlotsError) in
                try SlotSeed.recovery(bytes, arena: arena)
            }
        }
        try desk.load()
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(
            try desk.call("GetStatus").text
                == Reply.status("locked", protection: #""recovery""#))
        #expect(
            try desk.call("Verify").text
                == Reply.findings([MethodTests.isLocked]))
    }

    @Test("the trouble is said in one sentence, for the daemon's log")
    func trouble() throws {
        #expect(try Desk.standing(.empty).service.trouble == nil)
        #expect(try Desk.standing(.present).service.trouble == nil)
        #expect(
            try Desk.standing(.locked).service.trouble
                == "locked: /k/key does not open the store")
        #expect(try Desk.standing(.damaged).service.trouble == State.damage)
    }

    @Test("a token that the server has refused is served, and the refusal is told")
    func refused() throws {
        let desk = try Desk.standing(.present)
        try desk.storeRefusal(21_332)
        try desk.load()
        let account = Reply.account.replacing("2600}", with: #"2600,"refused":21332}"#)
        #expect(try desk.call("GetAccount").text == Reply.ok(account: account))
        #expect(try desk.call("GetToken").text == Reply.token)
        // It stays through a change of the profile, and a login ends it.
        #expect(try desk.call("UpdateProfile").text == Reply.ok(account: account))
        #expect(try Desk(desk.store).call("GetAccount").text == Reply.ok(account: account))
        #expect(try desk.call("Login", Desk.login).text == Reply.ok(account: Reply.account))
        #expect(try Desk(desk.store).call("GetAccount").text == Reply.ok(account: Reply.account))
    }
}
