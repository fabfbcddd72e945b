import PropertyList
package import SecretMemory

extension KeySlots {
    /// The version of the format, `format` in the file.
    static let format: Int64 = 1
    /// Bytes of a file; 16 slots and 16 retired keys take some 8,000.
    package static let maximumFileSize = 32_768
    /// Objects in a file; 16 slots and 16 retired keys have some 300.
    static let maximumObjects = 2048
    /// Containers within one another: 3, and room for a later format to be known as one.
    static let maximumDepth = 8
    /// The last second of the year 9999; earlier than 1970 nothing was made.
    static let createdSeconds: ClosedRange<Int64> = 0...253_402_300_799
    static let codeSize = Blake2b.size

    /// Reads `keyslots.plist` and compares its checksum.
    ///
    /// Every field must be there and no other may: what the codes do not cover has no place in the
    /// file. Memory is bounded by the file's size, which is bounded.
    ///
    /// - Throws: `.damaged`; `.sealing(.unsupportedVersion)` for a later format;
    ///   `.sealing(.memory)`.
    package static func parse(
        _ file: Span<UInt8>, arena: SecretArena
    ) throws(KeySlotsError) -> KeySlots {
        let fields = try KeySlotsFields(file)
        let root = fields.root
        guard let format = fields.integer("format", of: root, in: file) else {
            throw .damaged("format")
        }
        let list: KeySlots
        do throws(KeySlotsError) {
            list = try read(fields, root, in: file)
            let checksum = try fields.data("checksum", of: root, size: codeSize, in: file)
            let expected = try list.makeChecksum(arena: arena)
            guard Sodium.areEqual(expected.span, checksum.span) else { throw .damaged("checksum") }
        } catch {
            guard case .damaged = error, format > Self.format else { throw error }
            throw .sealing(.unsupportedVersion(Int(format)))
        }
        // A later format has another checksum: what is format 1 but for its number is damaged.
        guard format == Self.format else { throw .damaged("format") }
        return list
    }

    private static func read(
        _ fields: KeySlotsFields, _ root: PropertyListIndex.Node, in file: Span<UInt8>
    ) throws(KeySlotsError) -> KeySlots {
        try fields.require(6, of: root, named: "list")
        let current = try fields.masterKeyID("current", of: root, in: file)
        let slots = try fields.elements(
            "slots", of: root, counts: 1...maximumSlots, in: file
        ) { node throws(KeySlotsError) in try slot(fields, node, in: file) }
        for index in slots.indices.dropFirst() where slots[index - 1].id >= slots[index].id {
            throw .damaged("order of slots")
        }
        let retired = try fields.elements(
            "retired", of: root, counts: 0...maximumRetiredKeys, in: file
        ) { node throws(KeySlotsError) in try retiredKey(fields, node, in: file) }
        let ids = Set(retired.map(\.id))
        guard ids.count == retired.count, !ids.contains(current) else {
            throw .damaged("ids of retired keys")
        }
        let mac = try fields.data("mac", of: root, size: codeSize, in: file)
        return KeySlots(current: current, slots: slots, retired: retired, mac: mac)
    }

    private static func slot(
        _ fields: KeySlotsFields, _ node: PropertyListIndex.Node, in file: Span<UInt8>
    ) throws(KeySlotsError) -> KeySlot {
        guard let kind = fields.kind(of: node, in: file) else { throw .damaged("kind") }
        try fields.require(kind == .passphrase ? 10 : 7, of: node, named: "slot")
        let id = try fields.data("id", of: node, size: KeySlotID.size, in: file)
        guard let id = KeySlotID(id.span) else { throw .damaged("id") }
        guard let created = fields.wholeSeconds("created", of: node, in: file),
            createdSeconds.contains(created)
        else { throw .damaged("created") }
        return KeySlot(
            id: id, kind: kind, created: created,
            passphrase: kind == .passphrase ? try passphrase(fields, node, in: file) : nil,
            publicKey: try fields.data("public", of: node, size: KeyWrap.pointSize, in: file),
            ephemeral: try fields.data("ephemeral", of: node, size: KeyWrap.pointSize, in: file),
            nonce: try fields.data("nonce", of: node, size: KeyWrap.nonceSize, in: file),
            wrapped: try fields.data("wrapped", of: node, size: KeyWrap.wrappedSize, in: file))
    }

    private static func passphrase(
        _ fields: KeySlotsFields, _ node: PropertyListIndex.Node, in file: Span<UInt8>
    ) throws(KeySlotsError) -> KeySlot.PassphraseParameters {
        let saltSize = KeySlot.PassphraseParameters.saltSize
        let salt = try fields.data("salt", of: node, size: saltSize, in: file)
        guard let opslimit = fields.integer("opslimit", of: node, in: file),
            let memlimit = fields.integer("memlimit", of: node, in: file),
            let parameters = KeySlot.PassphraseParameters(
                salt: salt, opslimit: opslimit, memlimit: memlimit)
        else { throw .damaged("passphrase limits") }
        return parameters
    }

    private static func retiredKey(
        _ fields: KeySlotsFields, _ node: PropertyListIndex.Node, in file: Span<UInt8>
    ) throws(KeySlotsError) -> RetiredKey {
        try fields.require(3, of: node, named: "retired key")
        return RetiredKey(
            id: try fields.masterKeyID("id", of: node, in: file),
            nonce: try fields.data("nonce", of: node, size: KeyWrap.nonceSize, in: file),
            wrapped: try fields.data("wrapped", of: node, size: KeyWrap.wrappedSize, in: file))
    }
}
