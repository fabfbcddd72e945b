import AccountService
import LinuxSystem
import SecretMemory
import Varlink

extension Server {
    /// Receives what is there and answers every message that is whole.
    mutating func receive(_ connection: Connection) {
        if connection.isStranger {
            hearStranger(connection)
            return
        }
        let fd = connection.fd
        // No more than one message and its terminator at a time: what cannot be answered at once is
        // kept, and must fit where others keep theirs.
        let most = min(maximumMessage(of: connection) + 1, room.count)
        let received: Int?
        do throws(Errno) {
            var span = room.mutableBytes(first: most)
            received = try UnixSocket.receive(fd: fd, into: &span)
        } catch {
            close(connection)
            return
        }
        if let received { take(connection, received) }
    }

    /// Receives from a connection of which nothing is under way; a plain query is answered without
    /// a look at anything else of it.
    mutating func receivePlain(_ fd: Int32, _ token: UInt64) {
        let received: Int?
        do throws(Errno) {
            // As much as anybody may send at once.
            var span = room.mutableBytes(first: Self.maximumForeignMessage + 1)
            received = try UnixSocket.receive(fd: fd, into: &span)
        } catch {
            if let connection = connections.find(token) { close(connection) }
            return
        }
        guard let received else { return }
        if received > 0, Self.isPlain(room, received, .reader, now, &service) {
            sendToken(fd, token)
            wipeRoom(received)
        } else if let connection = connections.find(token) {
            take(connection, received)
        }
    }

    /// Goes on with what was received into the room; 0 bytes are the end.
    private mutating func take(_ connection: Connection, _ received: Int) {
        if received == 0 {
            end(connection)
            return
        }
        if connection.hasInput {
            keep(connection, 0..<received)
            answerKept(connection)
        } else {
            answerFromRoom(connection, received)
        }
        wipeRoom(received)
    }

    /// Whether what was received is one whole message, and the plainest of queries.
    private static func isPlain(
        _ room: borrowing SecretBytes, _ count: Int, _ role: Role, _ now: Instant,
        _ service: inout AccountService
    ) -> Bool {
        let all = room.bytes
        // Anything before the last byte that ended a message would not be a plain one.
        return all[count - 1] == MessageFraming.terminator
            && service.answersPlainly(all.extracting(0..<(count - 1)), from: role, at: now)
    }

    /// The peer will send no more: what is under way is finished first.
    private mutating func end(_ connection: Connection) {
        guard connection.isWaiting || connection.hasOutput else {
            close(connection)
            return
        }
        connection.hasEnded = true
        // An answer that is held back is no output yet.
        let isSending = connection.hasOutput && !connection.isWaiting
        waitFor(isSending ? .writable : [], connection)
    }

    /// What became of the next message of a text.
    private enum Step {
        /// It is not all there.
        case incomplete
        case tooLong
        /// It ends at the offset, and this is the service's word on it.
        case handled(end: Int, Outcome)
    }

    /// Answers from the shared room; nothing is copied unless a message is not whole, or must wait.
    private mutating func answerFromRoom(_ connection: Connection, _ count: Int) {
        let maximum = maximumMessage(of: connection)
        let caller = caller(connection)
        var start = 0
        while start < count, !connection.isClosed {
            if connection.isWaiting || connection.hasOutput {
                keep(connection, start..<count)
                break
            }
            let step = Self.answer(
                room, start..<count, maximum, caller, now, &service, &reply)
            switch step {
            case .incomplete:
                keep(connection, start..<count)
                watchInput(connection)
                return
            case .tooLong:
                refuseLength(connection)
                return
            case .handled(let end, let outcome):
                if isPutOff(outcome, connection) {
                    keep(connection, start..<count)
                    watchInput(connection)
                    return
                }
                act(on: outcome, connection)
                start = end + 1
            }
        }
        watchInput(connection)
    }

    private static func answer(
        _ room: borrowing SecretBytes, _ range: Range<Int>, _ maximum: Int,
        _ caller: AccountService.Caller, _ now: Instant, _ service: inout AccountService,
        _ reply: inout SecretBuffer
    ) -> Step {
        answer(
            room.bytes.extracting(0..<range.upperBound), range.lowerBound, maximum, caller, now,
            &service, &reply)
    }

    private static func answer(
        _ text: Span<UInt8>, _ start: Int, _ maximum: Int, _ caller: AccountService.Caller,
        _ now: Instant, _ service: inout AccountService, _ reply: inout SecretBuffer
    ) -> Step {
        guard let end = MessageFraming.end(in: text, from: start) else {
            return text.count - start > maximum ? .tooLong : .incomplete
        }
        guard end - start <= maximum else { return .tooLong }
        let outcome = service.handle(
            text.extracting(start..<end), from: caller, at: now, reply: &reply)
        return .handled(end: end, outcome)
    }

    /// Answers what a connection has in hand, as far as it is whole and may be answered now.
    mutating func answerKept(_ connection: Connection) {
        let maximum = maximumMessage(of: connection)
        // What was answered is dropped at the end, all at once: to move the rest up after each of
        // thousands of small messages would hold everybody up.
        var start = 0
        while !connection.isClosed, !connection.isWaiting, !connection.hasOutput,
            let bytes = connection.bytes, let input = bytes.input.take()
        {
            let caller = caller(connection)
            let step = Self.answer(input, start, maximum, caller, now, &service, &reply)
            bytes.input = consume input
            switch step {
            case .incomplete:
                bytes.dropInput(start)
                watchInput(connection)
                return
            case .tooLong:
                refuseLength(connection)
                return
            case .handled(let end, let outcome):
                if isPutOff(outcome, connection) {
                    bytes.dropInput(start)
                    watchInput(connection)
                    return
                }
                start = end + 1
                forgetHalfSent(connection)
                act(on: outcome, connection)
            }
        }
        connection.bytes?.dropInput(start)
        watchInput(connection)
    }

    private static func answer(
        _ input: borrowing SecretBuffer, _ start: Int, _ maximum: Int,
        _ caller: AccountService.Caller, _ now: Instant, _ service: inout AccountService,
        _ reply: inout SecretBuffer
    ) -> Step {
        input.withBytes { text in
            answer(text, start, maximum, caller, now, &service, &reply)
        }
    }

    /// A whole message was answered: the time of one that is half-sent begins anew behind it.
    private mutating func forgetHalfSent(_ connection: Connection) {
        if connection.limit == .halfSent { leaveQueue(connection) }
    }

    /// Does what the service decided.
    private mutating func act(on outcome: Outcome, _ connection: Connection) {
        // A change is noted by how it ends.
        if case .change = outcome.action {
        } else {
            note(outcome.method, outcome.verdict, connection)
        }
        switch outcome.action {
        case .tokenReply:
            sendToken(connection)
        case .reply:
            sendReply(connection)
        case .replyAt(let time):
            holdBack(connection, until: time)
        case .silence, .wait, .waitUntil:
            break
        case .change(let change):
            connection.isWaiting = true
            asker = connection
            if records.isOn { records.meet(connection) }
            begin(change)
        case .close:
            close(connection)
        }
    }

    private func caller(_ connection: Connection) -> AccountService.Caller {
        AccountService.Caller(
            role: connection.role, connections: connections.count, uid: connection.peer.uid,
            isOwnUser: policy.isOwnUser(uid: connection.peer.uid))
    }

    private func maximumMessage(of connection: Connection) -> Int {
        connection.role == .owner ? Self.maximumMessage : Self.maximumForeignMessage
    }

    private mutating func refuseLength(_ connection: Connection) {
        note(nil, .tooLarge, connection)
        close(connection)
    }

    /// Sets the poller and the queue to what a connection waits for now.
    mutating func watchInput(_ connection: Connection) {
        guard !connection.isClosed else { return }
        // Before the output: an answer may be held back.
        if connection.isWaiting {
            if connection.limit == .halfSent { leaveQueue(connection) }
            waitFor([], connection)
            return
        }
        if connection.hasOutput {
            waitFor(.writable, connection)
            return
        }
        if connection.hasEnded {
            // What is left is no whole message, and never will be.
            close(connection)
            return
        }
        if connection.hasInput {
            if connection.limit == .none { halfSent.append(connection, at: milliseconds) }
        } else {
            connection.bytes = nil
            if connection.limit == .halfSent { leaveQueue(connection) }
        }
        connections.setIdle(connection, connection.bytes == nil)
        waitFor(.readable, connection)
    }

    /// Keeps a part of the shared room for later.
    private mutating func keep(_ connection: Connection, _ part: Range<Int>) {
        guard !connection.isClosed, !part.isEmpty else { return }
        let held = connection.bytes ?? Connection.Bytes()
        connection.bytes = held
        connections.setIdle(connection, false)
        // A message that is not whole, and as much as is received at once.
        let limit = 2 * maximumMessage(of: connection) + 1
        while true {
            do throws(SecretMemoryError) {
                var input: SecretBuffer
                if let kept = held.input.take() {
                    input = kept
                } else {
                    input = try SecretBuffer(
                        arena: arena, capacity: part.count, limit: limit, budget: budget(connection)
                    )
                }
                do throws(SecretMemoryError) {
                    try Self.append(room, part, to: &input)
                } catch {
                    held.input = consume input
                    throw error
                }
                held.input = consume input
                return
            } catch {
                guard error == .exhausted, makeRoom(for: connection) else {
                    refuseLength(connection)
                    return
                }
            }
        }
    }

    private static func append(
        _ room: borrowing SecretBytes, _ part: Range<Int>, to input: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try room.withBytes { text throws(SecretMemoryError) in
            try input.append(text.extracting(part))
        }
    }

    func budget(_ connection: Connection) -> SecretBudget {
        connection.user?.budget ?? ownerBudget
    }

    /// Closes the oldest half-sent message of another stranger to this memory. docs/PROTOCOL.md
    ///
    /// - Returns: whether there was one.
    private mutating func makeRoom(for connection: Connection) -> Bool {
        guard let user = connection.user else { return false }
        // A longest message and its growth: with less room than that the user's own is in the way.
        let ownIsFull = !user.budget.hasRoom(for: 4 * Self.maximumForeignMessage, alone: true)
        var candidate = halfSent.first
        while let other = candidate {
            if other !== connection, let otherUser = other.user,
                !ownIsFull || otherUser === user
            {
                note(nil, .timedOut, other)
                close(other)
                return true
            }
            candidate = other.next
        }
        return false
    }

    /// A stranger's first call, whatever it is, is answered with PermissionDenied.
    private mutating func hearStranger(_ connection: Connection) {
        let fd = connection.fd
        let received =
            (try? room.withMutableBytes(first: Self.maximumStrangerMessage + 1) {
                room throws(Errno) in try UnixSocket.receive(fd: fd, into: &room)
            }) ?? nil
        guard let received, received > 0 else {
            if received == 0 { close(connection) }
            return
        }
        let isWhole = room.withBytes { MessageFraming.end(in: $0.extracting(0..<received)) != nil }
        wipeRoom(received)
        connection.strangerBytes += received
        guard isWhole || connection.strangerBytes > Self.maximumStrangerMessage else { return }
        note(nil, .denied, connection)
        reply.removeAll()
        if (try? AccountService.refuseStranger(&reply)) != nil {
            _ = reply.withBytes { try? UnixSocket.send(fd: fd, $0) }
        }
        reply.removeAll()
        close(connection)
    }

    mutating func wipeRoom(_ count: Int) {
        var span = room.mutableBytes(first: count)
        span.wipe()
    }
}
