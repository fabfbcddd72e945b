import AccountCommands
import Archiving
import LinuxSystem

extension CommandFailure {
    /// What an error of the library is called here.
    init(_ error: ArchiveError) {
        let message = error.description
        switch error {
        case .invalidName: self.init(.usage, message)
        case .noKey:
            self.init(
                .nothingStored, message,
                hint: "log in with account login, or make one: account key add keyfile")
        case .locked: self.init(.locked, message, hint: "open it: account unlock")
        case .notPermitted: self.init(.notPermitted, message)
        case .daemon: self.init(.noDaemon, message)
        case .storeDamaged:
            self.init(
                .storeDamaged, message, hint: "account doctor says what can be brought back")
        case .damaged(let archive, _):
            self.init(
                .storeDamaged, message,
                hint: "the generation before may be good: account archive restore "
                    + ShellWord.quoted(archive))
        case .unsupported: self.init(.storeDamaged, message, hint: "use a later version")
        case .typeMismatch, .notEncodable, .notDecodable, .unregisteredType, .tooLarge:
            self.init(.inputRejected, message)
        case .busy:
            self.init(.timedOut, message, hint: "give it more time with --timeout D")
        case .system(let what, let number):
            let errno = Errno(rawValue: number)
            self.init(.systemRefused, "\(what): \(errno.message) (\(errno.name))")
        }
    }

    /// A system call failed.
    static func system(_ what: String, _ errno: Errno, hint: String? = nil) -> CommandFailure {
        CommandFailure(.systemRefused, "\(what): \(errno.message) (\(errno.name))", hint: hint)
    }
}
