import Glibc
import LinuxSystem

extension DirectoryError {
    /// The errno that says most nearly the same. errno(3)
    var errno: Int32 {
        switch self {
        case .missing: ENOENT
        case .symbolicLink: ELOOP
        case .notADirectory: ENOTDIR
        case .foreignOwner, .openToOthers: EPERM
        case .system(_, let error): error.rawValue
        }
    }
}
