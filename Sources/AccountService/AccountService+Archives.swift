import JSON
import Sealing
import SecretMemory
import Varlink

// Archives are files of other programs: what seals one is derived here. docs/FORMAT.md, "Keys"
extension AccountService {
    /// The longest name of an archive, in bytes: in a file's name three of them may take four, and with
    /// the suffix that stays within the 255 of a file system.
    static let maximumArchiveName = 180

    /// Answers with the key of one archive, from the master key in effect: that of a rotation that is
    /// being written is not until it is durable.
    mutating func deriveArchiveKey(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        var parameters = Parameters(of: call)
        let nameNode = try parameters.string("name", index, text)
        let idNode = try parameters.string("key_id", index, text)
        try parameters.refuseOthers(besides: ["name", "key_id"], index, text)
        guard let nameNode else { throw .invalidParameter("name") }
        let name = try archiveName(nameNode, text)
        let wanted = try idNode.map { node throws(Refusal) in try masterKeyID(node, text) }
        try requireOpen(orEmpty: true)
        guard let slots = slots?.slots else { throw .noAccount }
        let id = wanted ?? slots.current
        let key = try archiveKey(name, id, slots)
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            try writer.field("key", hexadecimal: key, &reply)
            try writer.field("key_id", id.description, &reply)
            try writer.end(&reply)
        } catch { throw .memory(error) }
        wipeStack()
        usedAt = now.boottime
    }

    /// Kept where secrets are: somebody may have sent one in its place.
    private func archiveName(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> SecretBuffer {
        let count = index.decodedCount(of: node, in: text)
        guard count > 0 else { throw .invalidField("name", "is empty") }
        guard count <= Self.maximumArchiveName else {
            throw .invalidField("name", "is longer than \(Self.maximumArchiveName) bytes")
        }
        return try decode(node, text)
    }

    private func masterKeyID(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> MasterKeyID {
        var digits = 0
        var bytes = [UInt8](repeating: 0, count: MasterKeyID.size)
        index.forEachByte(of: node, in: text) { byte in
            guard let digit = Self.hexadecimalDigit(byte), digits < 2 * MasterKeyID.size else {
                digits = .max
                return
            }
            bytes[digits / 2] = bytes[digits / 2] << 4 | digit
            digits += 1
        }
        guard digits == 2 * MasterKeyID.size, let id = MasterKeyID(bytes.span) else {
            throw .invalidField("key_id", "is not 32 hexadecimal digits")
        }
        return id
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private func archiveKey(
        _ name: borrowing SecretBuffer, _ id: MasterKeyID, _ slots: KeySlots
    ) throws(Refusal) -> SecretBytes {
        switch masterKey {
        case .none: throw .locked
        case .some(let masterKey):
            if id == masterKey.id { return try Self.archiveKey(name, masterKey, arena) }
            let retired = try Self.retiredKey(id, slots, masterKey, arena)
            return try Self.archiveKey(name, retired, arena)
        }
    }

    private static func archiveKey(
        _ name: borrowing SecretBuffer, _ masterKey: borrowing MasterKey, _ arena: SecretArena
    ) throws(Refusal) -> SecretBytes {
        do throws(SealingError) {
            return try name.withBytes { name throws(SealingError) in
                try masterKey.archiveKey(named: name, in: arena)
            }
        } catch { throw refusal(error) }
    }

    private static func retiredKey(
        _ id: MasterKeyID, _ slots: KeySlots, _ masterKey: borrowing MasterKey,
        _ arena: SecretArena
    ) throws(Refusal) -> MasterKey {
        do throws(KeySlotsError) {
            return try slots.retiredKey(id, under: masterKey, arena: arena)
        } catch .sealing(.unknownKey) {
            throw .noSuchKey(id)
        } catch { throw refusal(of: error) }
    }
}
