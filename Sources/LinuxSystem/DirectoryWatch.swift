import CLinux
import Glibc

/// Tells when names come and go in a directory, or when it goes itself. inotify(7)
///
/// What has happened is not said: whoever watches looks again. That way an overrun of the kernel's
/// queue, which loses events, loses nothing here.
package struct DirectoryWatch: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// Watches a directory.
    package init(_ path: String) throws(Errno) {
        try Files.check(path)
        let made = FileDescriptor(
            owning: try valueOrErrno { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) })
        let number = made.rawValue
        let events =
            IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
        // SAFETY: the path lives for the call.
        _ = try valueOrErrno { unsafe inotify_add_watch(number, path, UInt32(events)) }
        descriptor = made
    }

    /// The number to wait for: readable when something has happened.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Forgets what has happened so far.
    package func drain() {
        var events = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe events.withUnsafeMutableBytes { bytes in
                // SAFETY: the kernel writes no more than the room.
                unsafe read(descriptor.rawValue, bytes.baseAddress, bytes.count)
            }
            if count > 0 || (count < 0 && errno == EINTR) { continue }
            return
        }
    }
}
