import LinuxSystem
import SecretMemory

/// Why the daemon does not start, or cannot go on.
enum StartError: Error, Sendable {
    /// The command line is wrong.
    case usage(String)
    /// A sentence that says it all.
    case refused(String)
    /// A system call failed: what was being done, and the errno.
    case system(String, Errno)
    /// A signal asked for the end before there was anything to end.
    case ended
    /// Secret memory could not be had.
    case memory(SecretMemoryError)

    /// One line for a person.
    var message: String {
        switch self {
        case .usage(let what): what
        case .refused(let what): what
        case .ended: "ended by a signal"
        case .system(let what, let error): "\(what): \(error.description)"
        case .memory(.unavailable(let errno)):
            "secret memory cannot be had: \(Errno(rawValue: errno).description)"
        case .memory: "the secret memory is too small to start with"
        }
    }
}
