import PropertyList
package import SecretMemory

extension KeySlots {
    private typealias Reference = PropertyListWriter.Reference
    private typealias Member = (key: Reference, value: Reference)

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
        let buffer: SecretBuffer
        do throws(SecretMemoryError) {
            buffer = try SecretBuffer(arena: arena, capacity: 1024, limit: Self.maximumFileSize)
        } catch {
            throw .memory(error)
        }
        var writer = try PropertyListWriter(into: buffer)
        var names: [String: Reference] = [:]
        var slotNodes: [Reference] = []
        for slot in slots { slotNodes.append(try add(slot, to: &writer, names: &names)) }
        var retiredNodes: [Reference] = []
        for key in retired { retiredNodes.append(try add(key, to: &writer, names: &names)) }
        let root: [Member] = [
            (try name("format", &writer, &names), try writer.add(integer: Self.format)),
            (try name("current", &writer, &names), try writer.add(data: current.bytes.span)),
            (try name("slots", &writer, &names), try writer.add(array: slotNodes)),
            (try name("retired", &writer, &names), try writer.add(array: retiredNodes)),
            (try name("mac", &writer, &names), try writer.add(data: mac.span)),
            (try name("checksum", &writer, &names), try writer.add(data: checksum.span)),
        ]
        let rootNode = try writer.add(dictionary: root)
        return try writer.finish(root: rootNode).withBytes { $0.array }
    }

    private func add(
        _ slot: KeySlot, to writer: inout PropertyListWriter, names: inout [String: Reference]
    ) throws(PropertyListError) -> Reference {
        var members: [Member] = [
            (try name("id", &writer, &names), try writer.add(data: slot.id.bytes.span)),
            (try name("kind", &writer, &names), try name(slot.kind.rawValue, &writer, &names)),
            (try name("created", &writer, &names), try writer.add(date: Double(slot.created))),
        ]
        if let passphrase = slot.passphrase {
            members += [
                (try name("salt", &writer, &names), try writer.add(data: passphrase.salt.span)),
                (
                    try name("opslimit", &writer, &names),
                    try writer.add(integer: passphrase.opslimit)
                ),
                (
                    try name("memlimit", &writer, &names),
                    try writer.add(integer: passphrase.memlimit)
                ),
            ]
        }
        members += [
            (try name("public", &writer, &names), try writer.add(data: slot.publicKey.span)),
            (try name("ephemeral", &writer, &names), try writer.add(data: slot.ephemeral.span)),
            (try name("nonce", &writer, &names), try writer.add(data: slot.nonce.span)),
            (try name("wrapped", &writer, &names), try writer.add(data: slot.wrapped.span)),
        ]
        return try writer.add(dictionary: members)
    }

    private func add(
        _ key: RetiredKey, to writer: inout PropertyListWriter, names: inout [String: Reference]
    ) throws(PropertyListError) -> Reference {
        let members: [Member] = [
            (try name("id", &writer, &names), try writer.add(data: key.id.bytes.span)),
            (try name("nonce", &writer, &names), try writer.add(data: key.nonce.span)),
            (try name("wrapped", &writer, &names), try writer.add(data: key.wrapped.span)),
        ]
        return try writer.add(dictionary: members)
    }

    /// A word of the format, written once however often it is used.
    private func name(
        _ text: String, _ writer: inout PropertyListWriter, _ names: inout [String: Reference]
    ) throws(PropertyListError) -> Reference {
        if let known = names[text] { return known }
        let reference = try writer.add(string: text)
        names[text] = reference
        return reference
    }
}
