import JSON
import LinuxSystem
import SecretMemory
import Varlink

/// `account key add recovery`: a code that opens the store when all else is lost.
///
/// It is shown on the terminal once and has to be typed back, so that whoever was shown it has it.
/// Where nobody looks it goes into a new file instead, never to standard output, which may be a log.
struct RecoveryAdding {
    /// How often a person may mistype it.
    private static let attempts = 3
    /// Bytes of the longest line that is read back.
    private static let longestAnswer = 256

    let options: GlobalOptions
    /// `--code-file`; empty when it is not given.
    let file: String

    /// Draws a code, has it kept by somebody, and adds the slot.
    func run() throws(CommandFailure) -> KeyAdding.Added {
        let arena = try Exchange.makeArena(Unlocking.memory)
        // Before the code is shown: what is locked would refuse it in the end.
        try Unlocking.openIfLocked(options)
        return file.isEmpty ? try show(arena) : try write(arena)
    }

    private func write(_ arena: SecretArena) throws(CommandFailure) -> KeyAdding.Added {
        let code = try draw(arena)
        var text = try PassphrasePrompt.buffer(arena)
        do throws(SecretMemoryError) {
            try code.withBytes { bytes throws(SecretMemoryError) in try text.append(bytes) }
            try text.append("\n")
        } catch { throw CommandFailure(error) }
        do throws(Errno) {
            try text.withBytes { bytes throws(Errno) in
                try ExclusiveFile.create(bytes, at: file)
            }
        } catch {
            guard error == .exists else { throw .system("cannot write \(file)", error) }
            throw .usage("\(file) is there already", hint: "name a file that is still to be made")
        }
        do throws(CommandFailure) {
            return try add(code)
        } catch {
            // A code that opens nothing is worse than none; one that may open something is not.
            if error.status != .timedOut, !error.isUnanswered { try? Files.unlink(file) }
            throw error
        }
    }

    private func show(_ arena: SecretArena) throws(CommandFailure) -> KeyAdding.Added {
        guard options.mayPrompt, let terminal = try? Terminal.controlling(),
            Terminal.isForeground(terminal.rawValue)
        else {
            throw .usage(
                "the recovery code is shown on a terminal, and there is none to use",
                hint: "have it written into a new file: --code-file FILE")
        }
        let seconds = options.hasTimeout ? options.timeout : LoginSource.patience
        let lock = try PromptLock.acquire(options, seconds: seconds)
        let code = try draw(arena)
        try print(code, to: terminal.rawValue)
        try confirm(code, at: terminal.rawValue, seconds, arena)
        withExtendedLifetime(lock) {}
        return try add(code)
    }

    private func print(
        _ code: borrowing SecretBuffer, to terminal: Int32
    ) throws(CommandFailure) {
        do throws(Errno) {
            try StandardStream.print(
                """
                This code opens the store when the passphrase or the key file is lost. It is shown
                once: write it down, and keep it away from this machine.

                    \u{20}
                """, to: terminal)
            try code.withBytes { bytes throws(Errno) in
                try StandardStream.writeAll(bytes, to: terminal)
            }
            try StandardStream.print("\n\n", to: terminal)
        } catch { throw .system("cannot write to the terminal", error) }
    }

    private func confirm(
        _ code: borrowing SecretBuffer, at terminal: Int32, _ seconds: Int64, _ arena: SecretArena
    ) throws(CommandFailure) {
        let wanted = try Self.plain(code, arena)
        for _ in 1...Self.attempts {
            let typed = try Self.plain(read(terminal, seconds, arena), arena)
            if wanted.withBytes({ one in typed.withBytes { Passphrase.areSame(one, $0) } }) {
                return
            }
            try? StandardStream.print("That is not the code.\n", to: terminal)
        }
        throw CommandFailure(
            .inputRejected, "the code was not typed back; nothing was changed",
            hint: "run it again: another code is shown then")
    }

    private func read(
        _ terminal: Int32, _ seconds: Int64, _ arena: SecretArena
    ) throws(CommandFailure) -> SecretBuffer {
        var line = try Self.buffer(arena)
        do throws(Errno) {
            guard
                try Terminal.readLine(
                    terminal, prompt: "Type it back: ", isShown: true, into: &line,
                    timeoutMilliseconds: seconds * 1000)
            else { throw Errno.canceled }
        } catch {
            switch error {
            case .canceled: throw CommandFailure(PinentryError.cancelled, .recoveryCode)
            case .timedOut: throw CommandFailure(PinentryError.timedOut, .recoveryCode)
            // As long as no code is.
            case .messageTooLong: line.removeAll()
            default: throw .system("cannot ask on the terminal", error)
            }
        }
        return line
    }

    private static func buffer(_ arena: SecretArena) throws(CommandFailure) -> SecretBuffer {
        do {
            return try SecretBuffer(arena: arena, capacity: longestAnswer)
        } catch { throw CommandFailure(error) }
    }

    /// A code as the daemon compares it: case, spaces and hyphens do not matter, I and L are read as
    /// 1, O as 0. docs/FORMAT.md, "Recovery code"
    static func plain(
        _ code: borrowing SecretBuffer, _ arena: SecretArena
    ) throws(CommandFailure) -> SecretBuffer {
        var result = try buffer(arena)
        do throws(SecretMemoryError) {
            try code.withBytes { bytes throws(SecretMemoryError) in
                for index in bytes.indices {
                    if let letter = plain(bytes[index]) { try result.append(letter) }
                }
            }
        } catch { throw CommandFailure(error) }
        return result
    }

    private static func plain(_ byte: UInt8) -> UInt8? {
        let isSmall = UInt8(ascii: "a") <= byte && byte <= UInt8(ascii: "z")
        let letter = isSmall ? byte - 0x20 : byte
        switch letter {
        case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
            return nil
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return UInt8(ascii: "1")
        case UInt8(ascii: "O"): return UInt8(ascii: "0")
        default: return letter
        }
    }

    private func draw(_ arena: SecretArena) throws(CommandFailure) -> SecretBuffer {
        var exchange = try KeyCommand.connect(options)
        try exchange.send("org.accountd.Keys.NewRecoveryCode")
        let path = exchange.path
        var code = try Self.buffer(arena)
        try exchange.receive(.verifying) { answer, index, text throws(CommandFailure) in
            guard let node = answer.field("recovery_code", index, text),
                index.kind(of: node) == .string
            else { throw .notUnderstood(path) }
            do {
                try index.appendString(node, in: text, to: &code)
            } catch { throw .notUnderstood(path) }
        }
        // What goes to a terminal is looked at before.
        let isCode = code.withBytes { bytes in
            bytes.indices.allSatisfy { 0x20 < bytes[$0] && bytes[$0] < 0x7F }
        }
        guard isCode, !code.isEmpty else { throw .notUnderstood(path) }
        return code
    }

    private func add(_ code: borrowing SecretBuffer) throws(CommandFailure) -> KeyAdding.Added {
        var exchange = try KeyCommand.connect(options)
        try exchange.send(limit: 1024) { out throws(SecretMemoryError) in
            var call = try MessageWriter.beginCall("org.accountd.Keys.AddSlot", &out)
            try call.field("kind", "recovery", &out)
            try call.field("recovery_code", secret: code, &out)
            try call.end(&out)
        }
        return try KeyAdding.receive(&exchange)
    }
}
