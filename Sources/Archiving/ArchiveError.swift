import Sealing
import SecretMemory

/// Why an archive could not be written or read: which one it is, and what to do where something can
/// be done.
///
/// A missing archive is no error: whoever reads it gets nil.
public enum ArchiveError: Error, Equatable, Sendable {
    /// The text is no name of an archive: it is empty, or too long.
    case invalidName(String)
    /// The store has no master key yet; it is made at the first login.
    case noKey(store: String)
    /// The store is locked, and nobody was asked for the passphrase.
    case locked(store: String)
    /// The daemon, or what stands at its place, does not let this user have the key.
    case notPermitted(String)
    /// What the daemon says, or its silence, is of no use.
    case daemon(String)
    /// The store itself is damaged: its key slots, or its directory.
    case storeDamaged(String)
    /// The archive is damaged, forged, or sealed under a key that the store does not have.
    case damaged(archive: String, reason: String)
    /// A later version of the program wrote it.
    case unsupported(archive: String, reason: String)
    /// It holds something of another type.
    case typeMismatch(archive: String, written: String, asked: String)
    /// The value cannot be archived.
    case notEncodable(archive: String, reason: String)
    /// What it holds does not fit the type that was asked for, although the type's name does.
    case notDecodable(archive: String, reason: String)
    /// A value of this type was met which nobody has registered.
    case unregisteredType(archive: String, type: String)
    /// The value, or the archive, has more bytes than may stand in memory at once.
    case tooLarge(archive: String, limit: Int)
    /// Somebody else has been writing it for too long.
    case busy(archive: String)
    /// The system refused something.
    case system(String, errno: Int32)
}

extension ArchiveError: CustomStringConvertible {
    /// One line for a person.
    public var description: String {
        switch self {
        case .invalidName(let reason): "no name of an archive: \(reason)"
        case .noKey(let store): "\(store) has no key yet, which the first login makes"
        case .locked(let store): "\(store) is locked"
        case .notPermitted(let reason): reason
        case .daemon(let reason): reason
        case .storeDamaged(let reason): reason
        case .damaged(let archive, let reason): "the archive \(archive) is damaged: \(reason)"
        case .unsupported(let archive, let reason):
            "the archive \(archive) cannot be read by this version: \(reason)"
        case .typeMismatch(let archive, let written, let asked):
            "the archive \(archive) holds \(written), not \(asked)"
        case .notEncodable(let archive, let reason):
            "the value for the archive \(archive) cannot be archived: \(reason)"
        case .notDecodable(let archive, let reason):
            "the archive \(archive) does not hold what was asked for: \(reason)"
        case .unregisteredType(let archive, let type):
            "the archive \(archive) holds a value of the type \(type), which is not registered"
        case .tooLarge(let archive, let limit):
            "the archive \(archive) has more than \(limit) bytes, which a stream alone can move"
        case .busy(let archive): "the archive \(archive) is being written by somebody else"
        case .system(let what, let errno): "\(what): errno \(errno)"
        }
    }
}

extension ArchiveError {
    /// There is no memory to work in.
    init(_ error: SecretMemoryError) {
        switch error {
        case .unavailable(let errno): self = .system("no memory for keys can be had", errno: errno)
        case .exhausted, .overLimit: self = .system("no memory for keys can be had", errno: 12)
        }
    }

    /// One of an archive's files could not be sealed or opened.
    init(_ error: SealingError, of name: ArchiveName) {
        switch error {
        case .memory(let error): self.init(error)
        case .unsupportedVersion(let version):
            self = .unsupported(archive: name.text, reason: "it has the version \(version)")
        case .unsupportedSuite(let suite):
            self = .unsupported(archive: name.text, reason: "it is sealed by the suite \(suite)")
        case .unknownKey:
            self = .damaged(
                archive: name.text, reason: "it is sealed by a key that the store does not have")
        case .cannotOpen, .tooLarge:
            self = .damaged(archive: name.text, reason: "it does not open by its key")
        }
    }
}
