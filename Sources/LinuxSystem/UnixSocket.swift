import CLinux
package import Glibc

/// Stream sockets of the AF_UNIX family. unix(7)
///
/// What the loop calls for each message takes a bare descriptor number and allocates nothing.
package enum UnixSocket {
    /// Receives what is there, at the most as much as fits. recv(2)
    ///
    /// - Returns: bytes received; 0 when the peer has closed; nil when it would block.
    package static func receive(
        fd: Int32, into bytes: inout MutableSpan<UInt8>
    ) throws(Errno) -> Int? {
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { room in
                // SAFETY: the kernel writes no more than the room.
                unsafe clinux_receive(fd, room.baseAddress, room.count)
            }
            if count >= 0 { return count }
            let error = errno
            if error == EAGAIN { return nil }
            if error != EINTR { throw Errno(error) }
        }
    }

    /// Sends at least one byte; a peer that has closed raises no SIGPIPE. send(2)
    ///
    /// - Returns: bytes sent, which may be fewer than given; nil when it would block.
    package static func send(fd: Int32, _ bytes: Span<UInt8>) throws(Errno) -> Int? {
        while true {
            let count = unsafe bytes.withUnsafeBytes { data in
                // SAFETY: the kernel reads no more than the span.
                unsafe clinux_send(fd, data.baseAddress, data.count)
            }
            if count >= 0 { return count }
            let error = errno
            if error == EAGAIN { return nil }
            if error != EINTR { throw Errno(error) }
        }
    }

    /// Takes a connection that waits, non-blocking and close-on-exec. accept4(2)
    ///
    /// - Returns: nil when none waits, or the one that did has gone again.
    /// - Throws: `.tooManyFiles` and the like; the connection still waits.
    package static func accept(_ listener: Int32) throws(Errno) -> FileDescriptor? {
        while true {
            let fd = clinux_accept(listener)
            if fd >= 0 { return FileDescriptor(owning: fd) }
            switch errno {
            case EINTR: continue
            case EAGAIN, ECONNABORTED: return nil
            default: throw .current
            }
        }
    }

    /// Connects, within a time. connect(2)
    ///
    /// A listener whose backlog is full refuses with EAGAIN at first; then the kernel is asked to
    /// wait for room, for what is left of the time. A path of more than 107 bytes is reached
    /// through a descriptor of its own.
    ///
    /// - Returns: a connected, non-blocking socket.
    /// - Throws: `.timedOut`, `.connectionRefused` where nobody listens, `.notFound`,
    ///   `.permissionDenied`, or whatever else the errno is.
    package static func connect(
        to path: String, timeoutMilliseconds: Int64
    ) throws(Errno) -> FileDescriptor {
        if let address = SocketAddress(path: path) {
            return try connect(to: address, timeoutMilliseconds)
        }
        guard !path.utf8.isEmpty else { throw .notFound }
        // It lives as long as the connection is being made: the address leads through it.
        let target = try Files.openPath(path, following: true)
        guard let address = SocketAddress(path: "/proc/self/fd/\(target.rawValue)") else {
            throw .nameTooLong
        }
        return try connect(to: address, timeoutMilliseconds)
    }

    private static func connect(
        to address: SocketAddress, _ timeoutMilliseconds: Int64
    ) throws(Errno) -> FileDescriptor {
        let socket = try make(SOCK_STREAM, nonBlocking: true)
        // SAFETY: the address lives for the call.
        if unsafe address.with({ unsafe Glibc.connect(socket.rawValue, $0, $1) }) == 0 {
            return socket
        }
        guard errno == EAGAIN || errno == EINTR else { throw .current }
        let end = Clock.deadline(afterMilliseconds: timeoutMilliseconds)
        try socket.setNonBlocking(false)
        while true {
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { throw .timedOut }
            var time = timeval(tv_sec: Int(left / 1000), tv_usec: Int(left % 1000) * 1000)
            let size = socklen_t(MemoryLayout<timeval>.size)
            // SAFETY: the kernel copies the structure, whose size it is told.
            guard unsafe setsockopt(socket.rawValue, SOL_SOCKET, SO_SNDTIMEO, &time, size) == 0
            else { throw .current }
            // SAFETY: the address lives for the call.
            if unsafe address.with({ unsafe Glibc.connect(socket.rawValue, $0, $1) }) == 0 { break }
            guard errno == EAGAIN || errno == EINTR else { throw .current }
        }
        try socket.setNonBlocking(true)
        return socket
    }

    /// Two sockets that are connected to each other.
    @frozen package struct Pair: ~Copyable {
        /// One end.
        package var first: FileDescriptor
        /// The other end.
        package var second: FileDescriptor
    }

    /// Makes two connected sockets, non-blocking. socketpair(2)
    package static func pair() throws(Errno) -> Pair {
        var ends: (Int32, Int32) = (-1, -1)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        _ = try valueOrErrno {
            unsafe withUnsafeMutableBytes(of: &ends) { bytes in
                // SAFETY: room for the two numbers.
                unsafe socketpair(
                    AF_UNIX, kind, 0, bytes.baseAddress?.assumingMemoryBound(to: Int32.self))
            }
        }
        return Pair(first: FileDescriptor(owning: ends.0), second: FileDescriptor(owning: ends.1))
    }

    /// Makes an unbound socket. socket(2)
    package static func make(_ kind: __socket_type, nonBlocking: Bool) throws(Errno)
        -> FileDescriptor
    {
        let flags = SOCK_CLOEXEC.rawValue | (nonBlocking ? SOCK_NONBLOCK.rawValue : 0)
        let type = Int32(kind.rawValue | flags)
        return FileDescriptor(owning: try valueOrErrno { socket(AF_UNIX, type, 0) })
    }
}
