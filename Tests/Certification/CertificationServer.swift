import LinuxSystem
import SecretMemory

/// Serves any number of connections, one message at a time.
final class CertificationServer {
    private static let listenerToken: UInt64 = 0

    private let arena: SecretArena
    private let listener: FileDescriptor
    private var poller: Poller
    private var service: CertificationService
    // By the token of their events: the descriptor's number, which is never 0 here.
    private var peers: [UInt64: Peer] = [:]

    init(path: String) throws {
        arena = try SecretArena(capacity: 1 << 22, preferring: .lockedPages)
        listener = try UnixSocket.listen(at: path, mode: 0o600, replacingStale: true)
        poller = try Poller()
        service = try CertificationService(arena: arena)
        try poller.add(
            fd: listener.rawValue, events: .readable, token: Self.listenerToken)
    }

    func run() throws {
        while true {
            for place in 0..<(try poller.wait(timeoutMilliseconds: -1)) {
                let event = poller.event(at: place)
                if event.token == Self.listenerToken {
                    try accept()
                } else if !serve(event.token) {
                    peers[event.token] = nil
                }
            }
        }
    }

    private func accept() throws {
        while let socket = try UnixSocket.accept(listener.rawValue) {
            let token = UInt64(socket.rawValue)
            try poller.add(fd: socket.rawValue, events: .readable, token: token)
            peers[token] = try Peer(socket, arena: arena)
        }
    }

    // False when the connection is over: closed there, or by a message that is no call.
    private func serve(_ token: UInt64) -> Bool {
        guard let peer = peers[token] else { return false }
        do {
            guard try peer.receive() else { return false }
            var out = try SecretBuffer(
                arena: arena, capacity: 1024, limit: 4 * Peer.maximumBytes)
            while try peer.takeMessage({ text in try service.handle(text, &out) }) {}
            try peer.send(out)
            return true
        } catch { return false }
    }
}
