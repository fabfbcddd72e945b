"""Which errors a system call may give, by its manual page, and what follows from one."""

import calls

_DISK = ("EIO", "ENOSPC", "EDQUOT", "EROFS")
_NAMES = (*_DISK, "ENOMEM")
_DESCRIPTORS = ("EMFILE", "ENFILE", "ENOMEM")
_WAITING = ("EINTR",)

BY_CALL = {
    "openat": (*_DISK, *_DESCRIPTORS, "EINTR"), "open": (*_DISK, *_DESCRIPTORS, "EINTR"),
    "write": ("EIO", "ENOSPC", "EDQUOT", "EINTR", "EAGAIN"),
    "writev": ("EIO", "ENOSPC", "EDQUOT", "EINTR"),
    "read": ("EIO", "EINTR"), "pread64": ("EIO", "EINTR"),
    "fsync": (*_DISK, "EINTR"), "fdatasync": (*_DISK, "EINTR"),
    "ftruncate": (*_DISK, "EINTR"), "fchmod": ("EIO", "EROFS"), "fchmodat": ("EIO", "EROFS"),
    "rename": _NAMES, "renameat": _NAMES, "renameat2": _NAMES, "linkat": _NAMES,
    "unlinkat": _NAMES, "unlink": _NAMES, "symlinkat": _NAMES, "mkdirat": _NAMES,
    "newfstatat": ("EIO", "ENOMEM"), "fstat": ("EIO", "ENOMEM"), "statx": ("EIO", "ENOMEM"),
    "readlink": ("EIO", "ENOMEM"), "readlinkat": ("EIO", "ENOMEM"),
    "getdents64": ("EIO",), "close": ("EIO", "EINTR"), "flock": ("EINTR", "ENOLCK"),
    "fcntl": ("EINTR", "ENOMEM"), "poll": ("EINTR", "ENOMEM"), "ppoll": ("EINTR", "ENOMEM"),
    "epoll_wait": _WAITING, "epoll_pwait": _WAITING, "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "futex": ("EINTR", "EAGAIN"), "getrandom": _WAITING, "clock_nanosleep": _WAITING,
    "accept4": (*_DESCRIPTORS, "EINTR", "EAGAIN", "ECONNABORTED"),
    "recvfrom": ("EINTR", "EAGAIN", "ENOMEM", "ECONNRESET"),
    "sendto": ("EINTR", "EAGAIN", "ENOMEM", "EPIPE", "ECONNRESET"),
    "sendmsg": ("EINTR", "EAGAIN", "ENOMEM", "EPIPE"),
    "recvmsg": ("EINTR", "EAGAIN", "ENOMEM", "ECONNRESET"),
    "getsockopt": ("ENOBUFS",), "setsockopt": ("ENOBUFS",), "getsockname": ("ENOBUFS",),
    "socket": (*_DESCRIPTORS, "ENOBUFS"), "bind": (*_NAMES, "EADDRINUSE"),
    "listen": ("EADDRINUSE",), "connect": ("EINTR", "EAGAIN", "ECONNREFUSED", "ENOENT", "EACCES"),
    "eventfd2": _DESCRIPTORS, "signalfd4": _DESCRIPTORS, "epoll_create1": _DESCRIPTORS,
    "inotify_init1": _DESCRIPTORS, "inotify_add_watch": ("ENOSPC", "ENOMEM"),
    "memfd_secret": (*_DESCRIPTORS, "ENOSYS"), "mlock2": ("ENOMEM", "EAGAIN", "EPERM"),
    "mlock": ("ENOMEM", "EAGAIN", "EPERM"),
    "madvise": ("EAGAIN", "ENOMEM", "EINVAL"), "mmap": ("ENOMEM",), "mprotect": ("ENOMEM",),
    "munmap": ("ENOMEM",), "mremap": ("ENOMEM",), "clone3": ("EAGAIN", "ENOMEM"),
    "unshare": ("ENOMEM", "EPERM"), "prctl": ("EINVAL", "EPERM"),
    "prlimit64": ("EPERM",), "dup": _DESCRIPTORS, "pipe2": _DESCRIPTORS,
}


# An eventfd, a signalfd, a pipe: what is read from and written to them never reaches a disk.
NO_FILES = ("anon_inode:", "pipe:")
_OF_NO_FILE = {"write": _WAITING, "read": ("EINTR", "EAGAIN")}


def of(point):
    """The errors that are tried at a point; none where the call cannot fail."""
    if point.target.startswith(NO_FILES) and point.call in _OF_NO_FILE:
        return _OF_NO_FILE[point.call]
    if point.call.startswith("open") and point.target != calls.WRITTEN:
        return ("EIO", *_DESCRIPTORS, "EINTR")
    return BY_CALL.get(point.call, ())
