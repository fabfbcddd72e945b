import Glibc

/// What a file is, whose it is, and which one it is. stat(2)
package struct FileStatus: Equatable, Sendable {
    /// The kinds of files that are told apart.
    package enum Kind: Equatable, Sendable {
        case regular, directory, socket, symlink, fifo, other
    }

    /// What it is.
    package let kind: Kind
    /// The twelve low bits of the mode.
    package let permissions: UInt32
    /// The user whose it is.
    package let ownerUID: UInt32
    /// The group whose it is.
    package let groupGID: UInt32
    /// Bytes.
    package let size: Int64
    /// Seconds since 1970-01-01T00:00:00Z.
    package let modifiedAt: Int64
    /// When its bytes or what is known of it changed last: nanoseconds since then, as far as the
    /// file system counts them.
    package let changedAt: Int64
    /// The file system that it is on.
    package let device: UInt64
    /// Its number there.
    package let inode: UInt64
    /// How many names it has; 0 once the last is gone.
    package let linkCount: UInt64

    private init(_ raw: stat) {
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFSOCK: .socket
            case S_IFLNK: .symlink
            case S_IFIFO: .fifo
            default: .other
            }
        permissions = raw.st_mode & 0o7777
        ownerUID = raw.st_uid
        groupGID = raw.st_gid
        size = Int64(raw.st_size)
        modifiedAt = Int64(raw.st_mtim.tv_sec)
        // Good for some centuries; what is compared for equality may wrap.
        changedAt = Int64(raw.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_ctim.tv_nsec)
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
        linkCount = UInt64(raw.st_nlink)
    }

    /// Whether both are of one file, whatever its names.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Of an open file. fstat(2)
    package static func of(fd: Int32) throws(Errno) -> FileStatus {
        var raw = stat()
        // SAFETY: the kernel fills the structure or fails.
        _ = try valueOrErrno { unsafe fstat(fd, &raw) }
        return FileStatus(raw)
    }

    /// Of what a path leads to. fstatat(2)
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the directory.
    ///   - directory: an open directory's descriptor; by default the working directory.
    ///   - following: whether a symbolic link at the end is followed.
    package static func of(
        path: String, in directory: Int32 = AT_FDCWD, following: Bool
    ) throws(Errno) -> FileStatus {
        try Files.check(path)
        var raw = stat()
        let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
        // SAFETY: the path lives for the call; the kernel fills the structure or fails.
        _ = try valueOrErrno { unsafe fstatat(directory, path, &raw, flags) }
        return FileStatus(raw)
    }
}
