import SecretMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct KeySlotsTests {
    let arena: SecretArena
    let secret = [UInt8](0..<32)
    let code = [UInt8](0..<20)

    init() throws { arena = try .forTest() }

    func keyfile() throws -> SlotSeed { try .keyfile(secret.span, arena: arena) }
    func recovery() throws -> SlotSeed { try .recovery(code.span, arena: arena) }

    func list(_ master: borrowing MasterKey) throws -> KeySlots {
        try KeySlots.create(
            masterKey: master, seed: try keyfile(), created: 1_700_000_000, arena: arena)
    }

    func reread(_ list: KeySlots) throws -> KeySlots {
        let file = try list.serialize(arena: arena)
        return try KeySlots.parse(file.span, arena: arena)
    }

    func expectSame(_ one: borrowing MasterKey, _ other: borrowing MasterKey) {
        let isSame = one.id == other.id && one.bytes.isEqual(to: other.bytes)
        #expect(isSame)
    }

    @Test("a list that was written is read back and opens")
    func roundTrip() throws {
        let master = try MasterKey.random(in: arena)
        let list = try list(master)
        let read = try reread(list)
        #expect(read == list)
        expectSame(try read.unlock(seed: try keyfile(), arena: arena), master)
    }

    @Test("a key file with any bit flipped is a wrong secret")
    func flippedKeyfile() throws {
        let list = try list(try MasterKey.random(in: arena))
        for bit in 0..<256 {
            var flipped = secret
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let seed = try SlotSeed.keyfile(flipped.span, arena: arena)
            #expect(throws: KeySlotsError.wrongSecret) {
                _ = try list.unlock(seed: seed, arena: arena).id
            }
        }
    }

    @Test("a secret of another length is a wrong secret", arguments: [0, 1, 19, 21, 31, 33, 4096])
    func lengths(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(throws: KeySlotsError.wrongSecret) {
            _ = try SlotSeed.keyfile(bytes.span, arena: arena).kind
        }
        #expect(throws: KeySlotsError.wrongSecret) {
            _ = try SlotSeed.credential(bytes.span, arena: arena).kind
        }
        #expect(throws: KeySlotsError.wrongSecret) {
            _ = try SlotSeed.recovery(bytes.span, arena: arena).kind
        }
    }

    @Test("the same bytes as another kind open nothing")
    func kindsDiffer() throws {
        let list = try list(try MasterKey.random(in: arena))
        let seed = try SlotSeed.credential(secret.span, arena: arena)
        #expect(throws: KeySlotsError.noSuchSlot) {
            _ = try list.unlock(seed: seed, arena: arena).id
        }
    }

    @Test("each slot of several opens, in the order of their ids")
    func addSlots() throws {
        let master = try MasterKey.random(in: arena)
        var list = try list(master)
        try list.addSlot(seed: try recovery(), created: 1, masterKey: master, arena: arena)
        try list.addSlot(seed: try keyfile(), created: 2, masterKey: master, arena: arena)
        #expect(list.slots.map(\.id) == list.slots.map(\.id).sorted())
        let read = try reread(list)
        expectSame(try read.unlock(seed: try recovery(), arena: arena), master)
        expectSame(try read.unlock(seed: try keyfile(), arena: arena), master)
    }

    @Test("there are 16 slots at the most")
    func tooMany() throws {
        let master = try MasterKey.random(in: arena)
        var list = try list(master)
        for _ in 1..<16 {
            try list.addSlot(seed: try keyfile(), created: 1, masterKey: master, arena: arena)
        }
        let full = try reread(list)
        #expect(full.slots.count == 16)
        let seed = try keyfile()
        #expect(throws: KeySlotsError.tooManySlots) {
            try list.addSlot(seed: seed, created: 1, masterKey: master, arena: arena)
        }
        #expect(list == full)
    }

    @Test("a removed slot opens nothing, and the last one stays")
    func removeSlots() throws {
        let master = try MasterKey.random(in: arena)
        var list = try list(master)
        let id = try list.addSlot(
            seed: try recovery(), created: 1, masterKey: master, arena: arena)
        try list.removeSlot(id, masterKey: master, arena: arena)
        let seed = try recovery()
        #expect(throws: KeySlotsError.noSuchSlot) {
            _ = try reread(list).unlock(seed: seed, arena: arena).id
        }
        #expect(throws: KeySlotsError.noSuchSlot) {
            try list.removeSlot(id, masterKey: master, arena: arena)
        }
        let last = try #require(list.slots.first).id
        #expect(throws: KeySlotsError.lastSlot) {
            try list.removeSlot(last, masterKey: master, arena: arena)
        }
        #expect(list.slots.count == 1)
    }

    @Test("rotation keeps every slot and every earlier key, and needs no slot's secret")
    func rotation() throws {
        let first = try MasterKey.random(in: arena)
        let second = try MasterKey.random(in: arena)
        let third = try MasterKey.random(in: arena)
        var list = try list(first)
        try list.addSlot(seed: try recovery(), created: 1, masterKey: first, arena: arena)
        let before = list
        try list.rotate(from: first, to: second, arena: arena)
        try list.rotate(from: second, to: third, arena: arena)
        let read = try reread(list)
        expectSame(try read.unlock(seed: try keyfile(), arena: arena), third)
        expectSame(try read.unlock(seed: try recovery(), arena: arena), third)
        #expect(read.retired.map(\.id) == [first.id, second.id])
        expectSame(try read.retiredKey(first.id, under: third, arena: arena), first)
        expectSame(try read.retiredKey(second.id, under: third, arena: arena), second)
        for (old, new) in zip(before.slots, read.slots) {
            #expect(old.publicKey == new.publicKey)
            #expect(old.ephemeral != new.ephemeral)
            #expect(old.nonce != new.nonce)
        }
        try list.dropRetiredKey(first.id, masterKey: third, arena: arena)
        #expect(try reread(list).retired.map(\.id) == [second.id])
        #expect(throws: KeySlotsError.sealing(.unknownKey(first.id))) {
            _ = try list.retiredKey(first.id, under: third, arena: arena).id
        }
        #expect(throws: KeySlotsError.sealing(.unknownKey(first.id))) {
            try list.dropRetiredKey(first.id, masterKey: third, arena: arena)
        }
    }

    @Test("there are 16 retired keys at the most")
    func tooManyRetired() throws {
        var master = try MasterKey.random(in: arena)
        var list = try list(master)
        for _ in 0..<16 {
            let next = try MasterKey.random(in: arena)
            try list.rotate(from: master, to: next, arena: arena)
            master = next
        }
        let full = try reread(list)
        #expect(full.retired.count == 16)
        let next = try MasterKey.random(in: arena)
        do {
            try list.rotate(from: master, to: next, arena: arena)
            Issue.record("a seventeenth key was retired")
        } catch {
            #expect(error == .tooManyRetiredKeys)
        }
        #expect(list == full)
    }

    @Test("a list changed behind the master key's back is never signed anew")
    func changesVerifyFirst() throws {
        let master = try MasterKey.random(in: arena)
        let next = try MasterKey.random(in: arena)
        var list = try list(master)
        let added = try list.addSlot(
            seed: try recovery(), created: 1, masterKey: master, arena: arena)
        list.slots.removeAll { $0.id != added }
        let seed = try keyfile()
        let (before, damaged) = (list, KeySlotsError.damaged("mac"))
        #expect(throws: damaged) {
            try list.addSlot(seed: seed, created: 1, masterKey: master, arena: arena)
        }
        #expect(throws: damaged) {
            try list.removeSlot(added, masterKey: master, arena: arena)
        }
        #expect(throws: damaged) { try list.rotate(from: master, to: next, arena: arena) }
        #expect(throws: damaged) {
            try list.dropRetiredKey(next.id, masterKey: master, arena: arena)
        }
        #expect(throws: damaged) { try list.verify(under: master, arena: arena) }
        #expect(list == before)
    }

    @Test("another master key than the current one is named as such")
    func otherMasterKey() throws {
        let master = try MasterKey.random(in: arena)
        let other = try MasterKey.random(in: arena)
        let list = try list(master)
        let unknown = KeySlotsError.sealing(.unknownKey(master.id))
        #expect(throws: unknown) { try list.verify(under: other, arena: arena) }
        #expect(throws: unknown) {
            _ = try list.retiredKey(other.id, under: other, arena: arena).id
        }
    }

    @Test("a passphrase slot keeps its parameters, within their bounds")
    func passphraseParameters() throws {
        let salt = [UInt8](0..<16)
        let least = try #require(
            KeySlot.PassphraseParameters(salt: salt, opslimit: 3, memlimit: 268_435_456))
        let most = try #require(
            KeySlot.PassphraseParameters(salt: salt, opslimit: 16, memlimit: 1_073_741_824))
        let master = try MasterKey.random(in: arena)
        var list = try list(master)
        for parameters in [least, most] {
            let seed = SlotSeed(
                kind: .passphrase, passphrase: parameters,
                scalar: try arena.secret([UInt8](repeating: 9, count: 32)))
            try list.addSlot(seed: seed, created: 1, masterKey: master, arena: arena)
        }
        let read = try reread(list)
        #expect(read == list)
        #expect(Set(read.slots.compactMap(\.passphrase?.opslimit)) == [3, 16])
    }

    @Test(
        "parameters out of their bounds are not taken",
        arguments: [
            (15, 3, 268_435_456), (17, 3, 268_435_456), (16, 2, 268_435_456),
            (16, 17, 268_435_456), (16, 0, 268_435_456), (16, -1, 268_435_456),
            (16, 3, 268_435_455), (16, 3, 1_073_741_825), (16, 3, 0), (16, 3, -1),
            (16, 3, .max), (16, .max, .max), (16, .min, .min),
        ] as [(Int, Int64, Int64)])
    func bounds(saltSize: Int, opslimit: Int64, memlimit: Int64) {
        let salt = [UInt8](repeating: 0, count: saltSize)
        let parameters = KeySlot.PassphraseParameters(
            salt: salt, opslimit: opslimit, memlimit: memlimit)
        #expect(parameters == nil)
    }

    /// Holds one granule of an arena.
    final class Granule {
        let bytes: SecretBytes
        init(_ arena: SecretArena) throws(SecretMemoryError) { bytes = try arena.allocate(1) }
    }

    /// Runs an operation with more and more memory until it succeeds.
    func expectHonest(_ operation: (SecretArena) throws(KeySlotsError) -> Void) throws {
        let granules = 128
        for free in 0...granules {
            let small = try SecretArena.forTest(capacity: granules * SecretArena.granule)
            var held: [Granule] = []
            for _ in free..<granules { held.append(try Granule(small)) }
            defer { held.removeAll() }
            let used = small.used
            do {
                try operation(small)
                #expect(free > 0)
                return
            } catch {
                #expect(error == .sealing(.memory(.exhausted)), "with \(free) granules")
                #expect(small.used == used)
            }
        }
        Issue.record("never succeeded")
    }

    @Test("an arena exhausted at any step is told as such, and nothing is left behind")
    func exhausted() throws {
        let master = try MasterKey.random(in: arena)
        let next = try MasterKey.random(in: arena)
        let list = try list(master)
        let file = try list.serialize(arena: arena)
        let seed = try keyfile()
        try expectHonest { arena throws(KeySlotsError) in _ = try list.serialize(arena: arena) }
        try expectHonest { arena throws(KeySlotsError) in
            _ = try KeySlots.parse(file.span, arena: arena)
        }
        try expectHonest { arena throws(KeySlotsError) in
            _ = try list.unlock(seed: seed, arena: arena).id
        }
        try expectHonest { arena throws(KeySlotsError) in
            var changed = list
            do throws(KeySlotsError) {
                try changed.addSlot(seed: seed, created: 1, masterKey: master, arena: arena)
                try changed.rotate(from: master, to: next, arena: arena)
            } catch {
                #expect(changed == list || changed.slots.count == 2)
                throw error
            }
        }
    }
}
