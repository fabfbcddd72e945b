/// Why a directory is not used; each case names the path.
package enum DirectoryError: Error, Equatable, Sendable {
    /// It does not exist, and was not to be made.
    case missing(path: String)
    /// The path ends at a symbolic link.
    case symbolicLink(path: String)
    /// Something else than a directory has the name.
    case notADirectory(path: String)
    /// It belongs to another user than the one that this process acts for.
    case foreignOwner(path: String, uid: UInt32)
    /// Its mode lets the group or others in.
    case openToOthers(path: String, mode: UInt32)
    /// A system call failed.
    case system(path: String, Errno)

    /// One line for a person.
    package var message: String {
        switch self {
        case .missing(let path): "\(path) does not exist"
        case .symbolicLink(let path): "\(path) is a symbolic link"
        case .notADirectory(let path): "\(path) is not a directory"
        case .foreignOwner(let path, let uid): "\(path) belongs to uid \(uid)"
        case .openToOthers(let path, let mode):
            "\(path) has mode 0\(String(mode, radix: 8)), which lets others in; 0700 is wanted"
        case .system(let path, let errno): "\(path): \(errno.description)"
        }
    }
}
