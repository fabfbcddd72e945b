import Glibc

/// The signals that a fault raises.
enum CrashSignals {
    /// Takes off every handler: one that prints a backtrace prints registers and the memory that
    /// they point at.
    static func useDefaults() {
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(number, SIG_DFL)
        }
    }
}
