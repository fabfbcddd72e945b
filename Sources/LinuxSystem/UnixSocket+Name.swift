import CLinux
import Glibc

extension UnixSocket {
    /// The path that a socket is bound to; nil for one without a path, or whose path is not UTF-8.
    /// getsockname(2)
    package static func path(of fd: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            // SAFETY: the kernel writes no more than the size that it is told.
            return unsafe getsockname(fd, start.assumingMemoryBound(to: sockaddr.self), &size)
        }
        let offset = 2
        guard result == 0, Int(size) > offset else { return nil }
        return unsafe withUnsafeBytes(of: &address) { bytes in
            let path = unsafe bytes[offset..<min(Int(size), bytes.count)].prefix { $0 != 0 }
            return unsafe path.isEmpty ? nil : String(validating: path, as: UTF8.self)
        }
    }
}
