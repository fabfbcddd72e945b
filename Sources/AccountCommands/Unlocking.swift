import JSON
import LinuxSystem
import SecretMemory
import Varlink

/// Opening a store that is locked, with the help of a person where it takes one.
struct Unlocking {
    /// Seconds that the daemon and a person may take, unless `--timeout` says otherwise.
    static let patience: Int64 = 60
    /// How often a person is asked again after a wrong answer.
    private static let attempts = 3
    /// Bytes of locked memory: what is typed, what a pinentry says, and the calls.
    static let memory = 131_072

    let options: GlobalOptions
    /// What a person is asked for.
    let kind: Passphrase.Kind
    /// Whether a store that is damaged is a failure: whoever goes on with another call learns it there.
    var refusesDamage = false

    /// Whether a store that nobody can be asked about stays locked: whoever goes on does without.
    var leavesLocked = false

    /// Seconds for each of the waits.
    var seconds: Int64 { options.hasTimeout ? options.timeout : Self.patience }

    /// The options with the time that an unlock may take.
    private var patient: GlobalOptions {
        var patient = options
        patient.timeout = seconds
        return patient
    }

    /// Opens the store for a command that has found it locked.
    ///
    /// - Throws: `.locked` when it stays so, `.notPermitted` after wrong answers.
    static func open(_ options: GlobalOptions) throws(CommandFailure) {
        try Unlocking(options: options, kind: .passphrase).open()
    }

    /// Opens the store, if it is locked, for a command that would find out too late.
    static func openIfLocked(_ options: GlobalOptions) throws(CommandFailure) {
        try Unlocking(options: options, kind: .passphrase).open()
    }

    /// Opens the store, if a person can, for a command that would begin it anew.
    ///
    /// Who wants to replace an account does not mean to lose the passphrase and the archives with it,
    /// and need not know that the store was locked meanwhile. Where nobody can be asked it stays locked.
    static func openToReplace(_ options: GlobalOptions) throws(CommandFailure) {
        guard options.mayPrompt, try isLockedByPassphrase(options) else { return }
        let opening = Unlocking(options: options, kind: .passphrase, leavesLocked: true)
        do { try opening.open() } catch { throw error.offeringToGiveUp }
    }

    private static func isLockedByPassphrase(
        _ options: GlobalOptions
    ) throws(CommandFailure) -> Bool {
        var exchange = try Asking.connect(
            DaemonFinder(options: options, sendsSecret: true),
            Exchange.makeArena(Exchange.smallMemory * 2))
        let status = try status(&exchange)
        return status.state == "locked" && status.protection.contains { $0 == "passphrase" }
    }

    /// Opens the store by what needs nobody, else by what a person knows.
    func open() throws(CommandFailure) {
        let status = try tryByItself()
        guard status.state == "locked" else { return }
        let needed = kind == .passphrase ? "passphrase" : "recovery"
        guard status.role == "owner", status.protection.contains(where: { $0 == needed }) else {
            if leavesLocked { return }
            throw .locked(status.protection)
        }
        let arena = try Exchange.makeArena(Self.memory)
        // Before the lock: whoever cannot ask need not wait for one who can.
        let prompt: PassphrasePrompt
        do {
            prompt = try PassphrasePrompt.find(
                options, hint: kind.hint, arena: arena, seconds: seconds)
        } catch {
            if leavesLocked { return }
            throw error.saying("the store is locked, and \(error.message)")
        }
        let lock = try PromptLock.acquire(options, seconds: seconds)
        try ask(prompt, arena)
        withExtendedLifetime(lock) {}
    }

    // With neither parameter the daemon tries what needs nobody, and does nothing to an open store.
    private func tryByItself() throws(CommandFailure) -> StatusDescription {
        var exchange = try Asking.connect(
            DaemonFinder(options: patient, sendsSecret: true),
            Exchange.makeArena(Exchange.smallMemory * 2))
        let status = try Self.status(&exchange)
        let mayOpen = status.protection.contains { $0 == "keyfile" || $0 == "credential" }
        let isTried =
            status.state == "locked" && mayOpen || status.state == "damaged" && refusesDamage
        guard isTried, status.role == "owner" else { return status }
        do {
            try exchange.send("org.accountd.Account.Unlock")
            try exchange.receive(.unlocking(kind)) { _, _, _ in }
        } catch {
            guard error.status == .locked || error.status == .notPermitted else { throw error }
        }
        return try Self.status(&exchange)
    }

    private static func status(
        _ exchange: inout Exchange
    ) throws(CommandFailure) -> StatusDescription {
        try exchange.send("org.accountd.Account.GetStatus")
        return try StatusDescription.receive(&exchange)
    }

    // Whoever comes here may have waited for another command that has asked, and opened the store.
    private func ask(
        _ prompt: borrowing PassphrasePrompt, _ arena: SecretArena
    ) throws(CommandFailure) {
        let finder = DaemonFinder(options: patient, sendsSecret: true)
        var answer = try PassphrasePrompt.buffer(arena)
        var question = PassphraseQuestion(kind: kind, explanation: "The account is locked.")
        var wrong = CommandFailure(.locked, "no \(kind.name) was given")
        for _ in 1...Self.attempts {
            // Each time anew: a person takes longer than a daemon may live.
            var exchange = try Asking.connect(finder, arena)
            guard try Self.status(&exchange).state == "locked" else { return }
            // What has been kept for one store is no use to another.
            if kind == .passphrase { question.keyInfo = "u/accountd:\(exchange.path)" }
            try prompt.ask(question, into: &answer)
            if answer.isEmpty {
                question.error = "Nothing was typed. Try again."
                continue
            }
            do {
                try Self.send(kind, answer, &exchange)
                return
            } catch {
                guard error.isWrongKey else { throw error }
                wrong = error
                // Of a code the daemon can tell that it is none, before it is tried.
                question.error =
                    error.status == .inputRejected
                    ? "Something was mistyped. Try again." : "Wrong. Try again."
            }
        }
        throw wrong
    }

    /// Opens the store with a passphrase or a code that was read; one that is wrong is not asked
    /// for again.
    func open(with secret: borrowing SecretBuffer, _ arena: SecretArena) throws(CommandFailure) {
        var exchange = try Asking.connect(
            DaemonFinder(options: patient, sendsSecret: true), arena)
        try Self.send(kind, secret, &exchange)
    }

    private static func send(
        _ kind: Passphrase.Kind, _ secret: borrowing SecretBuffer, _ exchange: inout Exchange
    ) throws(CommandFailure) {
        let name: StaticString = kind == .passphrase ? "passphrase" : "recovery_code"
        // Escapes make six bytes of one at the most.
        try exchange.send(limit: 6 * Passphrase.maximumLength + 256) {
            out throws(SecretMemoryError) in
            var call = try MessageWriter.beginCall("org.accountd.Account.Unlock", &out)
            try call.field(name, secret: secret, &out)
            try call.end(&out)
        }
        try exchange.receive(.unlocking(kind)) { _, _, _ in }
    }
}

extension Passphrase.Kind {
    /// What to do where nobody can be asked for it.
    var hint: String {
        self == .passphrase
            ? "give it with account unlock --passphrase-fd N or --passphrase-file FILE"
            : "give it with account unlock --recovery-code --passphrase-fd N or --passphrase-file FILE"
    }
}

extension CommandFailure {
    /// Whether another passphrase or code may be tried.
    var isWrongKey: Bool { status == .notPermitted || status == .inputRejected }

    /// The same, with the way for whoever has lost the passphrase.
    fileprivate var offeringToGiveUp: CommandFailure {
        guard status == .locked || status == .notPermitted else { return self }
        let way = "--no-input with --replace begins the store anew without it"
        return CommandFailure(
            status, message, hint: hint.map { "\($0); \(way)" } ?? way, isUnanswered: isUnanswered)
    }

    /// The same with another message.
    func saying(_ message: String) -> CommandFailure {
        CommandFailure(status, message, hint: hint, isUnanswered: isUnanswered)
    }
}

extension MessageWriter {
    /// Writes a field that is a text in secret memory.
    mutating func field(
        _ name: StaticString, secret value: borrowing SecretBuffer, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try self.name(name, &out)
        try value.withBytes { bytes throws(SecretMemoryError) in try out.appendJSONString(bytes) }
    }
}
