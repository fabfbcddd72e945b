import LinuxSystem

/// Why a command ends without doing what was asked: a line that says what happened, one that says
/// what to do where there is something to do, and the exit status.
///
/// Neither line holds a byte of a secret.
package struct CommandFailure: Error, Equatable, Sendable {
    /// What the process exits with.
    package let status: ExitStatus
    /// What happened, without the program's name and a full stop.
    package let message: String
    /// What to do.
    package let hint: String?
    /// Whether the connection ended before there was an answer, so that it is not known what has
    /// become of the call.
    package let isUnanswered: Bool

    /// Makes a failure.
    package init(
        _ status: ExitStatus, _ message: String, hint: String? = nil, isUnanswered: Bool = false
    ) {
        self.status = status
        self.message = message
        self.hint = hint
        self.isUnanswered = isUnanswered
    }

    /// The arguments make no sense.
    static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, message, hint: hint)
    }

    /// A system call failed.
    ///
    /// - Parameter action: what was not possible: "cannot read x".
    static func system(_ action: String, _ errno: Errno, hint: String? = nil) -> CommandFailure {
        CommandFailure(.systemRefused, "\(action): \(errno.message) (\(errno.name))", hint: hint)
    }

    /// A variable that says where something is cannot be used.
    init(_ error: NotUTF8) {
        self = .usage("\(error.what) is not UTF-8, as paths have to be")
    }

    /// Both lines, as they stand on stderr.
    ///
    /// What comes from data cannot add a third.
    package var text: String {
        let first = "account: \(ControlCharacters.escaped(message))\n"
        guard let hint else { return first }
        return first + "hint: \(ControlCharacters.escaped(hint))\n"
    }
}
