import SecretMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct KeySlotsTests {
    let arena: SecretArena
    let secret = [UInt8](0..<32)

    init() throws { arena = try .forTest() }

    @Test("a list that was written is read back and opens")
    func roundTrip() throws {
        let master = try MasterKey.random(in: arena)
        let seed = try SlotSeed.keyfile(secret.span, arena: arena)
        let list = try KeySlots.create(
            masterKey: master, seed: seed, created: 1_700_000_000, arena: arena)
        let file = try list.serialize(arena: arena)
        let read = try KeySlots.parse(file.span, arena: arena)
        #expect(read == list)
        let opened = try read.unlock(seed: seed, arena: arena)
        let isSame = opened.bytes.isEqual(to: master.bytes)
        #expect(isSame)
        #expect(opened.id == master.id)
    }
}
