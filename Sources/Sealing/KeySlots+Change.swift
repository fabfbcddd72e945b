package import SecretMemory

// Each change checks the list's code first, so that nothing slipped in is signed anew, and leaves
// the list as it was when it throws.
extension KeySlots {
    /// Wraps the master key for one more secret.
    ///
    /// - Parameter created: seconds since 1970-01-01T00:00:00Z.
    /// - Returns: the new slot's id.
    /// - Throws: `.tooManySlots`; what `verify` throws.
    @discardableResult
    package mutating func addSlot(
        seed: borrowing SlotSeed, created: Int64, masterKey: borrowing MasterKey,
        arena: SecretArena
    ) throws(KeySlotsError) -> KeySlotID {
        try verify(under: masterKey, arena: arena)
        guard slots.count < Self.maximumSlots else { throw .tooManySlots }
        var list = self
        let id = try list.insertSlot(
            seed: seed, created: created, masterKey: masterKey, arena: arena)
        try list.renewMAC(under: masterKey, arena: arena)
        self = list
        return id
    }

    /// Removes a slot.
    ///
    /// Whoever knew its secret and kept the file still has the master key: rotate.
    ///
    /// - Throws: `.noSuchSlot`, `.lastSlot`; what `verify` throws.
    package mutating func removeSlot(
        _ id: KeySlotID, masterKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) {
        try verify(under: masterKey, arena: arena)
        guard slots.contains(where: { $0.id == id }) else { throw .noSuchSlot }
        guard slots.count > 1 else { throw .lastSlot }
        var list = self
        list.slots.removeAll { $0.id == id }
        try list.renewMAC(under: masterKey, arena: arena)
        self = list
    }

    /// Puts a new master key in place of the current one, for every slot, without any slot's
    /// secret; the current one joins the retired ones.
    ///
    /// - Throws: `.tooManyRetiredKeys`; `.damaged` when a slot's public key is none; what `verify`
    ///   throws.
    package mutating func rotate(
        from masterKey: borrowing MasterKey, to newKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) {
        try verify(under: masterKey, arena: arena)
        guard retired.count < Self.maximumRetiredKeys else { throw .tooManyRetiredKeys }
        precondition(newKey.id != current, "the new master key has an id of its own")
        var list = self
        list.current = newKey.id
        list.retired = []
        for old in retired {
            let key = try retiredKey(old.id, under: masterKey, arena: arena)
            try list.retire(key, under: newKey, arena: arena)
        }
        try list.retire(masterKey, under: newKey, arena: arena)
        for index in list.slots.indices {
            try list.wrap(newKey, inSlotAt: index, arena: arena)
        }
        try list.renewMAC(under: newKey, arena: arena)
        self = list
    }

    /// Forgets an earlier master key; what is still sealed under it is lost.
    ///
    /// - Throws: `.sealing(.unknownKey)` when the list does not have it; what `verify` throws.
    package mutating func dropRetiredKey(
        _ id: MasterKeyID, masterKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) {
        try verify(under: masterKey, arena: arena)
        guard retired.contains(where: { $0.id == id }) else { throw .sealing(.unknownKey(id)) }
        var list = self
        list.retired.removeAll { $0.id == id }
        try list.renewMAC(under: masterKey, arena: arena)
        self = list
    }

    mutating func renewMAC(
        under masterKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) {
        mac = try makeMAC(under: masterKey, arena: arena)
    }

    @discardableResult
    mutating func insertSlot(
        seed: borrowing SlotSeed, created: Int64, masterKey: borrowing MasterKey,
        arena: SecretArena
    ) throws(KeySlotsError) -> KeySlotID {
        let id = KeySlotID.random(otherThanOf: slots)
        let slot = KeySlot(
            id: id, kind: seed.kind, created: created, passphrase: seed.passphrase,
            publicKey: KeyWrap.publicKey(of: seed.scalar), ephemeral: [], nonce: [], wrapped: [])
        let index = slots.firstIndex { $0.id > id } ?? slots.endIndex
        slots.insert(slot, at: index)
        try wrap(masterKey, inSlotAt: index, arena: arena)
        return id
    }

    private mutating func wrap(
        _ masterKey: borrowing MasterKey, inSlotAt index: Int, arena: SecretArena
    ) throws(KeySlotsError) {
        let publicKey = slots[index].publicKey
        let key: SecretBytes?
        do throws(SecretMemoryError) {
            let scalar = try SecretBytes.random(KeyWrap.pointSize, in: arena)
            let ephemeral = KeyWrap.publicKey(of: scalar)
            slots[index].ephemeral = ephemeral
            key = try KeyWrap.sharedKey(
                scalar: scalar, point: publicKey.span, ephemeral: ephemeral.span,
                slotPublic: publicKey.span, arena: arena)
        } catch {
            throw .sealing(.memory(error))
        }
        guard let key else { throw .damaged("public key") }
        slots[index].nonce = Sodium.randomBytes(KeyWrap.nonceSize)
        slots[index].wrapped = KeyWrap.wrap(
            masterKey.bytes, under: key, nonce: slots[index].nonce,
            associatedData: slots[index].associatedData(current: current))
    }

    private mutating func retire(
        _ old: borrowing MasterKey, under masterKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) {
        do throws(SecretMemoryError) {
            let key = try masterKey.retiredKeysKey(in: arena)
            let nonce = Sodium.randomBytes(KeyWrap.nonceSize)
            let bare = RetiredKey(id: old.id, nonce: nonce, wrapped: [])
            let wrapped = KeyWrap.wrap(
                old.bytes, under: key, nonce: nonce, associatedData: bare.associatedData)
            retired.append(RetiredKey(id: old.id, nonce: nonce, wrapped: wrapped))
        } catch {
            throw .sealing(.memory(error))
        }
    }
}
