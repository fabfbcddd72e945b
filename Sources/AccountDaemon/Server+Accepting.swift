import AccountService
import LinuxSystem

extension Server {
    /// Milliseconds for which nobody is accepted when nobody can even be refused.
    private static let acceptPause: Int64 = 100

    /// Accepts one connection for each wake-up.
    ///
    /// The poller says again if another waits, and to ask for one that does not costs more than that.
    mutating func acceptConnection() {
        do throws(Errno) {
            if let descriptor = try UnixSocket.accept(listener.fd) { admit(descriptor) }
        } catch {
            guard error == .tooManyFiles || error == .tooManyFilesInSystem else { return }
            refuseWithSpare()
        }
    }

    /// Without a descriptor a connection could neither be served nor refused, and would wake the
    /// loop for ever: the spare one is given up for a moment.
    private mutating func refuseWithSpare() {
        guard spare.take() != nil else {
            // Another thread, or another process, took it in that moment.
            pauseAccepting()
            return
        }
        if let refused = (try? UnixSocket.accept(listener.fd)) ?? nil { _ = consume refused }
        spare = try? Files.open("/dev/null", .readOnly)
    }

    private mutating func pauseAccepting() {
        guard (try? waitForConnections(false)) != nil else { return }
        acceptsAgainAt = milliseconds + Self.acceptPause
    }

    /// Tries again, with a spare descriptor if there is one by now.
    mutating func resumeAccepting() {
        acceptsAgainAt = nil
        if spare == nil { spare = try? Files.open("/dev/null", .readOnly) }
        if (try? waitForConnections(true)) == nil {
            acceptsAgainAt = milliseconds + Self.acceptPause
        }
    }

    private func waitForConnections(_ waits: Bool) throws(Errno) {
        try poller.modify(
            fd: listener.fd, events: waits ? .readable : [], token: Token.listener)
    }

    private mutating func admit(_ descriptor: consuming FileDescriptor) {
        let fd = descriptor.rawValue
        let peer: PeerCredentials
        let role: Role
        do throws(Errno) {
            peer = try PeerCredentials.of(fd: fd)
            if policy.isOwner(uid: peer.uid) {
                role = .owner
            } else if policy.usesGroups {
                role = policy.role(
                    uid: peer.uid, groups: [peer.gid] + (try PeerCredentials.groups(of: fd)))
            } else {
                role = .stranger
            }
        } catch { return }
        guard let connection = connections.insert(descriptor, peer: peer, role: role) else {
            return
        }
        do throws(Errno) {
            try poller.add(
                fd: fd, events: .readable, token: ConnectionTable.token(of: connection))
        } catch {
            close(connection)
            return
        }
        if role == .stranger { strangers.append(connection, at: milliseconds) }
    }
}
