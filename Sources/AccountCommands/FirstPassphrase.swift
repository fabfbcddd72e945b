import LinuxSystem
import SecretMemory

/// The choice that a person has at the first login: a passphrase, or this machine's key file.
///
/// The passphrase is there before the account is, so that the account never stands on a disk under
/// a key that a thief of the disk has too.
enum FirstPassphrase {
    private static let explanation = """
        This is the first account here. You may protect it with a passphrase.
        Left empty: a key file on this machine opens the store; a copy of the store alone is of no
        use, a stolen disk is, and so it is to another program of yours.
        A passphrase: a stolen disk is of no use either; it is asked for once after each start.
        """

    /// Asks for one, and has the daemon make the store's first slot of it, where nothing is stored
    /// yet.
    static func offer(
        _ options: GlobalOptions, _ arena: SecretArena
    ) throws(CommandFailure) {
        guard try isWanted(options, arena) else { return }
        let seconds = options.hasTimeout ? options.timeout : LoginSource.patience
        let prompt = try PassphrasePrompt.find(
            options, hint: "pipe the response in, and a key file is made", arena: arena,
            seconds: seconds)
        let lock = try PromptLock.acquire(options, seconds: seconds)
        // Another login may have been faster.
        guard try isWanted(options, arena) else { return }
        var passphrase = try PassphrasePrompt.buffer(arena)
        try prompt.ask(
            PassphraseQuestion(kind: .passphrase, explanation: explanation, isNew: true),
            into: &passphrase)
        if !passphrase.isEmpty {
            var exchange = try connect(options, arena)
            _ = try KeyAdding.send(passphrase, keepsKeyFile: false, &exchange)
        }
        withExtendedLifetime(lock) {}
    }

    // Each time anew: a person takes longer than a daemon may live.
    private static func connect(
        _ options: GlobalOptions, _ arena: SecretArena
    ) throws(CommandFailure) -> Exchange {
        try Asking.connect(DaemonFinder(options: options, sendsSecret: true), arena)
    }

    private static func isWanted(
        _ options: GlobalOptions, _ arena: SecretArena
    ) throws(CommandFailure) -> Bool {
        var exchange = try connect(options, arena)
        try exchange.send("org.accountd.Account.GetStatus")
        let status = try StatusDescription.receive(&exchange)
        return status.state == "empty" && status.protection.isEmpty && status.role == "owner"
    }
}
