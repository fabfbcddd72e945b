import PropertyList
package import SecretMemory

extension KeySlots {
    /// Writes the file, from a list that is whole: made by `create`, a change or `parse`.
    ///
    /// - Throws: `.sealing(.memory)` when the arena has no room for the file.
    package func serialize(arena: SecretArena) throws(KeySlotsError) -> [UInt8] {
        let checksum = try makeChecksum(arena: arena)
        do throws(PropertyListError) {
            return try write(checksum: checksum, arena: arena)
        } catch {
            guard case .memory(let reason) = error else {
                preconditionFailure("a list within its bounds can be written")
            }
            throw .sealing(.memory(reason))
        }
    }

    private func write(
        checksum: [UInt8], arena: SecretArena
    ) throws(PropertyListError) -> [UInt8] {
        var writer = try KeySlotsWriter(arena: arena)
        var slotNodes: [PropertyListWriter.Reference] = []
        for slot in slots { slotNodes.append(try writer.add(members(of: slot))) }
        var retiredNodes: [PropertyListWriter.Reference] = []
        for key in retired {
            retiredNodes.append(
                try writer.add([
                    ("id", .data(key.id.bytes)),
                    ("nonce", .data(key.nonce)),
                    ("wrapped", .data(key.wrapped)),
                ]))
        }
        let list = try writer.add(
            [
                ("format", .integer(Self.format)),
                ("current", .data(current.bytes)),
                ("mac", .data(mac)),
                ("checksum", .data(checksum)),
            ], arrays: [("slots", slotNodes), ("retired", retiredNodes)])
        return try writer.finish(list)
    }

    private func members(of slot: KeySlot) -> [KeySlotsWriter.Member] {
        var members: [KeySlotsWriter.Member] = [
            ("id", .data(slot.id.bytes)),
            ("kind", .text(slot.kind.rawValue)),
            ("created", .date(slot.created)),
        ]
        if let passphrase = slot.passphrase {
            members += [
                ("salt", .data(passphrase.salt)),
                ("opslimit", .integer(passphrase.opslimit)),
                ("memlimit", .integer(passphrase.memlimit)),
            ]
        }
        members += [
            ("public", .data(slot.publicKey)),
            ("ephemeral", .data(slot.ephemeral)),
            ("nonce", .data(slot.nonce)),
            ("wrapped", .data(slot.wrapped)),
        ]
        return members
    }
}
