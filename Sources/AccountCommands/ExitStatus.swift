/// What `account` says by its exit status.
///
/// Scripts rely on the numbers: none is ever given another meaning.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    case expired = 1
    case usage = 2
    case nothingStored = 3
    case locked = 4
    case noDaemon = 5
    case notPermitted = 6
    case storeDamaged = 7
    case inputRejected = 8
    case systemRefused = 9
    case timedOut = 10

    /// The meaning, as `account exit-codes` prints it.
    package var meaning: StaticString {
        switch self {
        case .done: "yes, done"
        case .expired: "no: the token has expired, or has less than the asked validity"
        case .usage: "usage"
        case .nothingStored: "nothing is stored: no account, no such key slot, archive or draft"
        case .locked: "locked"
        case .noDaemon: "no daemon answers"
        case .notPermitted:
            "not permitted: this user may not, or a wrong passphrase or recovery code"
        case .storeDamaged: "the store is damaged"
        case .inputRejected: "the input was rejected (bad token response, Weibo's error)"
        case .systemRefused:
            "the system refused (disk full, I/O error): the message names the errno"
        case .timedOut: "timed out"
        }
    }
}
