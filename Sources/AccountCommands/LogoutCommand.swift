import SecretMemory
import Varlink

/// `account logout`: forgets the account.
enum LogoutCommand {
    private static let onlyUID = CommandOption(
        "--if-uid", "U", .text, "only if the account of that uid is stored")

    static let description = CommandDescription(
        """
        Forgets the account: its files are removed, those of its previous state first. The token
        stays good at Weibo until it expires.

        """, options: [onlyUID])

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var uid: String?
        while let option = try invocation.nextOption() {
            switch option {
            case Self.onlyUID: uid = try invocation.value(of: option)
            default: throw Invocation.unknown(option, .logout)
            }
        }
        let forgotten = try Asking.whileOpen(invocation.options) { () throws(CommandFailure) in
            try forget(ifUID: uid, invocation.options)
        }
        try invocation.print(text(forgotten))
        return .done
    }

    private static func forget(
        ifUID uid: String?, _ options: GlobalOptions
    ) throws(CommandFailure) -> Forgotten {
        var exchange = try Asking.connect(
            DaemonFinder(options: options, sendsSecret: false),
            Exchange.makeArena(Exchange.smallMemory))
        try exchange.send(limit: 4096) { out throws(SecretMemoryError) in
            var writer = try MessageWriter.beginCall("org.accountd.Account.Logout", &out)
            try writer.field("if_uid", optional: uid, &out)
            try writer.end(&out)
        }
        let arena = exchange.arena
        return try exchange.receive(.loggingOut) { answer, index, text throws(CommandFailure) in
            Forgotten(uid: index.string("uid", of: answer.parameters, text, arena))
        }
    }

    /// Whose account it was; not known when the store was locked or damaged.
    struct Forgotten: Equatable {
        let uid: String?
    }

    /// What is said to the user.
    static func text(_ forgotten: Forgotten) -> String {
        guard let uid = forgotten.uid else {
            return
                "Logged out. The store could not be opened, so whose account it was is not known.\n"
        }
        return "Logged out uid \(ControlCharacters.escaped(uid)).\n"
    }
}
