import Accounts
import JSON
import LinuxSystem
import SecretMemory
import Varlink

extension CommandFailure {
    /// What was being done when the daemon answered with an error.
    enum Task {
        /// Asking; `minimum` is the validity asked for, in seconds.
        case asking(minimum: Int64)
        case loggingIn
        case loggingOut
        case verifying
        /// Opening the store with a passphrase or a recovery code.
        case unlocking(Passphrase.Kind)
        case changingKeys
    }

    /// The answer is none that this program can read.
    static func notUnderstood(_ path: String) -> CommandFailure {
        CommandFailure(
            .noDaemon, "what answers at \(path) does not speak this program's language",
            hint: "the daemon and this program may be of different versions: account status")
    }

    /// The same where a change was asked for: it may be made all the same, by a disk that is slow.
    func unanswered(_ task: Task) -> CommandFailure {
        guard status == .timedOut || isUnanswered else { return self }
        let hint: String
        switch task {
        case .loggingIn:
            hint = "the account may be stored all the same, at once or later: account show says"
        case .loggingOut:
            hint = "the account may be removed all the same, at once or later: account show says"
        case .changingKeys:
            hint = "the change may be made all the same, at once or later: account key list says"
        case .asking, .verifying, .unlocking: return self
        }
        return CommandFailure(status, message, hint: hint, isUnanswered: isUnanswered)
    }

    /// The failure that an error of the daemon stands for.
    init(
        _ answer: ClientReply, named name: JSONIndex.Node, _ index: borrowing JSONIndex,
        _ text: Span<UInt8>, _ task: Task, _ arena: SecretArena
    ) {
        let parameters = answer.parameters
        let known = ServerError(name, index, text)
        switch known {
        case .noAccount:
            self.init(
                .nothingStored, "no account is stored", hint: "store one with account login")
        case .tokenExpired:
            let expiresAt = index.integer("expires_at", of: parameters, text)
            let remaining = index.integer("remaining", of: parameters, text)
            self = .tokenExpired(expiresAt: expiresAt, remaining: remaining, task)
        case .locked:
            self.init(
                .locked, "the store is locked",
                hint: "open it: account unlock")
        case .accountExists:
            let uid = index.string("uid", of: parameters, text, arena) ?? "unknown"
            self = .accountExists(uid: uid, task)
        case .invalidField:
            let field = index.string("field", of: parameters, text, arena) ?? "a field"
            let reason = index.string("reason", of: parameters, text, arena) ?? "it is not valid"
            var name = "the daemon refuses \(field):"
            if case .unlocking(let kind) = task { name = "the \(kind.name)" }
            self.init(Self.isInput(task) ? .inputRejected : .usage, "\(name) \(reason)")
        case .storeDamaged:
            let what = index.string("what", of: parameters, text, arena) ?? "it cannot be opened"
            self.init(
                .storeDamaged, "the store is damaged: \(what)",
                hint: "account doctor says what can be brought back")
        case .storeFailed:
            let number = index.integer("errno", of: parameters, text) ?? 0
            let message = index.string("message", of: parameters, text, arena) ?? "no reason given"
            self = .storeFailed(message, Errno(rawValue: Int32(clamping: number)))
        case .opensByItself, .wrongKey, .noSuchSlot, .lastSlot, .tooManySlots,
            .tooManyRetiredKeys:
            self = .keys(known, task)
        case .permissionDenied:
            self.init(
                .notPermitted, "the daemon does not permit this to you",
                hint: "account status shows your role, if the owner has given you one "
                    + "with accountd --readers")
        case .methodMissing:
            self.init(
                .noDaemon, "the daemon that runs does not know this command yet",
                hint: "restart it, so that it is of this program's version")
        case .unknown:
            let shown = index.string(name, text, arena) ?? "without a name"
            self.init(.noDaemon, "the daemon answered with an unknown error: \(shown)")
        }
    }

    /// Reading, writing, or making room failed: the message says which, and nearly always names the
    /// errno.
    private static func storeFailed(_ message: String, _ errno: Errno) -> CommandFailure {
        let isNamed = errno.rawValue <= 0 || holds(message, "(\(errno.name))")
        return CommandFailure(
            .systemRefused,
            "the daemon could not do it: \(message)" + (isNamed ? "" : " (\(errno.name))"))
    }

    // Byte by byte: to look for a text within a text would link the library of regular expressions.
    private static func holds(_ text: String, _ part: String) -> Bool {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            if rest.starts(with: part.utf8) { return true }
            rest.removeFirst()
        }
        return false
    }

    private static func isInput(_ task: Task) -> Bool {
        switch task {
        case .loggingIn, .loggingOut, .unlocking, .changingKeys: true
        case .asking, .verifying: false
        }
    }

    private static func accountExists(uid: String, _ task: Task) -> CommandFailure {
        if case .loggingOut = task {
            return CommandFailure(
                .inputRejected, "the account that is stored is another one: uid \(uid)")
        }
        return CommandFailure(
            .inputRejected, "another account is stored already: uid \(uid)",
            hint: "--replace forgets it and stores this one")
    }

    /// The token is not good for as long as it was asked to be.
    static func tokenExpired(
        expiresAt: Int64?, remaining: Int64?, _ task: Task
    ) -> CommandFailure {
        let hint = "log in again: account login"
        guard let expiresAt, let remaining else {
            return CommandFailure(.expired, "the token has expired", hint: hint)
        }
        let date = CivilTime.rfc3339(expiresAt)
        guard remaining > 0 else {
            return CommandFailure(.expired, "the token expired on \(date)", hint: hint)
        }
        if case .asking(let minimum) = task, minimum > 0 {
            return CommandFailure(
                .expired,
                "the token expires in \(remaining) s, on \(date); \(minimum) s are asked for",
                hint: hint)
        }
        return CommandFailure(.expired, "the token expires on \(date)", hint: hint)
    }
}
