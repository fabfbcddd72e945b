import CLinux
import Glibc

/// Opening and moving bytes by descriptor number.
package enum Files {
    /// How a file is opened, O_CLOEXEC and O_NOCTTY being set always. open(2)
    package struct OpenOptions: OptionSet, Sendable {
        /// The flags, as open(2) has them.
        package let rawValue: Int32

        /// Options from flags as open(2) has them.
        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// O_RDONLY.
        package static var readOnly: OpenOptions { OpenOptions(rawValue: O_RDONLY) }
        /// O_WRONLY.
        package static var writeOnly: OpenOptions { OpenOptions(rawValue: O_WRONLY) }
        /// O_RDWR.
        package static var readWrite: OpenOptions { OpenOptions(rawValue: O_RDWR) }
        /// O_CREAT.
        package static var create: OpenOptions { OpenOptions(rawValue: O_CREAT) }
        /// O_CREAT | O_EXCL.
        package static var createNew: OpenOptions { OpenOptions(rawValue: O_CREAT | O_EXCL) }
        /// O_TRUNC.
        package static var truncate: OpenOptions { OpenOptions(rawValue: O_TRUNC) }
        /// O_APPEND.
        package static var append: OpenOptions { OpenOptions(rawValue: O_APPEND) }
        /// O_NOFOLLOW: a symbolic link at the end of the path is ELOOP.
        package static var noFollow: OpenOptions { OpenOptions(rawValue: O_NOFOLLOW) }
        /// O_DIRECTORY.
        package static var directory: OpenOptions { OpenOptions(rawValue: O_DIRECTORY) }
        /// O_NONBLOCK: a FIFO in the place of a file does not make the caller wait.
        package static var nonBlocking: OpenOptions { OpenOptions(rawValue: O_NONBLOCK) }
    }

    /// Opens a file. openat(2)
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the directory.
    ///   - directory: an open directory's descriptor; by default the working directory.
    ///   - permissions: of a file that is made, before the umask.
    package static func open(
        _ path: String, in directory: Int32 = AT_FDCWD, _ options: OpenOptions,
        permissions: UInt32 = 0o600
    ) throws(Errno) -> FileDescriptor {
        let flags = options.rawValue | O_CLOEXEC | O_NOCTTY
        return try PathCalls.open(path, in: directory, flags, permissions)
    }

    /// Opens a file to learn what it is or to reach it, without reading it. O_PATH, open(2)
    package static func openPath(
        _ path: String, in directory: Int32 = AT_FDCWD, following: Bool
    ) throws(Errno) -> FileDescriptor {
        try check(path)
        return FileDescriptor(
            owning: try valueOrErrno {
                // SAFETY: the path lives for the call.
                unsafe clinux_open_path(directory, path, following ? 1 : 0)
            })
    }

    /// Makes a file without a name, which is gone with its last descriptor, for `PathCalls.linkOpen`.
    /// O_TMPFILE, open(2)
    static func openUnnamed(in directory: Int32) throws(Errno) -> FileDescriptor {
        FileDescriptor(owning: try valueOrErrno { clinux_open_unnamed(directory) })
    }

    /// Reads what is there, at the most as much as fits. read(2)
    ///
    /// - Parameter start: where in `bytes` what is read goes.
    /// - Returns: bytes read; 0 at the end.
    package static func read(
        _ fd: Int32, into bytes: inout MutableSpan<UInt8>, from start: Int = 0
    ) throws(Errno) -> Int {
        precondition(start >= 0 && start <= bytes.count, "outside the span")
        var count = -1
        repeat {
            count = unsafe bytes.withUnsafeMutableBytes { room in
                // SAFETY: `start` is within the span, and the kernel writes no more than is left.
                unsafe Glibc.read(
                    fd, room.baseAddress.map { unsafe $0 + start }, room.count - start)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .current }
        return count
    }

    /// The same, waiting where the descriptor is non-blocking, as somebody else may have made it who
    /// shares it. read(2), poll(2)
    package static func readWaiting(
        _ fd: Int32, into bytes: inout MutableSpan<UInt8>
    ) throws(Errno) -> Int {
        while true {
            do throws(Errno) { return try read(fd, into: &bytes) } catch {
                guard error == .wouldBlock else { throw error }
                _ = try Poll.wait(fd, for: .readable, timeoutMilliseconds: -1)
            }
        }
    }

    /// Whether nothing more comes; where something does, a byte of it is lost. read(2)
    ///
    /// For whoever has taken as much as may be, and has to tell just that much from more.
    package static func isAtEnd(_ fd: Int32) throws(Errno) -> Bool {
        // The one byte past the limit is of no use to anybody; it goes with the frame.
        var one = InlineArray<1, UInt8>(repeating: 0)
        var room = one.mutableSpan
        return try read(fd, into: &room) == 0
    }

    /// Writes at least one byte. write(2)
    ///
    /// - Parameter start: where in `bytes` to begin.
    /// - Returns: bytes written, which may be fewer than are left.
    package static func write(
        _ fd: Int32, _ bytes: Span<UInt8>, from start: Int = 0
    ) throws(Errno) -> Int {
        precondition(start >= 0 && start <= bytes.count, "outside the span")
        var count = -1
        repeat {
            count = unsafe bytes.withUnsafeBytes { data in
                // SAFETY: `start` is within the span, and the kernel reads no more than is left.
                unsafe Glibc.write(
                    fd, data.baseAddress.map { unsafe $0 + start }, data.count - start)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .current }
        return count
    }

    /// Writes all of the bytes, in as many calls as it takes, waiting where the descriptor is
    /// non-blocking. write(2), poll(2)
    package static func writeAll(_ fd: Int32, _ bytes: Span<UInt8>) throws(Errno) {
        var start = 0
        while start < bytes.count {
            do {
                start += try write(fd, bytes, from: start)
            } catch {
                guard error == .wouldBlock else { throw error }
                _ = try Poll.wait(fd, for: .writable, timeoutMilliseconds: -1)
            }
        }
    }

    /// Where a symbolic link leads. readlinkat(2)
    ///
    /// - Throws: `.nameTooLong` past 4095 bytes, `.invalidArgument` when it is no link or leads to
    ///   what is not UTF-8, else the errno.
    package static func readLink(
        _ path: String, in directory: Int32 = AT_FDCWD
    ) throws(Errno) -> String {
        try check(path)
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = try valueOrErrno {
            unsafe target.withUnsafeMutableBytes { room in
                guard let start = room.baseAddress else { return -1 }
                // SAFETY: the kernel writes no more than the room.
                return unsafe readlinkat(
                    directory, path, start.assumingMemoryBound(to: CChar.self), room.count)
            }
        }
        guard count < target.count else { throw .nameTooLong }
        guard let text = String(validating: target[..<count], as: UTF8.self) else {
            throw .invalidArgument
        }
        return text
    }

    /// Reads a file whole.
    ///
    /// Not for secrets: the array stands in ordinary memory.
    ///
    /// - Parameter limit: bytes it may have at the most.
    /// - Throws: `.fileTooLarge` past the limit, else the errno.
    package static func readWhole(_ path: String, limit: Int) throws(Errno) -> [UInt8] {
        try open(path, .readOnly).readWhole(limit: limit)
    }

    /// Removes a name. unlink(2)
    package static func unlink(_ path: String) throws(Errno) {
        try PathCalls.unlink(path, in: AT_FDCWD)
    }

    /// Refuses a path that a C string would cut short.
    static func check(_ path: String) throws(Errno) {
        for byte in path.utf8 where byte == 0 { throw .invalidArgument }
    }
}
