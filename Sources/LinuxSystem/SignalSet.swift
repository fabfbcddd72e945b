import CLinux
import Glibc

/// Signals to block. sigsetops(3)
struct SignalSet {
    private var raw = sigset_t()

    init(_ signals: [Int32]) {
        // SAFETY: here and below, one structure of our own.
        unsafe sigemptyset(&raw)
        for signal in signals { unsafe sigaddset(&raw, signal) }
    }

    /// Every signal that there is.
    static var all: SignalSet {
        var set = SignalSet([])
        unsafe sigfillset(&set.raw)
        return set
    }

    /// The signals that this thread blocks. pthread_sigmask(3)
    static var blocked: SignalSet {
        SignalSet([]).block()
    }

    /// Whether a signal is among them. sigismember(3)
    func contains(_ signal: Int32) -> Bool {
        var set = raw
        return unsafe sigismember(&set, signal) == 1
    }

    /// Blocks these signals in this thread, besides those that are. pthread_sigmask(3)
    ///
    /// - Returns: the set that was blocked before.
    func block() -> SignalSet {
        var before = SignalSet([])
        var set = raw
        unsafe pthread_sigmask(SIG_BLOCK, &set, &before.raw)
        return before
    }

    /// Blocks these signals in this thread and no others. pthread_sigmask(3)
    func replaceMask() {
        var set = raw
        unsafe pthread_sigmask(SIG_SETMASK, &set, nil)
    }

    /// Lends it to a call.
    func with(_ call: (UnsafePointer<sigset_t>) -> Int32) -> Int32 {
        unsafe withUnsafePointer(to: raw) { unsafe call($0) }
    }
}
