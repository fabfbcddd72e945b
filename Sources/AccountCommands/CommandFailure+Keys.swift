/// What the daemon refuses of locks and key slots.
extension CommandFailure {
    /// The failure that one of these errors stands for.
    static func keys(_ error: ServerError, _ task: Task) -> CommandFailure {
        switch error {
        case .opensByItself:
            CommandFailure(
                .notPermitted, "the store cannot be locked: all that it has opens it by itself",
                hint: "add a passphrase: account key add passphrase")
        case .wrongKey: wrongKey(task)
        case .noSuchSlot:
            CommandFailure(
                .nothingStored, "no key slot has that id, or several begin so",
                hint: "account key list shows them")
        case .lastSlot:
            CommandFailure(
                .inputRejected, "the last key slot stays: nothing would open the store any more",
                hint: "add another one first: account key add")
        case .tooManySlots:
            CommandFailure(
                .inputRejected, "the store has as many key slots as it may have",
                hint: "remove one: account key remove ID")
        default:
            CommandFailure(
                .inputRejected, "too many earlier master keys are still needed by some file",
                hint: "account archive reseal seals them anew; then run it again")
        }
    }

    private static func wrongKey(_ task: Task) -> CommandFailure {
        if case .unlocking(.recoveryCode) = task {
            return CommandFailure(
                .notPermitted, "the recovery code is not that of this store",
                hint: "account key list shows what opens it")
        }
        return CommandFailure(
            .notPermitted, "the passphrase is wrong",
            hint: "account unlock --recovery-code opens the store without it")
    }

    /// The store is locked, and stays so unless somebody does something else.
    ///
    /// - Parameter protection: the kinds of the store's key slots.
    static func locked(_ protection: [String]) -> CommandFailure {
        let isTyped = protection.contains { $0 == "passphrase" }
        let hasCode = protection.contains { $0 == "recovery" }
        let opensByItself = protection.contains { $0 == "keyfile" || $0 == "credential" }
        if isTyped || !opensByItself {
            return CommandFailure(
                .locked, "the store is locked",
                hint: "open it: account unlock" + (isTyped ? "" : " --recovery-code"))
        }
        let hasCredential = protection.contains { $0 == "credential" }
        return CommandFailure(
            .locked,
            hasCredential
                ? "the store is locked: the service manager's credential that opens it is not there"
                : "the store is locked: the key that opens it is not there",
            hint: "account doctor says which key that is"
                + (hasCode
                    ? "; without it: account unlock --recovery-code"
                    : "; once it is back: account unlock"))
    }
}
