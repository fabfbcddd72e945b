import AccountService
import LinuxSystem
import SecretMemory

extension Server {
    /// Bytes of room that the reply buffer keeps from one reply to the next.
    static let replyCapacity = 4096

    /// What became of bytes that were to be sent.
    enum Transmission {
        case sent
        /// The peer does not take them at once: the rest is kept with the connection.
        case kept
        /// The peer is gone, or the rest cannot be kept: a reply that cannot be finished.
        case failed
    }

    /// Sends bytes, and keeps what the peer does not take at once.
    ///
    /// Free of the server's state, so that the bytes may be lent by any part of it.
    static func transmit(
        _ bytes: Span<UInt8>, to connection: Connection, keepingIn arena: SecretArena,
        _ budget: SecretBudget
    ) -> Transmission {
        guard let sent = send(bytes, connection.fd) else { return .failed }
        if sent == bytes.count { return .sent }
        return keep(bytes.extracting(sent..<bytes.count), of: connection, in: arena, budget)
    }

    /// How many bytes the peer took; nil when it is gone.
    private static func send(_ bytes: Span<UInt8>, _ fd: Int32) -> Int? {
        do throws(Errno) {
            return try UnixSocket.send(fd: fd, bytes) ?? 0
        } catch { return nil }
    }

    static func keep(
        _ rest: Span<UInt8>, of connection: Connection, in arena: SecretArena,
        _ budget: SecretBudget
    ) -> Transmission {
        do throws(SecretMemoryError) {
            var kept = try SecretBuffer(arena: arena, capacity: rest.count, budget: budget)
            try kept.append(rest)
            let held = connection.bytes ?? Connection.Bytes()
            held.output = consume kept
            connection.bytes = held
            return .kept
        } catch { return .failed }
    }

    /// Goes on after bytes were sent; no more calls are read until what was kept has been taken.
    mutating func settle(_ transmission: Transmission, _ connection: Connection) {
        switch transmission {
        case .sent: return
        case .failed: close(connection)
        case .kept:
            connections.setIdle(connection, false)
            leaveQueue(connection)
            unread.append(connection, at: milliseconds)
            waitFor(.writable, connection)
        }
    }

    /// Sends the ready-made reply to GetToken.
    mutating func sendToken(_ connection: Connection) {
        sendToken(connection.fd, ConnectionTable.token(of: connection))
    }

    /// The same, to a connection that is looked at only if it does not take all of it at once.
    mutating func sendToken(_ fd: Int32, _ token: UInt64) {
        var sent: Int?
        var count = 0
        service.lendTokenReply { bytes in
            count = bytes.count
            sent = Self.send(bytes, fd)
        }
        if sent == count { return }
        guard let connection = connections.find(token) else { return }
        guard let sent else {
            close(connection)
            return
        }
        let arena = arena
        let budget = budget(connection)
        var result = Transmission.failed
        service.lendTokenReply { bytes in
            result = Self.keep(
                bytes.extracting(sent..<bytes.count), of: connection, in: arena, budget)
        }
        settle(result, connection)
    }

    /// Sends the reply that was written, and wipes it.
    mutating func sendReply(_ connection: Connection) {
        let arena = arena
        let budget = budget(connection)
        let result = reply.withBytes { bytes in
            Self.transmit(bytes, to: connection, keepingIn: arena, budget)
        }
        emptyReply()
        settle(result, connection)
    }

    /// Wipes the reply, and gives back what a long one took.
    mutating func emptyReply() {
        reply.removeAll()
        guard reply.capacity > Self.replyCapacity else { return }
        if let smaller = try? SecretBuffer(
            arena: arena, capacity: Self.replyCapacity, limit: Self.maximumReply)
        {
            reply = smaller
        }
    }

    /// The peer takes bytes again.
    mutating func sendRest(_ connection: Connection) {
        guard let bytes = connection.bytes, var output = bytes.output.take() else {
            watchInput(connection)
            return
        }
        let fd = connection.fd
        do throws(Errno) {
            let sent = try output.withBytes { rest throws(Errno) in
                try UnixSocket.send(fd: fd, rest)
            }
            output.removeFirst(sent ?? 0)
        } catch {
            close(connection)
            return
        }
        guard output.isEmpty else {
            bytes.output = consume output
            return
        }
        leaveQueue(connection)
        answerKept(connection)
    }
}
