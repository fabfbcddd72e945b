import Glibc
import LinuxSystem
import Testing

/// Each in a process of its own, since the environment is the whole process's.
@Suite struct ServiceManagerTests {
    @Test("descriptors that were passed are taken once, in their order, with their names")
    func listeners() async throws {
        let folder = try TemporaryFolder()
        let result = await #expect(processExitsWith: .exitCode(0)) {
            [path = folder.path as String] in
            try takeNumbers()
            let listener = try UnixSocket.listen(
                at: path + "/s", mode: 0o600, replacingStale: false)
            let null = try Files.open("/dev/null", .readOnly)
            let kept = fcntl(listener.rawValue, F_DUPFD, 100)
            let file = fcntl(null.rawValue, F_DUPFD, 100)
            // As a service manager leaves them: open in the next program, and blocking.
            guard dup2(kept, 3) == 3, dup2(file, 4) == 4, dup2(kept, 5) == 5 else {
                exit(1)
            }
            _ = fcntl(3, F_SETFL, fcntl(3, F_GETFL) & ~O_NONBLOCK)
            Environment.set("LISTEN_PID", to: "\(getpid())")
            Environment.set("LISTEN_FDS", to: "3")
            Environment.set("LISTEN_FDNAMES", to: "varlink::third")
            let taken = ServiceManager.takeListeners()
            let expected = [
                ServiceManager.Listener(fd: 3, name: "varlink", isUnixStream: true),
                ServiceManager.Listener(fd: 4, name: "unknown", isUnixStream: false),
                ServiceManager.Listener(fd: 5, name: "third", isUnixStream: true),
            ]
            guard taken == expected else { exit(2) }
            for fd: Int32 in 3...5 where fcntl(fd, F_GETFD) != FD_CLOEXEC { exit(3) }
            guard fcntl(3, F_GETFL) & O_NONBLOCK != 0 else { exit(4) }
            guard ServiceManager.takeListeners().isEmpty else { exit(5) }
            for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
            where Environment.value(name) != nil { exit(6) }
            exit(0)
        }
        #expect(result != nil)
    }

    @Test(
        "descriptors that are not for this process are not taken",
        arguments: [
            ("self", "0"), ("1", "1"), ("", "1"), ("self", ""), ("self", "-1"), ("self", "x"),
            ("self", "1000000"), ("self", "+1"), ("+self", "1"), ("selfx", "1"),
        ])
    func notListeners(pid: String, count: String) async {
        await #expect(processExitsWith: .success) {
            [pid = pid as String, count = count as String] in
            let own = pid.hasSuffix("self") ? pid.dropLast(4) + "\(getpid())" : pid[...]
            Environment.set(
                "LISTEN_PID", to: pid == "selfx" ? "\(getpid())x" : String(own))
            Environment.set("LISTEN_FDS", to: count)
            try #require(ServiceManager.takeListeners().isEmpty)
            try #require(Environment.value("LISTEN_FDS") == nil)
        }
    }

    @Test("a socket that is a datagram's, or only connected, is no listener")
    func wrongKinds() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try takeNumbers()
            let pair = try UnixSocket.pair()
            // Out of the way first.
            func high(_ fd: Int32) -> Int32 { fcntl(fd, F_DUPFD, 100) }
            let connected = high(pair.first.rawValue)
            let datagram = high(socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
            let internet = high(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
            guard listen(internet, 1) == 0, dup2(connected, 3) == 3,
                dup2(datagram, 4) == 4, dup2(internet, 5) == 5
            else { exit(1) }
            Environment.set("LISTEN_PID", to: "\(getpid())")
            Environment.set("LISTEN_FDS", to: "3")
            let taken = ServiceManager.takeListeners()
            exit(taken.count == 3 && !taken.contains { $0.isUnixStream } ? 0 : 2)
        }
    }

    @Test("the service manager is told, at a path and at an abstract name", arguments: ["", "@"])
    func notify(prefix: String) async throws {
        let folder = try TemporaryFolder()
        let name = prefix + folder("notify")
        let receiver = try DatagramSocket(name)
        await #expect(processExitsWith: .success) { [name = name as String] in
            Environment.set("NOTIFY_SOCKET", to: name)
            try #require(ServiceManager.isListening)
            try #require(ServiceManager.notify("READY=1\nSTATUS=账户"))
        }
        #expect(try receiver.receive() == Array("READY=1\nSTATUS=账户".utf8))
    }

    @Test(
        "where nobody listens, nothing is told and nothing fails",
        arguments: [
            "", "/nonexistent/socket", "@nobody-listens-there", "relative", "vsock:2:1", "@",
        ])
    func notNotify(name: String) async {
        await #expect(processExitsWith: .success) { [name = name as String] in
            Environment.set("NOTIFY_SOCKET", to: name)
            try #require(!ServiceManager.notify("READY=1"))
        }
    }

    @Test("a service manager that does not read holds nobody up")
    func neverBlocks() async throws {
        let folder = try TemporaryFolder()
        let receiver = try DatagramSocket(folder("notify"))
        await #expect(processExitsWith: .success) { [name = folder("notify") as String] in
            Environment.set("NOTIFY_SOCKET", to: name)
            var sent = 0
            while sent < 100_000, ServiceManager.notify("WATCHDOG=1") { sent += 1 }
            try #require(sent < 100_000)
        }
        #expect(try receiver.receive() == Array("WATCHDOG=1".utf8))
    }

    @Test(
        "the watchdog's interval counts only for this process",
        arguments: [
            ("20000000", "", 20_000_000), ("20000000", "self", 20_000_000), ("1", "self", 1),
            ("20000000", "1", nil), ("", "self", nil), ("0", "self", nil), ("-5", "self", nil),
            ("+5", "self", nil), ("5s", "self", nil), ("18446744073709551615", "self", nil),
            ("20000000", "x", nil),
        ] as [(String, String, Int64?)])
    func watchdog(interval: String, pid: String, expected: Int64?) async {
        await #expect(processExitsWith: .success) {
            [interval = interval as String, pid = pid as String, expected = expected as Int64?] in
            Environment.set("WATCHDOG_USEC", to: interval)
            Environment.set("WATCHDOG_PID", to: pid == "self" ? "\(getpid())" : pid)
            try #require(ServiceManager.watchdogInterval == expected)
        }
    }

    @Test("the journal is known by the file that standard error is")
    func journal() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .exitCode(0)) { [path = folder("err") as String] in
            let file = try Files.open(path, [.readWrite, .create])
            let status = try file.status()
            try Files.place(file, at: 2)
            let right = "\(status.device):\(status.inode)"
            for (value, expected) in [
                (right, true), ("\(status.device):1", false), ("1:\(status.inode)", false),
                ("", false), ("x", false), (":", false), (right + "x", false),
            ] {
                Environment.set("JOURNAL_STREAM", to: value)
                if ServiceManager.journalIsConnected != expected { exit(1) }
            }
            exit(0)
        }
    }
}
