import JSON
import Sealing
import SecretMemory
import Varlink

// The daemon locks the store on demand, by a signal, and by time.
extension AccountService {
    /// What came of an attempt to lock the store without a call.
    package enum Locking: Equatable, Sendable {
        case done
        /// Nothing is open.
        case nothing
        /// It opens by itself, so it stays open.
        case refused
        /// It will be locked when the change in hand is done.
        case later
    }

    mutating func lock(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        guard lock() != .refused else {
            throw .opensByItself(slots?.slots.protection ?? [])
        }
        try writeNothing(&reply)
    }

    /// Wipes the master key, the account and all that was made of them, until the store is unlocked.
    ///
    /// The slots stay: they hold no plain secret, and the status names them.
    @discardableResult
    package mutating func lock() -> Locking {
        guard pending == nil else {
            locksWhenDone = true
            return .later
        }
        guard masterKey != nil, let slots else { return .nothing }
        guard !slots.slots.cannotBeLocked else { return .refused }
        // What is known of the token's end outlives it: a clock that is set back meanwhile does not
        // bring it to life.
        lockedWatch = watch ?? lockedWatch
        forgetAccount()
        masterKey = nil
        isLockedOnPurpose = true
        if case .damaged = standing {} else { standing = .locked }
        wipeStack()
        return .done
    }

    /// The change in hand is done: what was asked for meanwhile, or has come due, is not put off
    /// until the next one is.
    mutating func lockIfAsked(at now: Instant) {
        if locksWhenDone { lock() } else { lockIfDue(at: now) }
        locksWhenDone = false
    }

    /// Whether a time is set at which the store is to be locked.
    package var locksByTime: Bool { surroundings.lockTimes != LockTimes() }

    /// When the store is to be locked by time, in milliseconds of boot time; nil: it is not, or not
    /// before the change in hand is done.
    package var lockDeadline: Int64? {
        guard pending == nil, masterKey != nil, let slots, !slots.slots.cannotBeLocked else {
            return nil
        }
        return surroundings.lockTimes.deadline(openedAt: openedAt, usedAt: usedAt)
    }

    /// Locks the store if its time is up.
    ///
    /// To be called before anything else at each wake-up: what comes in after the time is not
    /// answered from memory, however late the timer.
    package mutating func lockIfDue(at now: Instant) {
        guard let lockDeadline, lockDeadline <= now.boottime else { return }
        lock()
    }

    /// The store is open from now on.
    mutating func opened(with key: consuming MasterKey, at now: Instant) {
        if masterKey == nil {
            openedAt = now.boottime
            usedAt = now.boottime
        }
        masterKey = consume key
        isLockedOnPurpose = false
    }
}
