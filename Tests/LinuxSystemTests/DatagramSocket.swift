import Glibc
import LinuxSystem
import Testing

/// A bound datagram socket that stands in for a service manager or a journal.
struct DatagramSocket: ~Copyable {
    private let descriptor: FileDescriptor

    /// Binds it to a path, or to an abstract name that begins with "@".
    init(_ name: String) throws {
        let address = try #require(
            name.hasPrefix("@")
                ? SocketAddress(abstract: name.dropFirst()) : SocketAddress(path: name))
        let socket = try UnixSocket.make(SOCK_DGRAM, nonBlocking: true)
        let number = socket.rawValue
        // SAFETY: the address lives for the call.
        try #require(unsafe address.with { unsafe bind(number, $0, $1) } == 0)
        descriptor = socket
    }

    var rawValue: Int32 { descriptor.rawValue }

    /// The datagram that came first; nil when none waits.
    func receive() throws -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: 1 << 18)
        var span = room.mutableSpan
        guard let count = try UnixSocket.receive(fd: descriptor.rawValue, into: &span) else {
            return nil
        }
        return Array(room[..<count])
    }
}
