import CLinux
import Glibc

/// Signals as something to read, in place of handlers that interrupt. signalfd(2)
package struct SignalDescriptor: ~Copyable {
    private let descriptor: FileDescriptor

    /// Blocks the signals in this thread, and in those that it starts, and collects them.
    ///
    /// They stay blocked when this value goes.
    package init(_ signals: [Int32]) throws(Errno) {
        let set = SignalSet(signals)
        _ = set.block()
        let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
        descriptor = FileDescriptor(
            owning: try valueOrErrno {
                // SAFETY: the kernel copies the set.
                unsafe set.with { unsafe signalfd(-1, $0, flags) }
            })
    }

    /// The number to wait for: readable while a signal waits.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Takes a signal that has come.
    ///
    /// - Returns: its number; nil when none waits.
    package func next() throws(Errno) -> Int32? {
        var info = signalfd_siginfo()
        let number = descriptor.rawValue
        let size = MemoryLayout<signalfd_siginfo>.size
        do {
            // SAFETY: the kernel writes whole structures, no more than fit.
            let count = try valueOrErrno { unsafe read(number, &info, size) }
            return count == size ? Int32(info.ssi_signo) : nil
        } catch {
            guard error == .wouldBlock else { throw error }
            return nil
        }
    }
}
