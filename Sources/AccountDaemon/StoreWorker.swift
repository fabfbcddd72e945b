import AccountService
import LinuxSystem
import Synchronization

/// The one thread that may wait for a disk, so that the loop never does.
///
/// It has at most one job: the service hands out one change at a time. Two event counters carry the
/// wake-ups, one each way; the mailbox between them carries the change and its result.
final class StoreWorker: Sendable {
    private enum Mail {
        case nothing
        case job(StoreChange)
        case result(StoreResult)
    }

    private let mailbox = Mutex<Mail>(.nothing)
    private let hasOwnDescriptors = Mutex(false)
    private let wake: EventCounter
    private let finished: EventCounter

    /// For the loop to poll: readable once a result is there.
    var pollDescriptor: Int32 { finished.rawValue }

    /// Starts the thread, which takes over the files.
    ///
    /// - Parameters:
    ///   - ownsDescriptors: whether the thread gets a descriptor table of its own. To be asked for
    ///     only where nothing but the loop opens descriptors: whatever else is open in that moment
    ///     stays open in the copy, and a pipe among it never ends.
    ///   - readiness: the descriptor on which the loop will say that it serves.
    init(
        _ files: consuming StoreFiles, ownsDescriptors: Bool = false, readiness: Int32? = nil
    ) throws(Errno) {
        wake = try EventCounter()
        finished = try EventCounter()
        let numbers = files.descriptors
        let handOver = HandOver(files)
        try WorkerThread.start(name: "accountd-store") { [self] in
            // Every query would pay for a table that is shared. Nothing is lost where it cannot be had.
            if ownsDescriptors,
                (try? WorkerThread.ownDescriptors(without: readiness)) != nil
            {
                hasOwnDescriptors.withLock { $0 = true }
            }
            finished.signal()
            guard var files = handOver.take() else { return }
            while true { perform(&files) }
        }
        // Not a moment later: a connection that was accepted before would be copied with the table,
        // and stay open for its peer and the poller when the loop has closed it.
        _ = try Poll.wait(finished.rawValue, for: .readable, timeoutMilliseconds: -1)
        _ = finished.take()
        // The files are the worker's alone: a lock that was given back there would be held here.
        if hasOwnDescriptors.withLock({ $0 }) { WorkerThread.close(numbers) }
    }

    /// Gives the worker a change to do.
    func submit(_ change: StoreChange) {
        mailbox.withLock { $0 = .job(change) }
        wake.signal()
    }

    /// The result, once the poll descriptor was readable.
    func takeResult() -> StoreResult? {
        _ = finished.take()
        return mailbox.withLock { mail -> StoreResult? in
            guard case .result(let result) = mail else { return nil }
            mail = .nothing
            return result
        }
    }

    private func perform(_ files: inout StoreFiles) {
        _ = try? Poll.wait(wake.rawValue, for: .readable, timeoutMilliseconds: -1)
        _ = wake.take()
        var result: StoreResult?
        do {
            // The change is dropped before its result is posted: secrets that it lends go back to
            // the loop's arena on the loop's thread.
            let change = mailbox.withLock { mail -> StoreChange? in
                guard case .job(let change) = mail else { return nil }
                mail = .nothing
                return change
            }
            if let change { result = files.perform(change) }
        }
        guard let result else { return }
        mailbox.withLock { $0 = .result(result) }
        finished.signal()
    }

    /// Carries what cannot be copied into the thread's closure.
    private final class HandOver: Sendable {
        private let files: Mutex<StoreFiles?>

        init(_ files: consuming StoreFiles) { self.files = Mutex(files) }

        func take() -> StoreFiles? { files.withLock { $0.take() } }
    }
}
