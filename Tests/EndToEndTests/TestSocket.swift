import Foundation

/// A Unix socket of a test's own, closed with this.
final class TestSocket {
    let path: String
    let descriptor: Int32

    /// Binds one that listens for connections.
    static func listening(at path: String) throws -> TestSocket {
        let socket = try TestSocket(at: path, kind: SOCK_STREAM)
        guard listen(socket.descriptor, 16) == 0 else { throw POSIXError(.EIO) }
        return socket
    }

    /// Binds one that receives datagrams.
    static func receiving(at path: String) throws -> TestSocket {
        try TestSocket(at: path, kind: SOCK_DGRAM)
    }

    private init(at path: String, kind: __socket_type) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard descriptor >= 0, path.utf8.count < room else { throw POSIXError(.ENAMETOOLONG) }
        // SAFETY: the path was seen to fit, and the address is told its own size.
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe withUnsafeMutableBytes(of: &pointer.pointee.sun_path) {
                unsafe $0.copyBytes(from: path.utf8)
            }
            return unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Whether something comes within a time, in seconds.
    func hasInput(within timeout: Double) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // SAFETY: one structure.
        return unsafe Foundation.poll(&poll, 1, Int32(timeout * 1000)) > 0
    }

    /// The next datagram; nil when none comes within a time, in seconds.
    func receive(within timeout: Double) -> String? {
        guard hasInput(within: timeout) else { return nil }
        var room = [UInt8](repeating: 0, count: 4096)
        // SAFETY: as many as the room has.
        let count = unsafe recv(descriptor, &room, room.count, 0)
        return count < 0 ? nil : String(decoding: room[..<count], as: UTF8.self)
    }
}
