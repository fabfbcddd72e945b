import Sealing

extension KeySlots {
    /// The kinds of the slots, weakest first, each once. org.accountd.Account, `Status.protection`
    var protection: [String] {
        let byStrength: [KeySlot.Kind] = [.keyfile, .credential, .recovery, .passphrase]
        return byStrength.filter { kind in slots.contains { $0.kind == kind } }.map(\.rawValue)
    }
}
