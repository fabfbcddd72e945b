package import Glibc

/// An address of the AF_UNIX family. unix(7)
package struct SocketAddress {
    /// Bytes of the longest path that fits; the structure has room for its NUL too.
    package static let longestPath = 107

    private(set) var raw: sockaddr_un
    private(set) var length: socklen_t

    /// The address of a path.
    ///
    /// - Returns: nil when the path is empty, too long, or holds a NUL.
    package init?(path: String) {
        let count = path.utf8.count
        guard count > 0, count <= Self.longestPath else { return nil }
        self.init(path, skipping: 0, length: count + 1)
        for byte in path.utf8 where byte == 0 { return nil }
    }

    /// The address of an abstract name, given without its leading NUL.
    ///
    /// - Returns: nil when the name is empty or too long.
    package init?(abstract name: Substring) {
        let count = name.utf8.count
        guard count > 0, count <= Self.longestPath else { return nil }
        self.init(String(name), skipping: 1, length: count + 1)
    }

    private init(_ text: String, skipping: Int, length: Int) {
        raw = sockaddr_un()
        raw.sun_family = sa_family_t(AF_UNIX)
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        self.length = socklen_t(offset + length)
        unsafe withUnsafeMutableBytes(of: &raw.sun_path) { path in
            var index = skipping
            for byte in text.utf8 {
                // SAFETY: the callers have checked that it fits; the buffer checks in debug builds.
                unsafe path[index] = byte
                index += 1
            }
        }
    }

    /// Calls with the address as the kernel wants it.
    @inline(__always)
    package func with(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        // SAFETY: every socket address begins as sockaddr does; the length is that of ours.
        unsafe withUnsafeBytes(of: raw) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return unsafe call(start.assumingMemoryBound(to: sockaddr.self), length)
        }
    }
}

extension SocketAddress {
    /// Sends one datagram there, without waiting and without SIGPIPE. sendto(2)
    ///
    /// - Returns: whether it was sent.
    package func send(_ bytes: Span<UInt8>, from fd: Int32) -> Bool {
        while true {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            // SAFETY: the kernel reads no more than the span and the address.
            let result = unsafe bytes.withUnsafeBytes { data in
                unsafe with { address, length in
                    unsafe sendto(fd, data.baseAddress, data.count, flags, address, length) < 0
                        ? -1 : 0
                }
            }
            if result == 0 { return true }
            guard errno == EINTR else { return false }
        }
    }
}
