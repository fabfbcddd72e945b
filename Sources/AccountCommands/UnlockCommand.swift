/// `account unlock`: opens the store.
enum UnlockCommand {
    private static let recoveryCode = CommandOption(
        "--recovery-code",
        "open it with the recovery code; it is asked for, or read from where the\n"
            + "two options above say")

    static let description = CommandDescription(
        """
        Opens the store: with the key file or the service manager's credential where they are there,
        else with the passphrase. That is asked for by pinentry, or on the terminal, where it is not
        shown. Of many commands that find the store locked at once one asks. A passphrase is never
        taken from an argument or from the environment.

        """, options: PassphraseSource.options + [recoveryCode],
        notes: """
            ACCOUNT_PINENTRY names another program than pinentry. With --no-input, in the background,
            or without a terminal and a display nobody is asked: the exit status is 4.

            """)

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var source = PassphraseSource()
        var kind = Passphrase.Kind.passphrase
        invocation.wordsAreRefusedWith = "a passphrase is not taken from an argument"
        while let option = try invocation.nextOption() {
            if try source.take(option, &invocation) { continue }
            switch option {
            case Self.recoveryCode: kind = .recoveryCode
            default: throw Invocation.unknown(option, .unlock)
            }
        }
        let unlocking = Unlocking(
            options: invocation.options, kind: kind, refusesDamage: true)
        if source.isNamed {
            let arena = try Exchange.makeArena(Unlocking.memory)
            // Before a daemon is started, which must not get the descriptor.
            let secret = try source.read(
                kind, input: invocation.descriptors.input, invocation.options, arena)
            try unlocking.open(with: secret, arena)
        } else {
            try unlocking.open()
        }
        try invocation.print("Unlocked.\n" as StaticString)
        return .done
    }
}
