import LinuxSystem
import SecretMemory
import Varlink

/// One end of a connection: messages in, messages out.
final class Peer {
    /// Bytes of the longest message, or of several together.
    static let maximumBytes = 65_536
    /// How long the other side may leave a message half taken, in milliseconds.
    private static let patience: Int64 = 5000

    let socket: FileDescriptor
    private var received: SecretBuffer

    init(_ socket: consuming FileDescriptor, arena: SecretArena) throws {
        self.socket = socket
        received = try SecretBuffer(arena: arena, capacity: 1024, limit: Self.maximumBytes)
    }

    /// Receives what is there.
    ///
    /// - Returns: false when the other side has closed.
    func receive() throws -> Bool {
        if received.count == received.capacity { try received.reserve(1) }
        var isOpen = true
        _ = try received.appendUpTo(received.capacity - received.count) { room throws(Errno) in
            guard let count = try UnixSocket.receive(fd: socket.rawValue, into: &room) else {
                return 0
            }
            isOpen = count > 0
            return count
        }
        return isOpen
    }

    /// Lends the next message that is whole, without its terminator.
    ///
    /// - Returns: false when there is none.
    func takeMessage(_ body: (Span<UInt8>) throws -> Void) throws -> Bool {
        guard let end = received.withBytes({ MessageFraming.end(in: $0) }) else { return false }
        try received.withBytes { try body($0.extracting(0..<end)) }
        received.removeFirst(end + 1)
        return true
    }

    /// Waits for the next message and lends it.
    func waitForMessage(_ body: (Span<UInt8>) throws -> Void) throws {
        while try !takeMessage(body) {
            try wait(for: .readable)
            guard try receive() else {
                throw CertificationFailure("the other side closed the connection")
            }
        }
    }

    /// Sends messages, and waits until they are taken.
    func send(_ messages: borrowing SecretBuffer) throws {
        try messages.withBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = bytes.extracting(sent..<bytes.count)
                if let count = try UnixSocket.send(fd: socket.rawValue, rest) {
                    sent += count
                } else {
                    try wait(for: .writable)
                }
            }
        }
    }

    private func wait(for events: PollEvents) throws {
        let ready = try Poll.wait(
            socket.rawValue, for: events, timeoutMilliseconds: Self.patience)
        guard ready.rawValue != 0 else {
            throw CertificationFailure("the other side says nothing")
        }
    }
}
