import AccountService
import LinuxSystem
import SecretMemory

/// A connection whose answer, or next call, waits for a time: somebody gave a wrong passphrase.
struct HeldBack {
    let connection: Connection
    /// Milliseconds of boot time.
    let time: Int64
}

extension Server {
    mutating func addHeldBack(_ connection: Connection, until time: Int64) {
        // Those who left do not pile up.
        if heldBack.count >= connections.maximum {
            heldBack.removeAll { $0.connection.isClosed }
        }
        heldBack.append(HeldBack(connection: connection, time: time))
    }

    /// Keeps the reply that was written until its time has come; no further call is looked at
    /// meanwhile.
    mutating func holdBack(_ connection: Connection, until time: Int64) {
        let arena = arena
        let budget = budget(connection)
        let kept = reply.withBytes { bytes in
            Self.keep(bytes, of: connection, in: arena, budget)
        }
        emptyReply()
        guard case .kept = kept else {
            close(connection)
            return
        }
        connection.isWaiting = true
        connections.setIdle(connection, false)
        leaveQueue(connection)
        waitFor([], connection)
        addHeldBack(connection, until: time)
    }

    /// Sends the answers, and looks at the calls, whose time has come.
    mutating func releaseHeldBack() {
        let now = milliseconds
        let due = heldBack.filter { $0.time <= now }
        guard !due.isEmpty else { return }
        heldBack.removeAll { $0.time <= now }
        for held in due where !held.connection.isClosed {
            held.connection.isWaiting = false
            if held.connection.hasOutput {
                sendHeldBack(held.connection)
            } else {
                answerKept(held.connection)
            }
        }
    }

    /// From now on it is as any answer that was not taken at once; what is sent behind it may be held
    /// back in its turn.
    private mutating func sendHeldBack(_ connection: Connection) {
        unread.append(connection, at: milliseconds)
        waitFor(.writable, connection)
        sendRest(connection)
    }
}
