import CLinux
import Glibc

/// A counter that one thread raises and another waits for. eventfd(2)
package struct EventCounter: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// What raises a counter; it must not be used once the counter is gone.
    package struct Signal: Sendable {
        fileprivate let fd: Int32

        /// Adds one.
        package func callAsFunction() {
            var one: UInt64 = 1
            // SAFETY: eight bytes. A counter that is full is as good as raised.
            while unsafe write(fd, &one, 8) < 0 && errno == EINTR {}
        }
    }

    /// Makes a counter that stands at 0.
    package init() throws(Errno) {
        descriptor = FileDescriptor(
            owning: try valueOrErrno { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
    }

    /// The number to wait for: readable while the count is not 0.
    package var rawValue: Int32 { descriptor.rawValue }

    /// What raises it, to be given to the other thread.
    package var signal: Signal { Signal(fd: descriptor.rawValue) }

    /// The count, which begins anew at 0.
    package func take() -> UInt64 {
        var count: UInt64 = 0
        // SAFETY: eight bytes of room.
        while unsafe read(descriptor.rawValue, &count, 8) < 0 && errno == EINTR {}
        return count
    }
}
