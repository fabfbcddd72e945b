import CLinux
import Glibc

/// What systemd passes to a service and wants to hear from it.
///
/// Written anew from sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3) and systemd.exec(5),
/// which promise that these protocols stay: libsystemd would bring compression and cipher
/// libraries into a process that holds keys.
package enum ServiceManager {
    /// The number of the first descriptor that is passed. SD_LISTEN_FDS_START
    private static let firstListener: Int32 = 3
    /// More descriptors than anybody passes; a larger count is taken for none.
    private static let mostListeners: Int32 = 256

    /// A descriptor that was passed; the taker owns it.
    package struct Listener: Equatable, Sendable {
        /// Its number, from 3 on.
        package let fd: Int32
        /// FileDescriptorName= of the unit; "unknown" where none was given.
        package let name: String
        /// Whether it is a stream socket of the AF_UNIX family that listens.
        package let isUnixStream: Bool

        /// A listener from elsewhere, for tests of what is done with it.
        package init(fd: Int32, name: String, isUnixStream: Bool) {
            self.fd = fd
            self.name = name
            self.isUnixStream = isUnixStream
        }
    }

    /// Takes the descriptors that were passed to this process, in their order.
    ///
    /// They are made close-on-exec and non-blocking, and the variables that tell of them are removed
    /// whether or not they were meant for this process, so that no child believes them. LISTEN_PID,
    /// LISTEN_FDS, LISTEN_FDNAMES, sd_listen_fds(3)
    ///
    /// - Returns: none when no descriptors were passed, or not to this process.
    package static func takeListeners() -> [Listener] {
        let names = listenerNames(
            pid: Environment.value("LISTEN_PID"), count: Environment.value("LISTEN_FDS"),
            names: Environment.value("LISTEN_FDNAMES"), own: getpid())
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"] {
            Environment.unset(name)
        }
        var listeners = [Listener]()
        for (index, name) in names.enumerated() {
            let fd = firstListener + Int32(index)
            let flags = fcntl(fd, F_GETFL)
            guard flags >= 0 else { continue }
            _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
            _ = fcntl(fd, F_SETFL, flags | O_NONBLOCK)
            listeners.append(
                Listener(
                    fd: fd, name: name,
                    isUnixStream: option(SO_DOMAIN, of: fd) == AF_UNIX
                        && option(SO_TYPE, of: fd) == Int32(SOCK_STREAM.rawValue)
                        && option(SO_ACCEPTCONN, of: fd) == 1))
        }
        return listeners
    }

    /// The name of each descriptor that was passed, as the variables' values tell.
    ///
    /// - Parameter own: the process that asks.
    /// - Returns: none when none were passed, or not to this process.
    static func listenerNames(
        pid: String?, count: String?, names: String?, own: pid_t
    ) -> [String] {
        guard number(pid) == UInt64(own), let count = number(count), count > 0,
            count <= UInt64(mostListeners)
        else { return [] }
        let given = (names ?? "").utf8.split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return (0..<Int(count)).map { index in
            guard index < given.count, !given[index].isEmpty else { return "unknown" }
            return String(Substring(given[index]))
        }
    }

    /// Whether somebody listens to `notify`. NOTIFY_SOCKET
    package static var isListening: Bool { Environment.value("NOTIFY_SOCKET") != nil }

    /// Tells the service manager something, without ever waiting for it. sd_notify(3)
    ///
    /// - Parameter state: assignments, one a line: "READY=1", "STATUS=…", "WATCHDOG=1".
    /// - Returns: whether it was sent; false where nobody listens.
    @discardableResult
    package static func notify(_ state: String) -> Bool {
        guard let name = Environment.value("NOTIFY_SOCKET") else { return false }
        guard let address = address(named: name),
            let socket = try? UnixSocket.make(SOCK_DGRAM, nonBlocking: true)
        else { return false }
        return address.send(state.utf8Span.span, from: socket.rawValue)
    }

    /// The address that NOTIFY_SOCKET names; nil for one of another family or too long a name.
    static func address(named name: String) -> SocketAddress? {
        switch name.utf8.first {
        case UInt8(ascii: "@"): SocketAddress(abstract: Substring(name.utf8.dropFirst()))
        case UInt8(ascii: "/"): SocketAddress(path: name)
        // An address of AF_VSOCK, from a virtual machine's host.
        default: nil
        }
    }

    /// Microseconds within which the service manager wants to hear "WATCHDOG=1"; half of it is a
    /// good interval. WATCHDOG_USEC, WATCHDOG_PID, sd_watchdog_enabled(3)
    ///
    /// Nil when it does not watch this process.
    package static var watchdogInterval: Int64? {
        watchdogInterval(
            microseconds: Environment.value("WATCHDOG_USEC"),
            pid: Environment.value("WATCHDOG_PID"), own: getpid())
    }

    /// The same, as the variables' values tell.
    static func watchdogInterval(microseconds: String?, pid: String?, own: pid_t) -> Int64? {
        guard let interval = number(microseconds), interval > 0,
            pid == nil || number(pid) == UInt64(own)
        else { return nil }
        return Int64(exactly: interval)
    }

    /// Whether standard error goes to the journal. JOURNAL_STREAM, systemd.exec(5)
    package static var journalIsConnected: Bool {
        guard let text = Environment.value("JOURNAL_STREAM"), let stream = stream(named: text),
            let status = try? FileStatus.of(fd: StandardStream.error)
        else { return false }
        return stream.device == status.device && stream.inode == status.inode
    }

    /// The device and the inode that JOURNAL_STREAM names.
    static func stream(named text: String) -> (device: UInt64, inode: UInt64)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let device = number(String(text[..<colon])),
            let inode = number(String(text[text.utf8.index(after: colon)...]))
        else { return nil }
        return (device, inode)
    }

    // Digits alone, as the manual pages have them; UInt64(_:) would take a sign.
    private static func number(_ text: String?) -> UInt64? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let text, text.utf8.allSatisfy({ digits ~= $0 }) else { return nil }
        return UInt64(text)
    }

    private static func option(_ option: Int32, of fd: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the kernel writes one integer, whose size it is told.
        guard unsafe getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 else { return nil }
        return value
    }
}
