import LinuxSystem
import SecretMemory
import Varlink

/// `account key add`: a slot that opens the store from then on.
enum KeyAdding {
    /// What came of it.
    struct Added: Equatable {
        let slot: SlotDescription
        /// Slots that it took the place of.
        let removed: [SlotDescription]

        /// For people.
        var text: String {
            var text = "Added the \(slot.name).\n"
            for slot in removed { text += "Removed the \(slot.name).\n" }
            return text
        }
    }

    /// Adds what the options say.
    static func run(_ given: KeyOptions, _ invocation: Invocation) throws(CommandFailure) {
        let options = invocation.options
        let added: Added
        switch given.kind {
        case .passphrase: added = try addPassphrase(given, invocation)
        case .recovery: added = try RecoveryAdding(options: options, file: given.codeFile).run()
        case .credential: added = try add("credential", options)
        case .keyfile: added = try add("keyfile", options)
        }
        try invocation.print(added.text)
        // The slots that went took the master key with them.
        if !added.removed.isEmpty { try ArchiveCommand.resealAfterRotation(options) }
    }

    private static func add(
        _ kind: String, _ options: GlobalOptions
    ) throws(CommandFailure) -> Added {
        try Asking.whileOpen(options) { () throws(CommandFailure) in
            var exchange = try KeyCommand.connect(options)
            try exchange.send(limit: 256) { out throws(SecretMemoryError) in
                var call = try MessageWriter.beginCall("org.accountd.Keys.AddSlot", &out)
                try call.field("kind", kind, &out)
                try call.end(&out)
            }
            return try receive(&exchange)
        }
    }

    private static func addPassphrase(
        _ given: KeyOptions, _ invocation: Invocation
    ) throws(CommandFailure) -> Added {
        let options = invocation.options
        let arena = try Exchange.makeArena(Unlocking.memory)
        var passphrase = try PassphrasePrompt.buffer(arena)
        if given.source.isNamed {
            passphrase = try given.source.read(
                .passphrase, input: invocation.descriptors.input, options, arena)
        } else {
            try askForNew(options, into: &passphrase, arena)
            guard !passphrase.isEmpty else {
                throw CommandFailure(.inputRejected, "a passphrase is not empty")
            }
        }
        return try Asking.whileOpen(options) { () throws(CommandFailure) in
            var exchange = try KeyCommand.connect(options)
            return try send(passphrase, keepsKeyFile: given.keepsKeyFile, &exchange)
        }
    }

    private static func askForNew(
        _ options: GlobalOptions, into passphrase: inout SecretBuffer, _ arena: SecretArena
    ) throws(CommandFailure) {
        let seconds = options.hasTimeout ? options.timeout : LoginSource.patience
        let prompt = try PassphrasePrompt.find(
            options, hint: "give it with --passphrase-fd N or --passphrase-file FILE",
            arena: arena, seconds: seconds)
        let lock = try PromptLock.acquire(options, seconds: seconds)
        try prompt.ask(
            PassphraseQuestion(
                kind: .passphrase,
                explanation: "A new passphrase for the account.\nWithout it nothing but a recovery"
                    + " code opens the store.", isNew: true), into: &passphrase)
        withExtendedLifetime(lock) {}
    }

    /// Has the daemon add a passphrase.
    static func send(
        _ passphrase: borrowing SecretBuffer, keepsKeyFile: Bool, _ exchange: inout Exchange
    ) throws(CommandFailure) -> Added {
        try exchange.send(limit: 6 * Passphrase.maximumLength + 256) {
            out throws(SecretMemoryError) in
            var call = try MessageWriter.beginCall("org.accountd.Keys.AddSlot", &out)
            try call.field("kind", "passphrase", &out)
            try call.field("passphrase", secret: passphrase, &out)
            if keepsKeyFile { try call.field("keep_keyfile", true, &out) }
            try call.end(&out)
        }
        return try receive(&exchange)
    }

    /// Receives what came of it.
    static func receive(_ exchange: inout Exchange) throws(CommandFailure) -> Added {
        let arena = exchange.arena
        let path = exchange.path
        return try exchange.receive(.changingKeys) { answer, index, text throws(CommandFailure) in
            let node = answer.field("slot", index, text)
            guard let slot = SlotDescription(node, index, text, arena),
                let removed = SlotDescription.list("removed", answer, index, text, arena)
            else { throw .notUnderstood(path) }
            return Added(slot: slot, removed: removed)
        }
    }
}
