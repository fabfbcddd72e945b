import Glibc
package import SecretMemory

/// A program of the user's that asks for passphrases: on the terminal or in a window, as they like
/// it. Assuan manual; pinentry(1)
package struct Pinentry: Sendable {
    /// What is looked for where the user names no other.
    package static let usualName = "pinentry"
    /// How long the program may take until it can ask, in milliseconds.
    private static let startPatience: Int64 = 10_000
    /// How long after the time is up the program may take to say so, in milliseconds.
    private static let endPatience: Int64 = 2000
    /// Signals upon which the dialog goes before they act: else a program would be left that reads
    /// the terminal, or a terminal that shows nothing of what is typed.
    private static let awaited = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP]

    /// The terminal that it may use.
    package struct Place: Sendable {
        /// Open, and this process is in its foreground.
        package let descriptor: Int32
        /// Its path.
        package let name: String
        /// What kind of terminal it is, as TERM has it.
        package let kind: String?

        /// Names one.
        package init(descriptor: Int32, name: String, kind: String? = nil) {
            self.descriptor = descriptor
            self.name = name
            self.kind = kind
        }
    }

    /// Its path.
    let program: String
    /// Nil where it can ask in a window alone.
    let place: Place?
    /// All that it gets, each as `NAME=value`.
    let environment: [String]
    /// Where a window may be opened, as DISPLAY has it.
    package var display: String?
    /// The locale by which characters are read, as LC_CTYPE has it.
    package var characters: String?
    /// The locale by which messages are chosen, as LC_MESSAGES has it.
    package var messages: String?

    /// Names one.
    package init(
        _ program: String, place: Place?, environment: [String] = Environment.all()
    ) {
        self.program = program
        self.place = place
        self.environment = environment
    }

    /// The path of a program that can be run.
    ///
    /// - Parameters:
    ///   - name: from the root on, or a name to look for in `path`.
    ///   - path: as the variable PATH has it; what is not from the root on is passed over.
    package static func find(_ name: String, in path: String?) -> String? {
        if Files.isAbsolute(name) { return isProgram(name) ? name : nil }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
        let list = path ?? "/usr/local/bin:/usr/bin:/bin"
        var rest = list.utf8[...]
        while true {
            let directory = rest.prefix { $0 != UInt8(ascii: ":") }
            let candidate = String(Substring(directory)) + "/" + name
            if Files.isAbsolute(candidate), directory.count > 0, isProgram(candidate) {
                return candidate
            }
            guard directory.endIndex < rest.endIndex else { return nil }
            rest = rest[rest.index(after: directory.endIndex)...]
        }
    }

    private static func isProgram(_ path: String) -> Bool {
        guard let status = try? FileStatus.of(path: path, following: true),
            status.kind == .regular
        else { return false }
        // SAFETY: the path lives for the call.
        return unsafe access(path, X_OK) == 0
    }

    /// Has it ask.
    ///
    /// A signal that ends or stops this process takes effect once the dialog has gone and the
    /// terminal is as it was; after a stop the question is asked anew.
    ///
    /// - Parameters:
    ///   - answer: empty; gets what was typed. Its limit is the limit.
    ///   - arena: where what the program says is received.
    ///   - seconds: how long the person may take.
    /// - Returns: whether what was typed was typed twice, as the dialog may have asked; not every
    ///   program can.
    package func ask(
        _ dialog: PinentryDialog, into answer: inout SecretBuffer, arena: SecretArena,
        seconds: Int64
    ) throws(PinentryError) -> Bool {
        let end = Clock.deadline(afterMilliseconds: seconds * 1000)
        let blocked = SignalSet.blocked
        let awaited = Self.awaited.filter { !blocked.contains($0) }
        let mask = SignalSet(awaited).block()
        defer { mask.replaceMask() }
        let signals = try Self.collect(awaited)
        while true {
            let modes = place.flatMap { Terminal.Modes(of: $0.descriptor) }
            let outcome = run(dialog, &answer, arena, end, signals.rawValue)
            modes?.restore()
            if case .success(let isRepeated) = outcome { return isRepeated }
            answer.removeAll()
            guard case .failure(let error) = outcome, error.isInterrupted else {
                return try outcome.get()
            }
            // Taken from the descriptor, it is raised again, to act as it would have.
            guard let signal = try? signals.next() else { continue }
            mask.replaceMask()
            raise(signal)
            _ = SignalSet(awaited).block()
        }
    }

    private static func collect(_ signals: [Int32]) throws(PinentryError) -> SignalDescriptor {
        do {
            return try SignalDescriptor(signals)
        } catch { throw .unavailable(.system(error)) }
    }

    // Runs the program from its start to its end.
    private func run(
        _ dialog: PinentryDialog, _ answer: inout SecretBuffer, _ arena: SecretArena,
        _ end: Int64, _ signals: Int32
    ) -> Result<Bool, PinentryError> {
        do throws(PinentryFault) {
            var connection = try PinentryConnection.start(
                program, environment: environment, signals: signals, arena: arena)
            let outcome = converse(&connection, dialog, &answer, end)
            connection.end(hasAnswered: outcome.leavesProgramWaiting)
            return outcome
        } catch { return .failure(.unavailable(error)) }
    }

    private func converse(
        _ connection: inout PinentryConnection, _ dialog: PinentryDialog,
        _ answer: inout SecretBuffer, _ end: Int64
    ) -> Result<Bool, PinentryError> {
        do throws(PinentryFault) {
            try prepare(&connection, dialog, &answer, end)
            try connection.send("GETPIN")
        } catch { return .failure(error == .noMemory ? .noMemory : .unavailable(error)) }
        do throws(PinentryFault) {
            let deadline = end < .max - Self.endPatience ? end + Self.endPatience : end
            return Self.outcome(try connection.receive(into: &answer, until: deadline))
        } catch {
            switch error {
            case .silent: return .failure(.timedOut)
            case .tooLong: return .failure(.tooLong)
            case .noMemory: return .failure(.noMemory)
            default: return .failure(.failed(error))
            }
        }
    }

    // Everything before the question. Nothing of an answer can be in what is said here.
    private func prepare(
        _ connection: inout PinentryConnection, _ dialog: PinentryDialog,
        _ answer: inout SecretBuffer, _ end: Int64
    ) throws(PinentryFault) {
        let now = Clock.monotonicMilliseconds()
        let deadline = min(end, now + Self.startPatience)
        try Self.need(connection.receive(into: &answer, until: deadline))
        let seconds = max(1, (end - now + 999) / 1000)
        for line in options(dialog) + dialog.optionalCommands(seconds: seconds) {
            try connection.send(line)
            _ = try connection.receive(into: &answer, until: deadline)
        }
        for line in dialog.neededCommands {
            try connection.send(line)
            try Self.need(connection.receive(into: &answer, until: deadline))
        }
        // A program that says what nobody has typed yet says it for another's sake.
        guard answer.isEmpty else { throw .notUnderstood }
    }

    private static func need(_ reply: PinentryConnection.Reply) throws(PinentryFault) {
        if case .error(let code, let reason) = reply {
            throw .refused(code: code, reason: reason)
        }
    }

    // Codes of libgpg-error: GPG_ERR_TIMEOUT; CANCELED, FULLY_CANCELED, NOT_CONFIRMED.
    private static func outcome(
        _ reply: PinentryConnection.Reply
    ) -> Result<Bool, PinentryError> {
        switch reply {
        case .ok(let isRepeated): .success(isRepeated)
        case .error(62, _): .failure(.timedOut)
        case .error(99, _), .error(198, _), .error(114, _): .failure(.cancelled)
        case .error(let code, let reason):
            .failure(.unavailable(.refused(code: code, reason: reason)))
        }
    }

    // Where and how to ask; a program that has no terminal, or no window, does not know them all.
    private func options(_ dialog: PinentryDialog) -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ value: String?) {
            // These are not unescaped, so a line's end would begin another command.
            guard let value, value.utf8.allSatisfy({ $0 >= 0x20 }),
                value.utf8.count < PinentryDialog.longestLine - 32
            else { return }
            lines.append("OPTION \(name)=\(value)")
        }
        if let place {
            add("ttyname", place.name)
            add("ttytype", place.kind)
        }
        add("display", display)
        add("lc-ctype", characters)
        add("lc-messages", messages)
        if dialog.keyInfo != nil { lines.append("OPTION allow-external-password-cache") }
        return lines
    }
}

extension PinentryError {
    fileprivate var isInterrupted: Bool {
        self == .failed(.interrupted) || self == .unavailable(.interrupted)
    }
}

extension Result where Success == Bool, Failure == PinentryError {
    // Whether the program has nothing before it but the next command.
    fileprivate var leavesProgramWaiting: Bool {
        switch self {
        case .success, .failure(.cancelled), .failure(.unavailable(.refused)): true
        case .failure: false
        }
    }
}
