package import SecretMemory

/// The key that all others are derived from, made at the first login.
///
/// It seals nothing itself. A program that is given one derived key can open what that key seals
/// and nothing else (docs/FORMAT.md, "Keys").
package struct MasterKey: ~Copyable {
    /// Bytes in a master key, and in every key derived from one.
    package static let size = 32
    /// Names the key in the clear.
    package let id: MasterKeyID
    let bytes: SecretBytes

    init(id: MasterKeyID, bytes: consuming SecretBytes) {
        precondition(bytes.count == Self.size, "a master key is 32 bytes")
        self.id = id
        self.bytes = bytes
    }

    /// Draws a new key and a new id.
    ///
    /// - Throws: `.memory` when the arena has no room.
    package static func random(in arena: SecretArena) throws(SealingError) -> MasterKey {
        do throws(SecretMemoryError) {
            return MasterKey(id: .random(), bytes: try .random(size, in: arena))
        } catch {
            throw .memory(error)
        }
    }

    /// The same key once more.
    ///
    /// - Throws: `.exhausted` when the arena has no room.
    package func copy(in arena: SecretArena) throws(SecretMemoryError) -> MasterKey {
        MasterKey(id: id, bytes: try bytes.copy(in: arena))
    }

    /// The key that seals the account.
    ///
    /// - Throws: `.memory` when the arena has no room, as all of these do.
    package func accountKey(in arena: SecretArena) throws(SealingError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try derive("accountd account v1", in: arena)
        } catch {
            throw .memory(error)
        }
    }

    /// The key that seals the archive of that name.
    package func archiveKey(
        named name: String, in arena: SecretArena
    ) throws(SealingError) -> SecretBytes {
        let name = Array(name.utf8)
        return try archiveKey(named: name.span, in: arena)
    }

    /// The same, of a name whose UTF-8 stands where the caller keeps it.
    package func archiveKey(
        named name: Span<UInt8>, in arena: SecretArena
    ) throws(SealingError) -> SecretBytes {
        do throws(SecretMemoryError) {
            var hash = try Blake2b(key: bytes, arena: arena)
            hash.update("accountd archive v1", name)
            return try hash.finish(arena: arena)
        } catch {
            throw .memory(error)
        }
    }

    /// The key that seals the app key and secret of `account oauth`.
    package func appKey(in arena: SecretArena) throws(SealingError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try derive("accountd app v1", in: arena)
        } catch {
            throw .memory(error)
        }
    }

    /// The key of the slot list's code.
    func slotListKey(in arena: SecretArena) throws(SecretMemoryError) -> SecretBytes {
        try derive("accountd slots v1", in: arena)
    }

    /// The key that retired master keys are wrapped under.
    func retiredKeysKey(in arena: SecretArena) throws(SecretMemoryError) -> SecretBytes {
        try derive("accountd retired v1", in: arena)
    }

    private func derive(
        _ label: StaticString, in arena: SecretArena
    ) throws(SecretMemoryError) -> SecretBytes {
        var hash = try Blake2b(key: bytes, arena: arena)
        hash.update(label)
        return try hash.finish(arena: arena)
    }
}
