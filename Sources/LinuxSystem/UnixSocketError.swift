/// Why a socket cannot be listened on; each case names the path.
package enum UnixSocketError: Error, Equatable, Sendable {
    /// The last component is longer than clients can reach.
    case nameTooLong(path: String, bytes: Int, limit: Int)
    /// Somebody listens there.
    case inUse(path: String)
    /// There is a socket nobody listens on, and it was not to be replaced.
    case stale(path: String)
    /// There is something else than a socket.
    case notASocket(path: String)
    /// What is there belongs to another user.
    case foreignOwner(path: String, uid: UInt32)
    /// A system call failed.
    case system(path: String, Errno)

    /// One line for a person.
    package var message: String {
        switch self {
        case .nameTooLong(let path, let bytes, let limit):
            "the socket's name has \(bytes) bytes, more than \(limit): \(path)"
        case .inUse(let path): "another process listens on \(path)"
        case .stale(let path): "a socket that nobody listens on is in the way: \(path)"
        case .notASocket(let path): "something else than a socket is in the way: \(path)"
        case .foreignOwner(let path, let uid): "\(path) belongs to uid \(uid)"
        case .system(let path, let errno): "\(path): \(errno.description)"
        }
    }
}
