import CLinux
import Glibc

/// The system calls that take paths, with Swift's strings and typed errors.
///
/// Each refuses a path that a C string would cut short, and tries again after a signal.
enum PathCalls {
    static func open(
        _ path: String, in directory: Int32, _ flags: Int32, _ mode: UInt32
    ) throws(Errno) -> FileDescriptor {
        try Files.check(path)
        // SAFETY: here and below, the paths live for the call.
        return FileDescriptor(
            owning: try valueOrErrno { unsafe openat(directory, path, flags, mode) })
    }

    static func makeDirectory(
        _ path: String, in directory: Int32, _ mode: UInt32
    ) throws(Errno) {
        try Files.check(path)
        // SAFETY: as above.
        _ = try valueOrErrno { unsafe mkdirat(directory, path, mode) }
    }

    static func unlink(_ path: String, in directory: Int32) throws(Errno) {
        try Files.check(path)
        // SAFETY: as above.
        _ = try valueOrErrno { unsafe unlinkat(directory, path, 0) }
    }

    static func link(_ path: String, as other: String, in directory: Int32) throws(Errno) {
        try Files.check(path)
        try Files.check(other)
        // SAFETY: as above.
        _ = try valueOrErrno { unsafe linkat(directory, path, directory, other, 0) }
    }

    /// Gives an open file a name that nothing has. AT_SYMLINK_FOLLOW, linkat(2)
    static func linkOpen(_ fd: Int32, as name: String, in directory: Int32) throws(Errno) {
        try Files.check(name)
        // The thread's own: it may have a descriptor table that is not the process's.
        let path = "/proc/thread-self/fd/\(fd)"
        // SAFETY: as above.
        _ = try valueOrErrno {
            unsafe linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW)
        }
    }

    static func rename(_ path: String, to other: String, in directory: Int32) throws(Errno) {
        try Files.check(path)
        try Files.check(other)
        // SAFETY: as above.
        _ = try valueOrErrno { unsafe renameat(directory, path, directory, other) }
    }

    /// Moves a file to a name that nothing has. RENAME_NOREPLACE, renameat2(2)
    ///
    /// A file system that cannot do it at one go, or a filter without the call, gets a link and the
    /// removal of the first name: a kill in between leaves both.
    static func renameNew(
        _ path: String, to other: String, in directory: Int32
    ) throws(Errno) {
        try Files.check(path)
        try Files.check(other)
        do throws(Errno) {
            // SAFETY: as above.
            _ = try valueOrErrno { unsafe clinux_rename_new(directory, path, other) }
        } catch {
            guard error == .invalidArgument || error == .notImplemented else { throw error }
            try link(path, as: other, in: directory)
            try unlink(path, in: directory)
        }
    }

    /// Has each of two names stand for what the other one stood for. RENAME_EXCHANGE, renameat2(2)
    ///
    /// - Returns: false where the file system cannot do it at one go, or a filter lacks the call.
    static func exchange(
        _ path: String, _ other: String, in directory: Int32
    ) throws(Errno) -> Bool {
        try Files.check(path)
        try Files.check(other)
        do throws(Errno) {
            // SAFETY: as above.
            _ = try valueOrErrno { unsafe clinux_rename_exchange(directory, path, other) }
            return true
        } catch {
            switch error {
            case .invalidArgument, .notImplemented, .notSupported: return false
            default: throw error
            }
        }
    }

    static func makeSymbolicLink(
        _ path: String, to target: String, in directory: Int32
    ) throws(Errno) {
        try Files.check(path)
        try Files.check(target)
        // SAFETY: as above.
        _ = try valueOrErrno { unsafe symlinkat(target, directory, path) }
    }

    static func changeMode(_ path: String, in directory: Int32, _ mode: UInt32) throws(Errno) {
        try Files.check(path)
        // SAFETY: as above.
        _ = try valueOrErrno { unsafe fchmodat(directory, path, mode, 0) }
    }
}
