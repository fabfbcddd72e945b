import CLinux
import Glibc

/// What keeps a process's memory and files to itself.
///
/// To be called before there is a second thread,
/// since threads inherit a part of it.
package enum ProcessHardening {
    /// All of it, in the order in which it stands here.
    ///
    /// - Throws: the errno of what failed first.
    package static func apply() throws(Errno) {
        try openStandardDescriptors()
        ignoreBrokenPipes()
        usePrivateFiles()
        try disableCoreDumps()
        try refuseTracing()
        try forbidNewPrivileges()
    }

    /// Opens /dev/null for those of descriptors 0 to 2 that are closed.
    ///
    /// Else the next socket or file would become standard output, and get what is printed. They are
    /// opened the wrong way round, so that what would have failed still fails: reading from
    /// descriptor 0, writing to 1 and 2.
    package static func openStandardDescriptors() throws(Errno) {
        for fd: Int32 in 0...2 where fcntl(fd, F_GETFD) < 0 {
            let flags = fd == 0 ? O_WRONLY : O_RDONLY
            // The lowest free number is this one, since those below are open: unless another thread
            // took it meanwhile, which a program that calls this first does not have.
            let opened = try PathCalls.open("/dev/null", in: AT_FDCWD, flags, 0)
            guard opened.rawValue == fd else { throw .busy }
            _ = opened.release()
        }
    }

    /// Has writing to a closed pipe, or past the limit on file sizes, fail instead of killing.
    /// SIGPIPE, SIGXFSZ
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Undoes `ignoreBrokenPipes`, for a command that replaces this process.
    package static func restoreBrokenPipes() {
        signal(SIGPIPE, SIG_DFL)
        signal(SIGXFSZ, SIG_DFL)
    }

    /// Has every new file be for this user alone. umask(2)
    package static func usePrivateFiles() { umask(0o077) }

    /// Leaves no core file behind. RLIMIT_CORE, getrlimit(2)
    package static func disableCoreDumps() throws(Errno) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        // SAFETY: the kernel copies the structure.
        _ = try valueOrErrno { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
    }

    /// Lets no other process of the same user trace this one or read its memory. PR_SET_DUMPABLE,
    /// prctl(2)
    package static func refuseTracing() throws(Errno) {
        _ = try valueOrErrno { clinux_set_undumpable() }
    }

    /// Lets no program that is started from here gain privileges. PR_SET_NO_NEW_PRIVS, prctl(2)
    package static func forbidNewPrivileges() throws(Errno) {
        _ = try valueOrErrno { clinux_set_no_new_privileges() }
    }
}
