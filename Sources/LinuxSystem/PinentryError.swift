/// Why there is no passphrase from a pinentry.
package enum PinentryError: Error, Equatable, Sendable {
    /// The person does not want to.
    case cancelled
    /// The person has taken too long.
    case timedOut
    /// What was typed is longer than the buffer's limit.
    case tooLong
    /// The arena has no room.
    case noMemory
    /// The program cannot ask, and has shown nothing: another way may be tried.
    case unavailable(PinentryFault)
    /// The program broke off while a person may have been looking at its dialog.
    case failed(PinentryFault)
}

/// What is wrong with a pinentry.
package enum PinentryFault: Error, Equatable, Sendable {
    /// It cannot be started, or its pipes cannot be had.
    case system(Errno)
    /// It answered with an error: libgpg-error's code without its source, and what it says of it, as
    /// text without control characters.
    case refused(code: UInt32, reason: String)
    /// It ended, or closed its pipe, without an answer.
    case ended
    /// It did not answer in time.
    case silent
    /// What it says is not the protocol, or a line of it has no end.
    case notUnderstood
    /// The arena has no room for what it says.
    case noMemory
    /// What was typed is longer than the buffer's limit.
    case tooLong
    /// A signal came that is to end or to stop this process.
    case interrupted

    /// What happened, as a sentence goes on that begins with the program's name.
    package var message: String {
        switch self {
        case .system(let errno): "cannot be run: \(errno.message) (\(errno.name))"
        case .refused(let code, let reason):
            reason.isEmpty ? "refused with error \(code)" : "refused with error \(code): \(reason)"
        case .ended: "ended without an answer"
        case .silent: "did not answer in time"
        case .notUnderstood: "answered with what is not the Assuan protocol"
        case .noMemory: "answered with more than there is room for"
        case .tooLong: "answered with more than a passphrase may have"
        case .interrupted: "was interrupted"
        }
    }
}
