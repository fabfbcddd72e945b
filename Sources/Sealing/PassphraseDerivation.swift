import CSodium
package import SecretMemory

/// One passphrase on its way to a slot's seed: Argon2id, which takes the better part of a second and
/// hundreds of megabytes.
///
/// The loop makes it, another thread runs it, and the loop takes the seed. Both the passphrase and the
/// room for the outcome stand in the loop's arena; between the two it leaves them alone. The queue
/// between the threads orders one after the other.
package final class PassphraseDerivation: @unchecked Sendable {
    /// The longest passphrase, in bytes.
    package static let maximumSize = 1024

    private var parameters: KeySlot.PassphraseParameters
    private let passphrase: SecretBytes
    private var scalar: SecretBytes
    private var isDone = false

    /// Takes a passphrase over, as the bytes that were typed.
    ///
    /// - Throws: `.exhausted` when the arena has no room.
    package init(
        _ passphrase: consuming SecretBytes, parameters: KeySlot.PassphraseParameters,
        arena: SecretArena
    ) throws(SecretMemoryError) {
        precondition(1...Self.maximumSize ~= passphrase.count, "the caller checks the length")
        Sodium.start()
        scalar = try arena.allocate(KeyWrap.pointSize)
        self.parameters = parameters
        self.passphrase = passphrase
    }

    /// Has it derive for another slot.
    package func prepare(_ parameters: KeySlot.PassphraseParameters) {
        self.parameters = parameters
        isDone = false
    }

    /// Derives. crypto_pwhash(3), Argon2id version 1.3
    ///
    /// Its memory is the kernel's again when it returns, and what it left on this thread's stack is
    /// overwritten.
    ///
    /// - Returns: false when the system has not given the memory.
    package func run() -> Bool {
        run(opslimit: parameters.opslimit, memlimit: parameters.memlimit)
    }

    /// The same with other limits, which make another seed.
    func run(opslimit: Int64, memlimit: Int64) -> Bool {
        let salt = parameters.salt
        let status = passphrase.withBytes { passphrase in
            scalar.withMutableBytes { scalar in
                unsafe scalar.withMutableStart { out in
                    unsafe passphrase.withStart { typed in
                        unsafe Self.derive(
                            out, typed, passphrase.count, salt, opslimit, memlimit)
                    }
                }
            }
        }
        wipeStack()
        isDone = status == 0
        return isDone
    }

    private static func derive(
        _ out: UnsafeMutablePointer<UInt8>, _ typed: UnsafePointer<UInt8>, _ count: Int,
        _ salt: [UInt8], _ opslimit: Int64, _ memlimit: Int64
    ) -> Int32 {
        unsafe salt.span.withStart { salt in
            // SAFETY: the salt has 16 bytes, the outcome 32, and the passphrase its own count; C's
            // `char` and Swift's `UInt8` are of one size.
            unsafe UnsafeRawPointer(typed).withMemoryRebound(to: CChar.self, capacity: count) {
                unsafe crypto_pwhash(
                    out, UInt64(KeyWrap.pointSize), $0, UInt64(count), salt, UInt64(opslimit),
                    Int(memlimit), crypto_pwhash_ALG_ARGON2ID13)
            }
        }
    }

    /// The seed that was derived; nil where none was.
    ///
    /// - Throws: `.exhausted` when the arena has no room for it.
    package func seed(in arena: SecretArena) throws(SecretMemoryError) -> SlotSeed? {
        guard isDone else { return nil }
        return SlotSeed(
            kind: .passphrase, passphrase: parameters, scalar: try scalar.copy(in: arena))
    }
}

extension KeySlot.PassphraseParameters {
    /// What new slots get: libsodium's MODERATE, 3 passes over 256 MiB, and a random salt.
    package static func moderate() -> KeySlot.PassphraseParameters {
        let made = KeySlot.PassphraseParameters(
            salt: Sodium.randomBytes(saltSize), opslimit: opslimits.lowerBound,
            memlimit: memlimits.lowerBound)
        guard let made else { preconditionFailure("the least that is allowed is allowed") }
        return made
    }
}
