/// The name of a key slot: 8 random bytes.
package struct KeySlotID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Bytes in an id.
    package static let size = 8
    // The most significant byte first, so that numbers are in the order of the bytes.
    private let value: UInt64

    /// Takes the id's 8 bytes; nil for any other count.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        var value: UInt64 = 0
        for index in 0..<Self.size { value = value << 8 | UInt64(bytes[index]) }
        self.value = value
    }

    /// Draws an id that none of the slots has.
    static func random(otherThanOf slots: [KeySlot]) -> KeySlotID {
        while true {
            if let id = KeySlotID(Sodium.randomBytes(size).span),
                !slots.contains(where: { $0.id == id })
            {
                return id
            }
        }
    }

    /// The id's 8 bytes.
    package var bytes: [UInt8] { value.bigEndianBytes }

    /// The id as 16 lower-case hexadecimal digits.
    package var description: String { hexadecimal(bytes) }

    /// The order of slots in the file, that of their ids' bytes.
    package static func < (left: KeySlotID, right: KeySlotID) -> Bool { left.value < right.value }
}

/// The master key wrapped for one secret (docs/FORMAT.md, "Key slots").
///
/// It holds no plain secret: the slot's public key, which its secret leads to, and the wrap.
package struct KeySlot: Equatable, Sendable {
    /// What kind of secret opens a slot; the raw value stands in the file.
    package enum Kind: String, CaseIterable, Sendable {
        /// A passphrase, through Argon2id.
        case passphrase
        /// `accountd.key` of the service manager's credentials.
        case credential
        /// A file of 32 bytes that only its owner may read.
        case keyfile
        /// A code that was shown once.
        case recovery

        /// The word that stands in the file.
        var name: StaticString {
            switch self {
            case .passphrase: "passphrase"
            case .credential: "credential"
            case .keyfile: "keyfile"
            case .recovery: "recovery"
            }
        }
    }

    /// How the seed is made from a passphrase: Argon2id13, one lane. crypto_pwhash(3)
    package struct PassphraseParameters: Equatable, Sendable {
        /// Passes: from libsodium's MODERATE to what takes a slow machine some ten seconds.
        package static let opslimits: ClosedRange<Int64> = 3...16
        /// Bytes: from libsodium's MODERATE to its SENSITIVE; a hostile file gets no more.
        package static let memlimits: ClosedRange<Int64> = 268_435_456...1_073_741_824
        /// Bytes of salt.
        package static let saltSize = 16

        /// Random, 16 bytes.
        package let salt: [UInt8]
        /// Passes over the memory.
        package let opslimit: Int64
        /// Bytes of memory.
        package let memlimit: Int64

        /// Takes what is within the bounds; nil for anything else.
        package init?(salt: [UInt8], opslimit: Int64, memlimit: Int64) {
            guard salt.count == Self.saltSize, Self.opslimits.contains(opslimit),
                Self.memlimits.contains(memlimit)
            else { return nil }
            self.salt = salt
            self.opslimit = opslimit
            self.memlimit = memlimit
        }
    }

    /// Names the slot.
    package let id: KeySlotID
    /// What opens it.
    package let kind: Kind
    /// When it was made, in seconds since 1970-01-01T00:00:00Z.
    package let created: Int64
    /// Of a passphrase slot, and of no other.
    package let passphrase: PassphraseParameters?
    /// X25519, 32 bytes.
    package let publicKey: [UInt8]
    /// The public half of the key pair that was made for this wrap, 32 bytes.
    package var ephemeral: [UInt8]
    /// Random, 24 bytes.
    package var nonce: [UInt8]
    /// The master key, encrypted, and the code: 48 bytes.
    package var wrapped: [UInt8]

    /// What the wrap is bound to, and what the list's code covers of the slot's description.
    func associatedData(current: MasterKeyID) -> [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append(id.bytes)
        bytes.append(Array(kind.rawValue.utf8))
        bytes.append(created.littleEndianBytes)
        bytes.append(passphrase?.salt ?? [])
        bytes.append(passphrase?.opslimit.littleEndianBytes ?? [])
        bytes.append(passphrase?.memlimit.littleEndianBytes ?? [])
        bytes.append(publicKey)
        bytes.append(current.bytes)
        return bytes.bytes
    }
}

/// An earlier master key, wrapped under the current one.
package struct RetiredKey: Equatable, Sendable {
    /// The id that the earlier key had.
    package let id: MasterKeyID
    /// Random, 24 bytes.
    package let nonce: [UInt8]
    /// The earlier key, encrypted, and the code: 48 bytes.
    package let wrapped: [UInt8]

    /// What the wrap is bound to.
    var associatedData: [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append(id.bytes)
        return bytes.bytes
    }
}

/// A row of values, each after its length, so that no two rows give the same bytes.
struct CanonicalBytes {
    private(set) var bytes: [UInt8] = []

    /// Appends L(value): the length in 32 bits, little endian, then the value.
    mutating func append(_ value: [UInt8]) {
        bytes += UInt32(truncatingIfNeeded: value.count).littleEndianBytes
        bytes += value
    }

    /// Appends what is canonical already.
    mutating func append(contentsOf canonical: [UInt8]) { bytes += canonical }
}
