import Glibc

/// An open file descriptor with one owner, closed when the owner goes.
///
/// Everything here opens descriptors with close-on-exec: nothing leaks into a child unless it is
/// passed on purpose.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for a system call while the owner lives.
    package let rawValue: Int32

    /// Takes ownership of an open descriptor.
    package init(owning rawValue: Int32) { self.rawValue = rawValue }

    deinit { Glibc.close(rawValue) }

    /// Gives up ownership without closing.
    package consuming func release() -> Int32 {
        let number = rawValue
        discard self
        return number
    }

    /// Closes it now and reports what the kernel says. close(2)
    ///
    /// - Throws: the errno; the descriptor is gone all the same.
    package consuming func close() throws(Errno) {
        let number = rawValue
        discard self
        // Never again after EINTR: on Linux the number is free by then and may be another's.
        if Glibc.close(number) != 0, Errno.current != .interrupted { throw Errno.current }
    }

    /// A second descriptor of the same open file. F_DUPFD_CLOEXEC, fcntl(2)
    package func duplicate() throws(Errno) -> FileDescriptor {
        let number = rawValue
        return FileDescriptor(owning: try valueOrErrno { fcntl(number, F_DUPFD_CLOEXEC, 3) })
    }

    /// Whether it stays open in a program that replaces this one. FD_CLOEXEC, fcntl(2)
    package func setInherited(_ inherited: Bool) throws(Errno) {
        let number = rawValue
        _ = try valueOrErrno { fcntl(number, F_SETFD, inherited ? 0 : FD_CLOEXEC) }
    }

    /// Whether reads and writes return at once. O_NONBLOCK, fcntl(2)
    package func setNonBlocking(_ nonBlocking: Bool) throws(Errno) {
        let number = rawValue
        let flags = try valueOrErrno { fcntl(number, F_GETFL) }
        let wanted = nonBlocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        if wanted != flags { _ = try valueOrErrno { fcntl(number, F_SETFL, wanted) } }
    }
}
