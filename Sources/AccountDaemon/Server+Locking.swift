import AccountService
import LinuxSystem

extension Server {
    mutating func lockBySignal() {
        switch service.lock() {
        case .done: Log.note("told to lock the store: it is locked")
        case .later: Log.note("told to lock the store: that waits for the change in hand")
        case .nothing: Log.note("told to lock the store, in which nothing is open")
        case .refused:
            Log.note("told to lock the store: it opens by itself, so it stays open")
            Log.note("hint: account key add passphrase")
        }
    }

    /// A timer that the machine's sleep does not stop, and that fires as it wakes up.
    ///
    /// It is set at once: a store that opened by itself may be left alone from the start.
    mutating func makeLockTimer() throws(StartError) {
        do throws(Errno) {
            let timer = try TimerDescriptor(.boottime)
            try poller.add(fd: timer.rawValue, events: .readable, token: Token.lockTimer)
            lockTimer = consume timer
        } catch { throw .system("the timer that locks the store cannot be made", error) }
        setLockTimer()
    }

    /// It went off: the store was locked before anything else, if it was used no more.
    mutating func rearmLockTimer() {
        switch lockTimer {
        case .none: return
        case .some(let timer): _ = try? timer.acknowledge()
        }
        lockTimerTime = nil
    }

    /// Sets the timer, unless it goes off before the time in any case: then it is set again, so that
    /// a query need not pay for a call.
    mutating func setLockTimer() {
        guard let deadline = service.lockDeadline else { return }
        if let lockTimerTime, lockTimerTime <= deadline { return }
        switch lockTimer {
        case .none: return
        case .some(let timer): try? timer.set(atMilliseconds: deadline)
        }
        lockTimerTime = deadline
    }
}
