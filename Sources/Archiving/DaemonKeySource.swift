import JSON
package import LinuxSystem
package import Sealing
package import SecretMemory
import Varlink

/// Keys from the daemon that holds the store, which is found by the store's own socket; where none
/// answers there, from what opens the store by itself. docs/PROTOCOL.md, "DeriveArchiveKey"
package struct DaemonKeySource: ArchiveKeySource {
    private static let socket = "socket"
    private static let connectTimeout: Int64 = 5000
    private static let answerTimeout: Int64 = 10_000
    private static let maximumReply = 4096

    private let slots: SlotKeySource

    /// Names the key file for where no daemon runs; nil: the usual one.
    package init(keyFile: String? = nil) { slots = SlotKeySource(keyFile: keyFile) }

    /// Asks the daemon; see `ArchiveKeySource`.
    package func key(
        of name: ArchiveName, under id: MasterKeyID?, in store: borrowing Directory,
        arena: SecretArena
    ) throws(ArchiveError) -> ArchiveKey? {
        let path = "\(store.path)/\(Self.socket)"
        let socket: FileDescriptor
        do throws(Errno) {
            socket = try UnixSocket.connect(to: path, timeoutMilliseconds: Self.connectTimeout)
        } catch {
            switch error {
            case .notFound, .connectionRefused:
                return try slots.key(of: name, under: id, in: store, arena: arena)
            default: throw .system("cannot connect to \(path)", errno: error.rawValue)
            }
        }
        do throws(Errno) {
            let server = try PeerCredentials.of(fd: socket.rawValue).uid
            // The overflow uid stands for nobody in particular, not even for us.
            let isOwn = server == Users.currentUID && server != Users.overflowID
            guard isOwn || server == 0 else {
                throw Errno.permissionDenied
            }
        } catch {
            guard error == .permissionDenied else {
                throw .system("cannot tell who serves \(path)", errno: error.rawValue)
            }
            throw .notPermitted("\(path) is served by neither this user nor root")
        }
        return try Self.ask(socket, path, name, id, store.path, arena)
    }

    private static func ask(
        _ socket: borrowing FileDescriptor, _ path: String, _ name: ArchiveName,
        _ id: MasterKeyID?, _ store: String, _ arena: SecretArena
    ) throws(ArchiveError) -> ArchiveKey? {
        var reply: SecretBuffer
        do throws(SecretMemoryError) {
            reply = try SecretBuffer(arena: arena, capacity: maximumReply)
        } catch { throw ArchiveError(error) }
        try send(Self.call(name, id, arena), socket, path)
        let end = try receive(&reply, socket, path)
        return try reply.withBytes { bytes throws(ArchiveError) in
            try ArchiveKeyCall.read(
                bytes.extracting(0..<end), asking: path, store: store, arena)
        }
    }

    private static func call(
        _ name: ArchiveName, _ id: MasterKeyID?, _ arena: SecretArena
    ) throws(ArchiveError) -> SecretBuffer {
        do throws(SecretMemoryError) {
            var call = try SecretBuffer(arena: arena, capacity: 128, limit: maximumReply)
            try ArchiveKeyCall.write(name, under: id, &call)
            return call
        } catch { throw ArchiveError(error) }
    }

    private static func send(
        _ call: borrowing SecretBuffer, _ socket: borrowing FileDescriptor, _ path: String
    ) throws(ArchiveError) {
        let number = socket.rawValue
        do throws(Errno) {
            try call.withBytes { bytes throws(Errno) in
                var sent = 0
                while sent < bytes.count {
                    if let count = try UnixSocket.send(fd: number, bytes.extracting(sent...)) {
                        sent += count
                    } else {
                        _ = try Poll.wait(
                            number, for: .writable, timeoutMilliseconds: answerTimeout)
                    }
                }
            }
        } catch {
            // It may have said why before it closed: that is for the one who receives.
            guard error == .brokenPipe || error == .connectionReset else {
                throw .system("cannot send to \(path)", errno: error.rawValue)
            }
        }
    }

    /// Receives one message and says where it ends.
    private static func receive(
        _ reply: inout SecretBuffer, _ socket: borrowing FileDescriptor, _ path: String
    ) throws(ArchiveError) -> Int {
        let number = socket.rawValue
        let deadline = Clock.monotonicMilliseconds() + answerTimeout
        do throws(Errno) {
            while true {
                let end = reply.withBytes { MessageFraming.end(in: $0) ?? -1 }
                if end >= 0 { return end }
                guard reply.count < reply.limit else { throw .messageTooLong }
                let left = max(0, deadline - Clock.monotonicMilliseconds())
                let ready = try Poll.wait(number, for: .readable, timeoutMilliseconds: left)
                guard ready.rawValue != 0 else { throw .timedOut }
                var hasEnded = false
                _ = try reply.appendUpTo(reply.limit - reply.count) { room throws(Errno) in
                    guard let count = try UnixSocket.receive(fd: number, into: &room) else {
                        return 0
                    }
                    hasEnded = count == 0
                    return count
                }
                if hasEnded { throw .connectionReset }
            }
        } catch {
            switch error {
            case .timedOut:
                throw .daemon("the daemon at \(path) has not answered for too long")
            case .connectionReset:
                throw .daemon("the daemon at \(path) closed the connection without an answer")
            case .messageTooLong:
                throw .daemon("the daemon at \(path) gave an answer that is not understood")
            default: throw .system("cannot receive from \(path)", errno: error.rawValue)
            }
        }
    }
}
