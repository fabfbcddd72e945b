package import SecretMemory

@testable import Sealing

/// The list of key slots: docs/FORMAT.md, "Key slots".
///
/// A file for itself hardly ever gets past the checksum; so an input that begins with `M` says how a
/// good list is changed by somebody who knows how the file is made and has no key.
package final class SlotsBody: FuzzBody {
    package static let name = "slots"
    package static let vectors = ["sealed"]

    package let arena: SecretArena
    private let good: [KeySlots]
    private let seed: SlotSeed
    private let other: SlotSeed

    package init() throws {
        arena = try SecretArena(capacity: 1 << 20, preferring: .lockedPages)
        let arena = arena
        good = try ["keyfile_slot", "slots_of_all_kinds", "retired_keys"].map {
            try Self.list($0, arena)
        }
        seed = try Self.seed(Vectors.keyFile, arena)
        other = try Self.seed(Vectors.accountKey, arena)
    }

    private static func list(_ name: String, _ arena: SecretArena) throws -> KeySlots {
        let file = try Vectors.file("sealed/\(name).plist")
        return try KeySlots.parse(file.span, arena: arena)
    }

    private static func seed(_ secret: [UInt8], _ arena: SecretArena) throws -> SlotSeed {
        try SlotSeed.keyfile(secret.span, arena: arena)
    }

    package func run(_ input: Span<UInt8>) throws {
        if input.count > 0, input[0] == UInt8(ascii: "M") {
            var choices = FuzzInput(input.array)
            _ = choices.byte()
            try changed(&choices)
            return
        }
        guard let list = try parsed(input) else { return }
        try requireWhole(list)
        let written = try list.serialize(arena: arena)
        try require(written.count <= KeySlots.maximumFileSize, "a list is written too long")
        try require(try parsed(written.span) == list, "a list is read otherwise")
        try require(try !opens(list, other), "a secret of another list opens this one")
    }

    private func requireWhole(_ list: KeySlots) throws {
        try require((1...KeySlots.maximumSlots).contains(list.slots.count), "too many slots")
        try require(list.retired.count <= KeySlots.maximumRetiredKeys, "too many retired keys")
        for index in list.slots.indices.dropFirst() {
            try require(list.slots[index - 1].id < list.slots[index].id, "slots out of order")
        }
        for slot in list.slots {
            try require((slot.kind == .passphrase) == (slot.passphrase != nil), "a slot's limits")
            try require((0...253_402_300_799).contains(slot.created), "a slot of no time")
            try require(slot.wrapped.count == 48 && slot.nonce.count == 24, "a slot's sizes")
        }
    }

    private func changed(_ choices: inout FuzzInput) throws {
        let original = good[Int(choices.byte()) % good.count]
        var list = original
        while !choices.isAtEnd { change(&list, &choices) }
        let written = try list.serialize(arena: arena)
        guard let read = try parsed(written.span) else {
            try require(list != original, "a good list is refused")
            return
        }
        try require(read == list, "a list is read otherwise")
        try requireWhole(read)
        try require(
            try opens(read, seed) == (read == original), "a changed list opens, or none does")
    }

    private func change(_ list: inout KeySlots, _ choices: inout FuzzInput) {
        let what = choices.byte()
        guard !list.slots.isEmpty else { return }
        let slot = choices.below(list.slots.count)
        // One more than may be is enough: a list of thousands shows nothing else, and takes as long.
        let hasRoom = list.slots.count <= KeySlots.maximumSlots
        let hasRoomForKeys = list.retired.count <= KeySlots.maximumRetiredKeys
        switch what % 12 {
        case 0: list.slots[slot].wrapped = choices.edit(list.slots[slot].wrapped, changes: 1)
        case 1: list.slots[slot].nonce = choices.edit(list.slots[slot].nonce, changes: 1)
        case 2: list.slots[slot].ephemeral = choices.edit(list.slots[slot].ephemeral, changes: 1)
        case 3: list.mac = choices.edit(list.mac, changes: 1)
        case 4: list.slots.remove(at: slot)
        case 5: list.slots.swapAt(0, slot)
        case 6: if hasRoom { list.slots.append(list.slots[slot]) }
        case 7: if !list.retired.isEmpty { list.retired.removeLast() }
        case 8: if hasRoomForKeys { list.retired.append(contentsOf: list.retired.prefix(1)) }
        case 9: list.slots[slot] = remade(list.slots[slot], &choices)
        case 10: list.slots[slot] = remade(list.slots[0], &choices)
        default: if let id = MasterKeyID(choices.take(16).span) { list.current = id }
        }
    }

    // The parts of a slot that nothing but its maker sets.
    private func remade(_ slot: KeySlot, _ choices: inout FuzzInput) -> KeySlot {
        let what = choices.byte()
        let kinds = KeySlot.Kind.allCases
        let kind = what & 1 == 0 ? slot.kind : kinds[Int(choices.byte()) % kinds.count]
        let opslimit = Int64(choices.byte())
        let memlimit = Int64(choices.byte()) << 23
        return KeySlot(
            id: what & 2 == 0 ? slot.id : KeySlotID(choices.take(8).span) ?? slot.id, kind: kind,
            created: what & 4 == 0 ? slot.created : Int64(choices.integer(size: 6)),
            passphrase: kind == .passphrase
                ? slot.passphrase
                    ?? KeySlot.PassphraseParameters(
                        salt: choices.take(16), opslimit: opslimit, memlimit: memlimit) : nil,
            publicKey: what & 8 == 0 ? slot.publicKey : choices.edit(slot.publicKey, changes: 1),
            ephemeral: slot.ephemeral, nonce: slot.nonce, wrapped: slot.wrapped)
    }

    private func parsed(_ file: Span<UInt8>) throws -> KeySlots? {
        do throws(KeySlotsError) {
            return try KeySlots.parse(file, arena: arena)
        } catch {
            switch error {
            case .damaged, .sealing(.unsupportedVersion): return nil
            default: throw error
            }
        }
    }

    private func opens(_ list: KeySlots, _ seed: borrowing SlotSeed) throws -> Bool {
        do throws(KeySlotsError) {
            _ = try list.unlock(seed: seed, arena: arena)
            return true
        } catch {
            switch error {
            case .damaged, .wrongSecret, .noSuchSlot: return false
            default: throw error
            }
        }
    }
}
