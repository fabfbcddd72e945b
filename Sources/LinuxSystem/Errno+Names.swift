import Glibc

extension Errno: CustomStringConvertible {
    /// The symbolic name, "ENOSPC"; "errno 524" for a number that has no place in the table.
    package var name: String { entry?.name ?? "errno \(rawValue)" }

    /// What it means, "No space left on device"; "errno 524" for a number that has no place in the
    /// table.
    package var message: String { entry?.message ?? "errno \(rawValue)" }

    /// The message, then the name: "No space left on device (ENOSPC)".
    package var description: String {
        guard let entry else { return "errno \(rawValue)" }
        return "\(entry.message) (\(entry.name))"
    }

    private var entry: (name: String, message: String)? {
        fileEntry ?? socketEntry
    }

    // Files, processes, memory.
    private var fileEntry: (name: String, message: String)? {
        switch rawValue {
        case EPERM: ("EPERM", "Operation not permitted")
        case ENOENT: ("ENOENT", "No such file or directory")
        case ESRCH: ("ESRCH", "No such process")
        case EINTR: ("EINTR", "Interrupted by a signal")
        case EIO: ("EIO", "Input/output error")
        case ENXIO: ("ENXIO", "No such device or address")
        case E2BIG: ("E2BIG", "Argument list too long")
        case ENOEXEC: ("ENOEXEC", "Not an executable format")
        case EBADF: ("EBADF", "Bad file descriptor")
        case ECHILD: ("ECHILD", "No child process")
        case EAGAIN: ("EAGAIN", "Resource temporarily unavailable")
        case ENOMEM: ("ENOMEM", "Not enough memory")
        case EACCES: ("EACCES", "Permission denied")
        case EFAULT: ("EFAULT", "Bad address")
        case EBUSY: ("EBUSY", "Device or resource busy")
        case EEXIST: ("EEXIST", "File exists")
        case EXDEV: ("EXDEV", "Link across file systems")
        case ENODEV: ("ENODEV", "No such device")
        case ENOTDIR: ("ENOTDIR", "Not a directory")
        case EISDIR: ("EISDIR", "Is a directory")
        case EINVAL: ("EINVAL", "Invalid argument")
        case ENFILE: ("ENFILE", "Too many open files in the system")
        case EMFILE: ("EMFILE", "Too many open files")
        case ENOTTY: ("ENOTTY", "Not a terminal")
        case ETXTBSY: ("ETXTBSY", "Program file is being written")
        case EFBIG: ("EFBIG", "File too large")
        case ENOSPC: ("ENOSPC", "No space left on device")
        case ESPIPE: ("ESPIPE", "Cannot seek there")
        case EROFS: ("EROFS", "Read-only file system")
        case EMLINK: ("EMLINK", "Too many links")
        case EPIPE: ("EPIPE", "Broken pipe")
        case ERANGE: ("ERANGE", "Result out of range")
        case EDEADLK: ("EDEADLK", "Deadlock would occur")
        case ENAMETOOLONG: ("ENAMETOOLONG", "Name too long")
        case ENOLCK: ("ENOLCK", "No locks available")
        case ENOSYS: ("ENOSYS", "The kernel lacks this function")
        case ENOTEMPTY: ("ENOTEMPTY", "Directory not empty")
        case ELOOP: ("ELOOP", "Too many symbolic links")
        case ENODATA: ("ENODATA", "No data available")
        case EOVERFLOW: ("EOVERFLOW", "Value too large for its type")
        case EILSEQ: ("EILSEQ", "Invalid byte sequence")
        case ESTALE: ("ESTALE", "Stale file handle")
        case EDQUOT: ("EDQUOT", "Disk quota exceeded")
        case ECANCELED: ("ECANCELED", "Operation canceled")
        case EUCLEAN: ("EUCLEAN", "File system needs cleaning")
        case EREMOTEIO: ("EREMOTEIO", "Remote input/output error")
        default: nil
        }
    }

    private var socketEntry: (name: String, message: String)? {
        switch rawValue {
        case ENOTSOCK: ("ENOTSOCK", "Not a socket")
        case EDESTADDRREQ: ("EDESTADDRREQ", "Destination address required")
        case EMSGSIZE: ("EMSGSIZE", "Message too long")
        case EPROTOTYPE: ("EPROTOTYPE", "Wrong kind of socket")
        case ENOPROTOOPT: ("ENOPROTOOPT", "Socket option not available")
        case EPROTONOSUPPORT: ("EPROTONOSUPPORT", "Protocol not supported")
        case EOPNOTSUPP: ("EOPNOTSUPP", "Operation not supported")
        case EAFNOSUPPORT: ("EAFNOSUPPORT", "Address family not supported")
        case EADDRINUSE: ("EADDRINUSE", "Address already in use")
        case EADDRNOTAVAIL: ("EADDRNOTAVAIL", "Address not available")
        case ENETDOWN: ("ENETDOWN", "Network is down")
        case ENETUNREACH: ("ENETUNREACH", "Network is unreachable")
        case ECONNABORTED: ("ECONNABORTED", "Connection aborted")
        case ECONNRESET: ("ECONNRESET", "Connection reset by peer")
        case ENOBUFS: ("ENOBUFS", "No buffer space available")
        case EISCONN: ("EISCONN", "Already connected")
        case ENOTCONN: ("ENOTCONN", "Not connected")
        case ETIMEDOUT: ("ETIMEDOUT", "Timed out")
        case ECONNREFUSED: ("ECONNREFUSED", "Connection refused")
        case EHOSTUNREACH: ("EHOSTUNREACH", "No route to host")
        case EALREADY: ("EALREADY", "Already in progress")
        case EINPROGRESS: ("EINPROGRESS", "In progress")
        default: nil
        }
    }
}
