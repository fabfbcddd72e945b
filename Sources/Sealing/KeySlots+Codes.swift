import SecretMemory

extension KeySlots {
    /// All that the two codes cover, in one unambiguous row of bytes.
    var canonicalBytes: [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append(current.bytes)
        for slot in slots {
            bytes.append(contentsOf: slot.associatedData(current: current))
            bytes.append(slot.ephemeral)
            bytes.append(slot.nonce)
            bytes.append(slot.wrapped)
        }
        for key in retired {
            bytes.append(key.id.bytes)
            bytes.append(key.nonce)
            bytes.append(key.wrapped)
        }
        return bytes.bytes
    }

    /// What the list's code must be.
    func makeMAC(
        under masterKey: borrowing MasterKey, arena: SecretArena
    ) throws(KeySlotsError) -> [UInt8] {
        do throws(SecretMemoryError) {
            let key = try masterKey.slotListKey(in: arena)
            var hash = try Blake2b(key: key, arena: arena)
            hash.update(canonicalBytes.span)
            return try hash.finish(arena: arena).withBytes { $0.array }
        } catch {
            throw .sealing(.memory(error))
        }
    }

    /// What the checksum must be.
    func makeChecksum(arena: SecretArena) throws(KeySlotsError) -> [UInt8] {
        do throws(SecretMemoryError) {
            var hash = try Blake2b(arena: arena)
            hash.update(canonicalBytes.span)
            hash.update(mac.span)
            return try hash.finish(arena: arena).withBytes { $0.array }
        } catch {
            throw .sealing(.memory(error))
        }
    }
}
