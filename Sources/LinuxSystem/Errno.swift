import Glibc

/// An error number of the kernel. errno(3)
///
/// Names and messages stand in a table of our own, so that they depend neither on the locale nor on
/// the C library's catalogues.
package struct Errno: Error, Equatable, Sendable, RawRepresentable {
    /// The number, as errno(3) has it.
    package let rawValue: Int32

    /// The error with a number, whether or not it has a name here.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    @inline(__always) init(_ rawValue: Int32) { self.rawValue = rawValue }

    /// The error of the system call that failed last in this thread.
    package static var current: Errno { Errno(errno) }

    /// EPERM.
    package static var notPermitted: Errno { Errno(EPERM) }
    /// ENOENT.
    package static var notFound: Errno { Errno(ENOENT) }
    /// ESRCH.
    package static var noSuchProcess: Errno { Errno(ESRCH) }
    /// EINTR.
    package static var interrupted: Errno { Errno(EINTR) }
    /// EIO.
    package static var inputOutput: Errno { Errno(EIO) }
    /// E2BIG.
    package static var argumentListTooLong: Errno { Errno(E2BIG) }
    /// ENOEXEC.
    package static var notExecutable: Errno { Errno(ENOEXEC) }
    /// EBADF.
    package static var badFileDescriptor: Errno { Errno(EBADF) }
    /// ECHILD.
    package static var noChild: Errno { Errno(ECHILD) }
    /// EAGAIN, which is EWOULDBLOCK too.
    package static var wouldBlock: Errno { Errno(EAGAIN) }
    /// ENOMEM.
    package static var noMemory: Errno { Errno(ENOMEM) }
    /// EACCES.
    package static var permissionDenied: Errno { Errno(EACCES) }
    /// EBUSY.
    package static var busy: Errno { Errno(EBUSY) }
    /// EEXIST.
    package static var exists: Errno { Errno(EEXIST) }
    /// ENOTDIR.
    package static var notADirectory: Errno { Errno(ENOTDIR) }
    /// EISDIR.
    package static var isADirectory: Errno { Errno(EISDIR) }
    /// EINVAL.
    package static var invalidArgument: Errno { Errno(EINVAL) }
    /// ENFILE.
    package static var tooManyFilesInSystem: Errno { Errno(ENFILE) }
    /// EMFILE.
    package static var tooManyFiles: Errno { Errno(EMFILE) }
    /// ENOTTY.
    package static var notATerminal: Errno { Errno(ENOTTY) }
    /// EFBIG.
    package static var fileTooLarge: Errno { Errno(EFBIG) }
    /// ENOSPC.
    package static var noSpace: Errno { Errno(ENOSPC) }
    /// EROFS.
    package static var readOnlyFileSystem: Errno { Errno(EROFS) }
    /// EPIPE.
    package static var brokenPipe: Errno { Errno(EPIPE) }
    /// ENAMETOOLONG.
    package static var nameTooLong: Errno { Errno(ENAMETOOLONG) }
    /// ENOSYS.
    package static var notImplemented: Errno { Errno(ENOSYS) }
    /// ENOTEMPTY.
    package static var notEmpty: Errno { Errno(ENOTEMPTY) }
    /// ELOOP.
    package static var loop: Errno { Errno(ELOOP) }
    /// ENOTSOCK.
    package static var notASocket: Errno { Errno(ENOTSOCK) }
    /// EMSGSIZE.
    package static var messageTooLong: Errno { Errno(EMSGSIZE) }
    /// EOPNOTSUPP.
    package static var notSupported: Errno { Errno(EOPNOTSUPP) }
    /// EADDRINUSE.
    package static var addressInUse: Errno { Errno(EADDRINUSE) }
    /// ECONNRESET.
    package static var connectionReset: Errno { Errno(ECONNRESET) }
    /// ENOBUFS.
    package static var noBufferSpace: Errno { Errno(ENOBUFS) }
    /// ETIMEDOUT.
    package static var timedOut: Errno { Errno(ETIMEDOUT) }
    /// ECONNREFUSED.
    package static var connectionRefused: Errno { Errno(ECONNREFUSED) }
    /// ECANCELED.
    package static var canceled: Errno { Errno(ECANCELED) }
    /// EDQUOT.
    package static var quotaExceeded: Errno { Errno(EDQUOT) }
}

/// Makes a system call, again as long as a signal interrupts it.
///
/// - Parameters:
///   - retryOnInterrupt: whether EINTR makes the call again.
///   - call: the system call; -1 is failure.
/// - Throws: the errno of the call.
@inline(__always)
package func valueOrErrno<I: FixedWidthInteger>(
    retryOnInterrupt: Bool = true, _ call: () -> I
) throws(Errno) -> I {
    while true {
        let value = call()
        if value != -1 { return value }
        let error = Errno.current
        guard retryOnInterrupt, error == .interrupted else { throw error }
    }
}
