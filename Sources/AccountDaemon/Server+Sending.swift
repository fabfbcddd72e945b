import LinuxSystem
import SecretMemory

extension Server {
    /// Sends the reply that was written, and wipes it.
    func sendReply(_ connection: Connection) {
        reply.withBytes { send($0, connection) }
        reply.removeAll()
        if reply.capacity > 4096,
            let smaller = try? SecretBuffer(
                arena: arena, capacity: 4096, limit: Self.maximumReply)
        {
            reply = smaller
        }
    }

    /// Sends bytes; what the peer does not take at once is kept, and no more calls are read until
    /// it has been taken.
    func send(_ bytes: Span<UInt8>, _ connection: Connection) {
        let sent: Int
        do throws(Errno) {
            sent = try UnixSocket.send(fd: connection.fd, bytes) ?? 0
        } catch {
            close(connection)
            return
        }
        guard sent < bytes.count else { return }
        let held = connection.bytes ?? Connection.Bytes()
        connection.bytes = held
        do throws(SecretMemoryError) {
            var rest = try SecretBuffer(
                arena: arena, capacity: bytes.count - sent, budget: budget(connection))
            try rest.append(bytes.extracting(sent..<bytes.count))
            held.output = consume rest
        } catch {
            // A reply that cannot be kept cannot be finished: an honest end.
            close(connection)
            return
        }
        leaveQueue(connection)
        unread.append(connection, at: milliseconds)
        waitFor(.writable, connection)
    }

    /// The peer takes bytes again.
    func sendRest(_ connection: Connection) {
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
