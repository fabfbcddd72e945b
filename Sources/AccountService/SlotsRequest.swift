package import Sealing

/// New key slots for a store that is open.
package struct SlotsRequest: Sendable {
    /// A new key file, 32 bytes, which is made before and must not be there yet.
    package var keyFile: SecretLoan?
    /// What `keyslots.plist` must hold, else nothing is written; nil: it must not be there.
    package let expected: [UInt8]?
    /// What it shall hold, and its copy.
    package let slots: [UInt8]
    /// The time in seconds since 1970, for the names of what is set aside.
    package let time: Int64

    /// Makes a request.
    package init(expected: [UInt8]?, slots: [UInt8], time: Int64) {
        self.expected = expected
        self.slots = slots
        self.time = time
    }
}

/// Earlier master keys that are to be forgotten, if nothing is sealed by them any more.
package struct RetiredKeysRequest: Sendable {
    /// Their ids.
    package let ids: [MasterKeyID]
    /// What `keyslots.plist` must hold, else nothing is written.
    package let expected: [UInt8]
    /// The slots without those keys.
    package let slots: [UInt8]
    /// The time in seconds since 1970, for the names of what is set aside.
    package let time: Int64

    /// Makes a request.
    package init(ids: [MasterKeyID], expected: [UInt8], slots: [UInt8], time: Int64) {
        self.ids = ids
        self.expected = expected
        self.slots = slots
        self.time = time
    }
}
