package import SecretMemory

/// The list of key slots: `keyslots.plist` (docs/FORMAT.md, "Key slots").
///
/// Two codes guard it. The checksum needs no key and is compared when the file is read: what fails
/// there is damage, and nobody is asked for a passphrase in vain. The list's code is made under a
/// key derived from the master key and is compared as soon as that is known: what fails there was
/// changed by someone who could not open it, so no slot is added, removed or weakened unseen.
///
/// A value of this type is either new or has passed the checksum. Nothing in it is secret.
package struct KeySlots: Equatable, Sendable {
    /// The most slots that a list has; it has one at least.
    package static let maximumSlots = 16
    /// The most earlier master keys that a list has.
    package static let maximumRetiredKeys = 16

    /// The id of the master key that the slots hold.
    package var current: MasterKeyID
    /// In the order of their ids.
    package var slots: [KeySlot]
    /// The oldest first.
    package var retired: [RetiredKey]
    /// The list's code, 32 bytes.
    var mac: [UInt8]

    /// Whether it holds a master key, as the current one or as an earlier one.
    package func holds(_ id: MasterKeyID) -> Bool {
        id == current || retired.contains { $0.id == id }
    }

    /// Makes a list of one slot for a new master key.
    ///
    /// - Parameter created: seconds since 1970-01-01T00:00:00Z.
    /// - Throws: `.sealing(.memory)` alone.
    package static func create(
        masterKey: borrowing MasterKey, seed: borrowing SlotSeed, created: Int64,
        arena: SecretArena
    ) throws(KeySlotsError) -> KeySlots {
        var list = KeySlots(current: masterKey.id, slots: [], retired: [], mac: [])
        try list.insertSlot(seed: seed, created: created, masterKey: masterKey, arena: arena)
        try list.renewMAC(under: masterKey, arena: arena)
        return list
    }

    /// Opens the slots with a secret and gives the master key.
    ///
    /// - Throws: `.noSuchSlot` when there is none of the secret's kind; `.wrongSecret` when none of
    ///   them is this secret's; `.damaged` when one is and yet does not open, or when the list's
    ///   code is wrong; `.sealing(.memory)`.
    package func unlock(
        seed: borrowing SlotSeed, arena: SecretArena
    ) throws(KeySlotsError) -> MasterKey {
        let kind = seed.kind
        guard slots.contains(where: { $0.kind == kind }) else { throw .noSuchSlot }
        let publicKey = KeyWrap.publicKey(of: seed.scalar)
        let own = slots.filter { $0.kind == kind && $0.publicKey == publicKey }
        guard !own.isEmpty else { throw .wrongSecret }
        for slot in own {
            guard let bytes = try open(slot, seed: seed, arena: arena) else { continue }
            let masterKey = MasterKey(id: current, bytes: bytes)
            try verify(under: masterKey, arena: arena)
            return masterKey
        }
        throw .damaged("wrapped master key")
    }

    /// Checks the list's code.
    ///
    /// - Throws: `.damaged` when it is wrong; `.sealing(.unknownKey)` with the id of the current
    ///   master key when another is given; `.sealing(.memory)`.
    package func verify(
        under masterKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) {
        guard masterKey.id == current else { throw .sealing(.unknownKey(current)) }
        let expected = try makeMAC(under: masterKey, arena: arena)
        guard Sodium.areEqual(expected.span, mac.span) else { throw .damaged("mac") }
    }

    /// Gives an earlier master key.
    ///
    /// - Throws: `.sealing(.unknownKey)` when the list does not have it, or with the id of the
    ///   current master key when another is given; `.damaged` when it does not open;
    ///   `.sealing(.memory)`.
    package func retiredKey(
        _ id: MasterKeyID, under masterKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) -> MasterKey {
        guard masterKey.id == current else { throw .sealing(.unknownKey(current)) }
        guard let retired = retired.first(where: { $0.id == id }) else {
            throw .sealing(.unknownKey(id))
        }
        let bytes: SecretBytes?
        do throws(SecretMemoryError) {
            let key = try masterKey.retiredKeysKey(in: arena)
            bytes = try KeyWrap.unwrap(
                retired.wrapped, under: key, nonce: retired.nonce,
                associatedData: retired.associatedData, arena: arena)
        } catch {
            throw .sealing(.memory(error))
        }
        guard let bytes else { throw .damaged("retired key") }
        return MasterKey(id: id, bytes: bytes)
    }

    private func open(
        _ slot: KeySlot, seed: borrowing SlotSeed, arena: SecretArena
    ) throws(KeySlotsError) -> SecretBytes? {
        do throws(SecretMemoryError) {
            guard
                let key = try KeyWrap.sharedKey(
                    scalar: seed.scalar, point: slot.ephemeral.span,
                    ephemeral: slot.ephemeral.span, slotPublic: slot.publicKey.span, arena: arena)
            else { return nil }
            return try KeyWrap.unwrap(
                slot.wrapped, under: key, nonce: slot.nonce,
                associatedData: slot.associatedData(current: current), arena: arena)
        } catch {
            throw .sealing(.memory(error))
        }
    }
}
