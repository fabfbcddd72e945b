import Sealing

/// Key slots, and the file that holds them.
struct StoredSlots: Sendable {
    let slots: KeySlots
    /// What `keyslots.plist` holds, or shall hold.
    let bytes: [UInt8]
    /// Whether `keyslots.plist` holds that: it does not where the slots come from its copy.
    let isInPlace: Bool

    /// The same once they are written.
    var written: StoredSlots { StoredSlots(slots: slots, bytes: bytes, isInPlace: true) }
}
