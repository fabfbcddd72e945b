/// `account lock`: the daemon forgets the key and the account, until somebody opens the store.
enum LockCommand {
    static let description = CommandDescription(
        """
        Has the daemon wipe the key, the account and all that was made of them from its memory. The
        store stays as it is: account unlock opens it, and so does any command that needs it, by
        asking for the passphrase. A store that opens by itself cannot be locked.

        """)

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        try invocation.takeNoOptions(of: .lock)
        var exchange = try Asking.connect(
            DaemonFinder(options: invocation.options, sendsSecret: false),
            Exchange.makeArena(Exchange.smallMemory))
        try exchange.send("org.accountd.Account.Lock")
        try exchange.receive(.verifying) { _, _, _ in }
        try invocation.print("Locked.\n" as StaticString)
        return .done
    }
}
