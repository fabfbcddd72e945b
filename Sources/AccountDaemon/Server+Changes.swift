import AccountService
import SecretMemory

extension Server {
    /// Hands a change to the worker.
    ///
    /// It is kept here too until its result is there: what it lends belongs to this thread.
    mutating func begin(_ change: StoreChange) {
        self.change = change
        worker.submit(change)
    }

    /// Whether a call must wait, for the change in hand or for a time; it is kept then.
    mutating func isPutOff(_ outcome: Outcome, _ connection: Connection) -> Bool {
        switch outcome.action {
        case .wait:
            connection.isWaiting = true
            // Those who left do not pile up while a disk hangs.
            if waiting.count >= connections.maximum { waiting.removeAll { $0.isClosed } }
            waiting.append(connection)
        case .waitUntil(let time):
            connection.isWaiting = true
            addHeldBack(connection, until: time)
        default: return false
        }
        return true
    }

    /// The worker has finished.
    mutating func takeResult() {
        guard let result = worker.takeResult() else { return }
        change = nil
        let outcome = service.finish(result, at: now, reply: &reply)
        if case .change(let next) = outcome.action {
            begin(next)
            return
        }
        if let connection = asker {
            asker = nil
            note(outcome.method, outcome.verdict, connection)
            answer(outcome, connection)
        }
        reply.removeAll()
        resumeWaiting()
    }

    private mutating func answer(_ outcome: Outcome, _ connection: Connection) {
        guard !connection.isClosed else {
            // It is done all the same, and who asked for it is not forgotten.
            records.close(connection)
            return
        }
        connection.isWaiting = false
        switch outcome.action {
        case .reply: sendReply(connection)
        // Nobody can try again any more.
        case .replyAt where isEnding: sendReply(connection)
        case .replyAt(let time): holdBack(connection, until: time)
        case .close: close(connection)
        default: break
        }
        if connection.isWaiting { return }
        if !isEnding { goOn(connection) }
    }

    /// What the asker sent behind its change comes after those who wait already, so that nobody who
    /// pipelines changes keeps the others waiting.
    private mutating func goOn(_ connection: Connection) {
        guard !connection.isClosed else { return }
        guard connection.hasInput, !waiting.isEmpty else {
            answerKept(connection)
            return
        }
        connection.isWaiting = true
        waiting.append(connection)
    }

    /// The next calls in line, until one of them begins a change of its own.
    private mutating func resumeWaiting() {
        var line = waiting
        waiting.removeAll(keepingCapacity: true)
        line.reverse()
        while let connection = line.popLast() {
            if connection.isClosed { continue }
            if change != nil {
                waiting.append(connection)
                continue
            }
            connection.isWaiting = false
            answerKept(connection)
        }
    }
}
