import Foundation
import Testing

/// The daemon under a service manager, which a test plays. sd_listen_fds(3), sd_notify(3)
@Suite(.needsPrograms, .timeLimit(.minutes(1)))
struct ServiceManagerTests {
    /// Starts the daemon with a listening socket as descriptor 3.
    private func start(
        _ home: Home, _ listener: TestSocket, adding: [String: String] = [:]
    ) throws -> pid_t {
        let log = try #require(FileHandle(forWritingAtPath: "/dev/null")).fileDescriptor
        var environment = home.environment
        environment["LISTEN_FDS"] = "1"
        environment["LISTEN_FDNAMES"] = "varlink"
        environment.merge(adding) { _, other in other }
        return try Launch.start(
            [
                "/bin/sh", "-c", "LISTEN_PID=$$ WATCHDOG_PID=$$ exec \"$0\" --state \"$1\"",
                home.programs + "/accountd", home.state,
            ], environment: environment,
            passing: [(log, 0), (log, 1), (log, 2), (listener.descriptor, 3)])
    }

    private func end(_ pid: pid_t, _ signal: Int32 = SIGTERM) -> Int32? {
        kill(pid, signal)
        return Launch.wait(pid, until: Date(timeIntervalSinceNow: 10))
    }

    @Test("a socket that is passed is served, found by way of the store, and left behind")
    func passedSocket() throws {
        try Home.with { home in
            let path = home.path + "/passed"
            let listener = try TestSocket.listening(at: path)
            let pid = try start(home, listener)
            // A call that comes before the daemon is ready waits in the socket.
            let login = try home.account("login", "--socket", path, input: TokenText.response())
            #expect(login.status == 0, "\(login.errors)")
            #expect(try home.account("token").output == TokenText.token + "\n")
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: home.socket) == path)
            #expect(end(pid) == 0)
            #expect(FileManager.default.fileExists(atPath: path))
            // The next one takes the same socket over.
            let next = try start(home, listener)
            #expect(try home.account("token").output == TokenText.token + "\n")
            #expect(end(next) == 0)
        }
    }

    @Test("the variables of a socket that was passed to another process are not believed")
    func foreignVariables() throws {
        try Home.with { home in
            let pid = try home.startDaemon(adding: ["LISTEN_FDS": "1", "LISTEN_PID": "1"])
            #expect(try home.account("status").status == 0)
            #expect(end(pid) == 0)
        }
    }

    @Test("one that is given the store of a daemon that still ends waits for it")
    func takeOver() throws {
        try Home.with { home in
            let path = home.path + "/passed"
            let listener = try TestSocket.listening(at: path)
            let first = try start(home, listener)
            #expect(try home.account("token", "--socket", path).status == 3)
            let second = try start(home, listener)
            usleep(300_000)
            #expect(ProcessTable.isRunning(second))
            #expect(end(first) == 0)
            #expect(try home.account("token", "--socket", path).status == 3)
            #expect(end(second) == 0)
        }
    }

    @Test("one that a command started leaves the store to one that is passed a socket")
    func commandsDaemon() throws {
        try Home.with { home in
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            let first = try #require(home.daemon)
            let path = home.path + "/passed"
            let listener = try TestSocket.listening(at: path)
            let second = try start(home, listener)
            let token = try home.account("token", "--socket", path)
            #expect(token.output == TokenText.token + "\n", "\(token.errors)")
            #expect(!ProcessTable.isRunning(first))
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: home.socket) == path)
            #expect(end(second) == 0)
        }
    }

    @Test("a socket in the store that was passed is nobody's to take away")
    func passedSocketInStore() throws {
        try Home.with { home in
            try home.makeFolder(home.state)
            let listener = try TestSocket.listening(at: home.socket)
            let first = try start(home, listener)
            #expect(try home.account("token").status == 3)
            let second = try start(home, listener)
            usleep(300_000)
            #expect(ProcessTable.isRunning(first))
            #expect(end(first) == 0)
            #expect(try home.account("token").status == 3)
            #expect(end(second) == 0)
        }
    }

    @Test("the manager hears that the daemon is ready, lives, and stops")
    func notifications() throws {
        try Home.with { home in
            let manager = try TestSocket.receiving(at: home.path + "/notify")
            let pid = try home.startDaemon(
                adding: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "400000"])
            #expect(manager.receive(within: 5) == "READY=1\nSTATUS=Serving \(home.socket)")
            for _ in 1...3 { #expect(manager.receive(within: 5) == "WATCHDOG=1") }
            kill(pid, SIGTERM)
            var last = manager.receive(within: 5)
            while last == "WATCHDOG=1" { last = manager.receive(within: 5) }
            #expect(last == "STOPPING=1")
            #expect(home.status(ofDaemon: pid) == 0)
        }
    }

    @Test("the manager is told why the daemon does not start")
    func failure() throws {
        try Home.with { home in
            let manager = try TestSocket.receiving(at: home.path + "/notify")
            try home.makeFolder(home.state)
            try home.setMode(0o770, of: home.state)
            let result = try home.run(
                [home.programs + "/accountd"], adding: ["NOTIFY_SOCKET": manager.path])
            #expect(result.status == 1)
            let why =
                "the state directory cannot be used: \(home.state) has mode 0770, which lets others "
                + "in; 0700 is wanted"
            #expect(result.errors == "accountd: \(why)\n")
            #expect(manager.receive(within: 5) == "STATUS=\(why)")
        }
    }

    @Test("a manager that nobody serves, or whose address is nonsense, stops nothing")
    func deafManager() throws {
        for address in ["/nowhere/notify", "@", "relative", "vsock:2:1"] {
            try Home.with { home in
                try home.startDaemon(adding: ["NOTIFY_SOCKET": address])
                #expect(try home.account("status").status == 0)
            }
        }
    }

    @Test(
        "the daemon's command line is checked",
        arguments: [
            (["--frobnicate"], "--frobnicate is not an option of accountd"),
            (["--socket"], "--socket needs a value"),
            (["--socket="], "--socket needs a value"),
            (["--verbose=1"], "--verbose takes no value, or is unknown"),
            (["--secret-memory", "heap"], "--secret-memory is auto, memfd or locked, not heap"),
            (["--ready-fd", "2"], "--ready-fd is a descriptor above 2, not 2"),
            (["extra"], "extra is not an option of accountd"),
        ])
    func commandLine(_ options: [String], _ message: String) throws {
        try Home.with { home in
            let result = try home.run([home.programs + "/accountd"] + options)
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
            #expect(
                result.errors
                    == "accountd: \(message)\naccountd: hint: accountd --help lists the options\n")
        }
    }

    @Test("groups that are not there keep the daemon from starting, and are named")
    func groups() throws {
        try Home.with { home in
            let result = try home.run([
                home.programs + "/accountd", "--readers", "no-such-group", "--state", home.state,
            ])
            #expect(result.status == 1)
            #expect(
                result.errors
                    == "accountd: there is no group no-such-group, which --readers names\n")
        }
    }
}
