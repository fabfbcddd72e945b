package import SecretMemory

/// What a slot's secret leads to: the private key of the slot's X25519 pair.
///
/// Each kind of secret has a label of its own, so that the same bytes given as another kind open
/// nothing.
package struct SlotSeed: ~Copyable {
    /// Bytes of a key file, and of the service manager's credential.
    package static let secretSize = 32

    /// What kind of secret it was made from.
    package let kind: KeySlot.Kind
    /// How, if from a passphrase.
    let passphrase: KeySlot.PassphraseParameters?
    let scalar: SecretBytes

    init(
        kind: KeySlot.Kind, passphrase: KeySlot.PassphraseParameters? = nil,
        scalar: consuming SecretBytes
    ) {
        precondition((kind == .passphrase) == (passphrase != nil), "parameters and kind differ")
        self.kind = kind
        self.passphrase = passphrase
        self.scalar = scalar
    }

    /// Whether a slot is this secret's.
    package func opens(_ slot: KeySlot) -> Bool {
        slot.kind == kind && slot.publicKey == KeyWrap.publicKey(of: scalar)
    }

    /// The seed of a key file's 32 bytes.
    ///
    /// - Throws: `.wrongSecret` for any other count; `.sealing(.memory)`.
    package static func keyfile(
        _ contents: Span<UInt8>, arena: SecretArena
    ) throws(KeySlotsError) -> SlotSeed {
        try hashed("accountd keyfile v1", contents, secretSize, .keyfile, arena)
    }

    /// The seed of the 32 bytes of the service manager's credential.
    ///
    /// - Throws: `.wrongSecret` for any other count; `.sealing(.memory)`.
    package static func credential(
        _ contents: Span<UInt8>, arena: SecretArena
    ) throws(KeySlotsError) -> SlotSeed {
        try hashed("accountd credential v1", contents, secretSize, .credential, arena)
    }

    /// The seed of the 20 bytes of a recovery code.
    ///
    /// - Throws: `.wrongSecret` for any other count; `.sealing(.memory)`.
    package static func recovery(
        _ code: Span<UInt8>, arena: SecretArena
    ) throws(KeySlotsError) -> SlotSeed {
        try hashed("accountd recovery v1", code, RecoveryCode.size, .recovery, arena)
    }

    private static func hashed(
        _ label: StaticString, _ secret: Span<UInt8>, _ size: Int, _ kind: KeySlot.Kind,
        _ arena: SecretArena
    ) throws(KeySlotsError) -> SlotSeed {
        guard secret.count == size else { throw .wrongSecret }
        do throws(SecretMemoryError) {
            var hash = try Blake2b(arena: arena)
            hash.update(label, secret)
            return SlotSeed(kind: kind, scalar: try hash.finish(arena: arena))
        } catch {
            throw .sealing(.memory(error))
        }
    }
}
