import Sealing

extension KeySlot.Kind {
    /// Whether somebody has to be asked for the secret.
    var asksSomebody: Bool { self == .passphrase || self == .recovery }
}

extension KeySlots {
    /// The kinds of the slots, weakest first, each once. org.accountd.Account, `Status.protection`
    var protection: [String] {
        let byStrength: [KeySlot.Kind] = [.keyfile, .credential, .recovery, .passphrase]
        return byStrength.filter { kind in slots.contains { $0.kind == kind } }.map(\.rawValue)
    }

    /// Whether a slot opens without anybody being asked.
    var opensByItself: Bool { slots.contains { !$0.kind.asksSomebody } }

    /// Whether none opens but by itself, so that to lock the store would mean nothing.
    var cannotBeLocked: Bool { !slots.contains { $0.kind.asksSomebody } }
}
