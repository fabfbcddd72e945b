import LinuxSystem
import SecretMemory

/// Asks a person for a passphrase: by their pinentry, else on the terminal.
///
/// The terminal is used in the foreground alone: whoever reads it in the background is stopped.
struct PassphrasePrompt: ~Copyable {
    /// How often two that differ are asked for again.
    private static let attempts = 3

    private let terminal: FileDescriptor?
    // -1 where there is none that may be read.
    private let terminalNumber: Int32
    private let pinentry: Pinentry?
    private let arena: SecretArena
    private let deadline: Int64

    private init(
        _ terminal: consuming FileDescriptor?, _ number: Int32, _ pinentry: Pinentry?,
        _ arena: SecretArena, _ deadline: Int64
    ) {
        self.terminal = terminal
        terminalNumber = number
        self.pinentry = pinentry
        self.arena = arena
        self.deadline = deadline
    }

    /// Looks for ways to ask.
    ///
    /// - Parameters:
    ///   - hint: what to do where nobody can be asked.
    ///   - seconds: how long all questions may take together.
    /// - Throws: `.locked` when there is no way.
    static func find(
        _ options: GlobalOptions, hint: String, arena: SecretArena, seconds: Int64
    ) throws(CommandFailure) -> PassphrasePrompt {
        guard options.mayPrompt else {
            throw CommandFailure(.locked, "--no-input forbids to ask for it", hint: hint)
        }
        let terminal = try? Terminal.controlling()
        let number = Self.number(terminal)
        let isForeground = number >= 0 && Terminal.isForeground(number)
        let usable = isForeground ? number : -1
        let pinentry = findPinentry(usable)
        guard isForeground || pinentry != nil else {
            throw CommandFailure(
                .locked,
                number >= 0
                    ? "a job in the background cannot ask for it"
                    : "there is no terminal to ask for it on", hint: hint)
        }
        let deadline = Clock.monotonicMilliseconds() + seconds * 1000
        return PassphrasePrompt(terminal, usable, pinentry, arena, deadline)
    }

    private static func number(_ terminal: borrowing FileDescriptor?) -> Int32 {
        switch terminal {
        case .some(let terminal): terminal.rawValue
        case .none: -1
        }
    }

    /// The user's program, where it has a terminal or a window to ask in.
    private static func findPinentry(_ terminal: Int32) -> Pinentry? {
        let display = Environment.value("DISPLAY")
        let hasWindow = display != nil || Environment.value("WAYLAND_DISPLAY") != nil
        guard terminal >= 0 || hasWindow,
            let program = Pinentry.find(
                Environment.value("ACCOUNT_PINENTRY") ?? Pinentry.usualName,
                in: Environment.value("PATH"))
        else { return nil }
        var pinentry = Pinentry(program, place: place(terminal))
        let all = Environment.value("LC_ALL")
        let language = Environment.value("LANG")
        pinentry.display = display
        pinentry.characters = all ?? Environment.value("LC_CTYPE") ?? language
        pinentry.messages = all ?? Environment.value("LC_MESSAGES") ?? language
        return pinentry
    }

    // The terminal of this session has a name of its own, by which programs elsewhere find it too.
    private static func place(_ terminal: Int32) -> Pinentry.Place? {
        guard terminal >= 0 else { return nil }
        var name: String?
        for number: Int32 in 0...2 where name == nil && Terminal.isForeground(number) {
            name = Terminal.name(of: number)
        }
        return Pinentry.Place(
            descriptor: terminal, name: name ?? Environment.value("GPG_TTY") ?? "/dev/tty",
            kind: Environment.value("TERM"))
    }

    /// Asks.
    ///
    /// - Parameter answer: empty; gets what was typed: UTF-8 without NUL, which may be empty.
    /// - Throws: `.locked` with the reason where nobody has answered; `.inputRejected` for an answer
    ///   that is none.
    func ask(
        _ question: PassphraseQuestion, into answer: inout SecretBuffer
    ) throws(CommandFailure) {
        var question = question
        for _ in 1...Self.attempts {
            answer.removeAll()
            let isSure = try askOnce(question, isAgain: false, into: &answer)
            if let fault = answer.withBytes({ Passphrase.fault(of: $0) }) {
                throw CommandFailure(.inputRejected, "the \(question.kind.name) \(fault)")
            }
            if !question.isNew || isSure || answer.isEmpty { return }
            if try isConfirmed(question, answer) { return }
            question.error = "The two are not the same. Try again."
        }
        answer.removeAll()
        throw CommandFailure(
            .locked, "the two were not the same \(Self.attempts) times; nothing was changed")
    }

    private func isConfirmed(
        _ question: PassphraseQuestion, _ answer: borrowing SecretBuffer
    ) throws(CommandFailure) -> Bool {
        var again = try Self.buffer(arena)
        var question = question
        question.error = nil
        _ = try askOnce(question, isAgain: true, into: &again)
        return answer.withBytes { one in again.withBytes { Passphrase.areSame(one, $0) } }
    }

    /// Memory for an answer.
    static func buffer(_ arena: SecretArena) throws(CommandFailure) -> SecretBuffer {
        do {
            return try SecretBuffer(arena: arena, capacity: Passphrase.maximumLength + 1)
        } catch { throw CommandFailure(error) }
    }

    // Gives back whether it was typed twice already.
    private func askOnce(
        _ question: PassphraseQuestion, isAgain: Bool, into answer: inout SecretBuffer
    ) throws(CommandFailure) -> Bool {
        let left = max(1, (deadline - Clock.monotonicMilliseconds() + 999) / 1000)
        guard let pinentry else {
            try askTerminal(question.lines(isAgain: isAgain), question.kind, into: &answer)
            return false
        }
        do throws(PinentryError) {
            return try pinentry.ask(
                question.dialog(isAgain: isAgain), into: &answer, arena: arena, seconds: left)
        } catch {
            guard case .unavailable = error, terminalNumber >= 0 else {
                throw CommandFailure(error, question.kind)
            }
        }
        try askTerminal(question.lines(isAgain: isAgain), question.kind, into: &answer)
        return false
    }

    private func askTerminal(
        _ lines: String, _ kind: Passphrase.Kind, into answer: inout SecretBuffer
    ) throws(CommandFailure) {
        let left = max(1, deadline - Clock.monotonicMilliseconds())
        do throws(Errno) {
            guard
                try Terminal.readLineWithoutEcho(
                    terminalNumber, prompt: lines, into: &answer, timeoutMilliseconds: left)
            else { throw Errno.canceled }
        } catch {
            switch error {
            case .canceled: throw CommandFailure(PinentryError.cancelled, kind)
            case .timedOut: throw CommandFailure(PinentryError.timedOut, kind)
            case .messageTooLong: throw CommandFailure(PinentryError.tooLong, kind)
            default: throw .system("cannot ask on the terminal", error)
            }
        }
    }
}

extension CommandFailure {
    /// Nobody has given what was asked for.
    init(_ error: PinentryError, _ kind: Passphrase.Kind) {
        switch error {
        case .cancelled: self.init(.locked, "cancelled: no \(kind.name) was given")
        case .timedOut:
            self.init(
                .locked, "no \(kind.name) was given in time",
                hint: "give it more time with --timeout D")
        case .tooLong:
            self.init(
                .inputRejected,
                "the \(kind.name) is longer than \(Passphrase.maximumLength) bytes")
        case .noMemory: self.init(SecretMemoryError.exhausted)
        case .unavailable(let fault), .failed(let fault):
            self.init(
                .locked, "pinentry \(fault.message)",
                hint: "name another program with ACCOUNT_PINENTRY, or run it on a terminal")
        }
    }
}
