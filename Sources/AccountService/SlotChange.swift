import Sealing

/// What a change of the key slots adds, removes and has left to do.
struct SlotChange {
    /// The kind of a slot that is added.
    var kind: KeySlot.Kind?
    /// Whether key files go on opening the store beside a new passphrase.
    var keepsKeyFile = false
    /// The slot that was added.
    var added: KeySlot?
    /// The slots that were removed.
    var removed: [KeySlot] = []
    /// Whether the master key is another one.
    var rotates = false
    /// Whether the daemon's key file opened a slot that is removed, and goes too.
    var removesKeyFile = false
    /// Whether the new slots are durable: what fails then takes nothing back.
    var isInEffect = false
    /// Whether earlier master keys are forgotten first, so that there is room for one more.
    var makesRoom = false
    /// Whether a spare that is sealed by an earlier master key goes, as a rotation would have it.
    var removesSpare = false
    /// Earlier master keys that may be forgotten, unless something is sealed by them.
    var droppable: [MasterKeyID] = []
}
