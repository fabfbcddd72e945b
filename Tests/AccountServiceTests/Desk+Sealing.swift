import AccountService
import Accounts
import SecretMemory
import TestStore
import Testing

@testable import Sealing

/// What another program that holds the store's key could do to its files.
extension Desk {
    private func bytes(_ file: StoreContents.File) throws -> [UInt8] {
        guard case .bytes(let bytes) = file else {
            try #require(Bool(false), "there is no such file")
            return []
        }
        return bytes
    }

    private func keyBytes() throws -> [UInt8] {
        guard case .bytes(let key) = store.key else { throw KeySlotsError.wrongSecret }
        return key
    }

    private func keyFileSeed() throws -> SlotSeed {
        let key = try keyBytes()
        return try SlotSeed.keyfile(key.span, arena: arena)
    }

    private func parsedSlots() throws -> KeySlots {
        let file = try bytes(store.slots)
        return try KeySlots.parse(file.span, arena: arena)
    }

    private func masterKey() throws -> MasterKey {
        let slots = try parsedSlots()
        let seed = try keyFileSeed()
        return try slots.unlock(seed: seed, arena: arena)
    }

    private func write(_ slots: KeySlots) throws {
        let bytes = try slots.serialize(arena: arena)
        store.slots = .bytes(bytes)
        store.slotsCopy = .bytes(bytes)
    }

    /// Gives the store a new master key; the account stays sealed by the old one.
    func rotate() throws {
        var slots = try parsedSlots()
        let old = try masterKey()
        let new = try MasterKey.random(in: arena)
        try slots.rotate(from: old, to: new, arena: arena)
        try write(slots)
    }

    /// Gives the store slots of another secret.
    func replaceSlots(seed: (SecretArena) throws -> SlotSeed) throws {
        let master = try masterKey()
        let seed = try seed(arena)
        try write(KeySlots.create(masterKey: master, seed: seed, created: 1, arena: arena))
    }

    /// Changes the list of slots as somebody could who has no key: its checksum is right, the code
    /// that only the key can make is not.
    func forgeSlots() throws {
        var slots = try parsedSlots()
        slots.mac[0] ^= 1
        try write(slots)
    }

    /// Changes the account's plaintext.
    func rewriteAccount(_ change: (inout [UInt8]) throws -> Void) throws {
        let master = try masterKey()
        var plaintext = try open(master)
        try change(&plaintext)
        try seal(plaintext, master)
    }

    /// Notes in the stored account that the server has refused the token.
    func storeRefusal(_ code: Int64) throws {
        try rewriteAccount { plaintext in plaintext = try self.refusing(plaintext, code) }
    }

    private func refusing(_ plaintext: [UInt8], _ code: Int64) throws -> [UInt8] {
        var account = try UserAccount.decode(plaintext.span, arena: arena)
        account.refused = code
        let rewritten = try account.encode(arena: arena)
        return rewritten.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func open(_ master: borrowing MasterKey) throws -> [UInt8] {
        let sealed = try bytes(store.account)
        let key = try master.accountKey(in: arena)
        var out = try SecretBuffer(arena: arena, capacity: sealed.count)
        try SealedFile.open(
            sealed.span, under: key, keyID: master.id, into: &out, arena: arena)
        return out.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func seal(_ plaintext: [UInt8], _ master: borrowing MasterKey) throws {
        let key = try master.accountKey(in: arena)
        let sealed = try SealedFile.seal(
            plaintext.span, under: key, keyID: master.id, arena: arena)
        store.account = .bytes(sealed)
    }
}
