import Foundation
import Testing

/// The daemon that `account` starts by itself.
@Suite(.needsPrograms, .timeLimit(.minutes(1)))
struct StartingTests {
    /// Exits with 3: nobody is logged in.
    private static let ask = "x=$(account token); echo \"status $?, output '$x'\""
    /// Seconds within which a daemon starts on any machine, be it as busy as it may.
    ///
    /// One that holds something of its caller's open holds it for good: every limit finds it.
    private static let patience = 30

    @Test("a substitution that starts the daemon does not wait for it to end")
    func substitution() throws {
        try Home.with { home in
            let result = try home.shell(
                "timeout \(Self.patience) sh -c '\(Self.ask)'".replacing("'$x'", with: "$x"))
            #expect(result.output == "status 3, output \n")
            #expect(home.daemon != nil)
        }
    }

    @Test("the daemon keeps no descriptor of its caller's open")
    func descriptors() throws {
        try Home.with { home in
            // The output's other end sees the end only when nobody holds 9 any more.
            let result = try home.shell(
                "exec 9>&1 8>&2; timeout \(Self.patience) sh -c 'x=$(account token 2>/dev/null)'; "
                    + "echo $?", timeout: 40)
            #expect(result.output == "3\n")
            // Of a process that refuses to be traced, root alone sees more.
            guard geteuid() == 0 else { return }
            let pid = try #require(home.daemon)
            let descriptors = ProcessTable.descriptors(pid)
            for number in 0...2 { #expect(descriptors[number] == "/dev/null") }
            for (number, target) in descriptors where number > 2 {
                let isOwn =
                    target == "/dev/null" || target == home.state || target == home.state + "/lock"
                    || target.hasPrefix("socket:") || target.hasPrefix("anon_inode:")
                    || target.hasPrefix("/secretmem") || target == "/proc/\(pid)/mountinfo"
                #expect(isOwn, "descriptor \(number) leads to \(target)")
            }
        }
    }

    @Test(
        "the daemon takes what says where things are from the environment, and nothing else",
        .needsRoot)
    func environment() throws {
        try Home.with { home in
            let secret = "2.00secretOfTheEnvironment"
            _ = try home.account(
                "token",
                adding: [
                    "WEIBO_TOKEN": secret, "LANG": "de_DE.UTF-8", "LD_DEBUG_OUTPUT": home.path,
                    "XDG_DATA_HOME": home.path + "/data", "SWIFT_BACKTRACE": "enable=yes",
                    "NOTIFY_SOCKET": home.path + "/none", "LISTEN_FDS": "1",
                ])
            let pid = try #require(home.daemon)
            let variables = Set(ProcessTable.words(pid, "environ"))
            #expect(
                variables == [
                    "HOME=\(home.path)", "PATH=\(home.environment["PATH"] ?? "")",
                    "ACCOUNT_STATE_DIR=\(home.state)", "XDG_DATA_HOME=\(home.path)/data",
                    "SWIFT_BACKTRACE=enable=no",
                ])
        }
    }

    @Test(
        "the daemon leads a session of its own and outlives its caller's terminal", .needs("script")
    )
    func terminal() throws {
        try Home.with { home in
            // When script ends, the terminal hangs up.
            let result = try home.shell("script -qec 'account check' /dev/null </dev/null")
            #expect(result.status == 3)
            let pid = try #require(home.daemon)
            #expect(getsid(pid) == pid)
            if geteuid() == 0 {
                let directory = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(pid)/cwd")
                #expect(directory == "/")
            }
            kill(pid, SIGHUP)
            usleep(100_000)
            #expect(home.daemon == pid)
            #expect(try home.account("status").status == 0)
        }
    }

    @Test("twenty starts at once leave one daemon")
    func twenty() throws {
        try Home.with { home in
            let result = try home.shell(
                """
                for i in $(seq 20); do
                    (account check >/dev/null 2>&1; echo $?) &
                done
                wait
                """)
            #expect(result.output == String(repeating: "3\n", count: 20))
            #expect(result.errors.isEmpty)
            let daemons = home.daemons
            #expect(daemons.count == 1)
            #expect(daemons.first == home.daemon)
        }
    }

    @Test("twenty starts at once over a killed daemon's socket leave one daemon")
    func twentyAfterKill() throws {
        try Home.with { home in
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            let result = try home.shell(
                """
                kill -9 "$(cat "$ACCOUNT_STATE_DIR/lock")"
                for i in $(seq 20); do
                    (account token 2>&1; echo $?) &
                done
                wait
                """)
            let lines = result.output.split(separator: "\n")
            #expect(lines.filter { $0 == TokenText.token }.count == 20)
            #expect(lines.filter { $0 == "0" }.count == 20)
            #expect(ProcessTable.wait { home.daemons.count == 1 })
        }
    }

    @Test(
        "cron and a login session find the same daemon", .needsUnusedPlaces,
        arguments: [true, false])
    func cron(_ sessionIsFirst: Bool) throws {
        try Home.with(.session) { home in
            let session: [String: String] = [:]
            let cron = ["XDG_RUNTIME_DIR": ""]
            let (first, second) = sessionIsFirst ? (session, cron) : (cron, session)
            let login = try home.account("login", input: TokenText.response(), adding: first)
            #expect(login.status == 0)
            let daemon = try #require(home.daemon)
            for place in [second, first] {
                #expect(
                    try home.account("token", adding: place).output == TokenText.token + "\n")
            }
            #expect(home.daemons == [daemon])
            // What a killed one has left leads nobody astray.
            for place in [second, first, first, second] {
                try home.endDaemon(SIGKILL)
                #expect(
                    try home.account("token", adding: place).output == TokenText.token + "\n")
                #expect(ProcessTable.wait { home.daemons.count == 1 })
            }
        }
    }

    @Test("inside a unit none is started, and one that runs is used")
    func unit() throws {
        try Home.with { home in
            let unit = ["INVOCATION_ID": "0123456789abcdef0123456789abcdef"]
            let result = try home.account("token", adding: unit)
            #expect(result.status == 5)
            #expect(result.output.isEmpty)
            #expect(
                result.errors == """
                    account: no daemon runs, and none is started from within a unit
                    hint: run it in a unit of its own: accountd --state \(home.state) \
                    --socket \(home.socket)

                    """)
            #expect(home.daemon == nil)
            #expect(try home.account("token").status == 3)
            #expect(try home.account("token", adding: unit).status == 3)
        }
    }

    @Test("a daemon whose socket is taken away ends, and the next command starts another")
    func socketTaken() throws {
        try Home.with { home in
            let log = home.path + "/log"
            let pid = try home.startDaemon(errors: log)
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            try FileManager.default.removeItem(atPath: home.socket)
            #expect(home.status(ofDaemon: pid) == 1)
            let said = try String(contentsOfFile: log, encoding: .utf8)
            #expect(
                said
                    == "accountd: the socket \(home.socket) was taken away; ending, so that another "
                    + "can be made\n")
            #expect(try home.account("token").output == TokenText.token + "\n")
            // And likewise when another file takes its place.
            let next = try #require(home.daemon)
            try FileManager.default.moveItem(atPath: home.socket, toPath: home.path + "/moved")
            #expect(home.hasEnded(next))
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test("a second daemon of a store says who holds it")
    func second() throws {
        try Home.with { home in
            let pid = try home.startDaemon()
            let second = try home.run([
                home.programs + "/accountd", "--state", home.state, "--socket",
                home.path + "/other",
            ])
            #expect(second.status == 1)
            #expect(
                second.errors
                    == "accountd: process \(pid) holds the store \(home.state) already\n")
            #expect(!FileManager.default.fileExists(atPath: home.path + "/other"))
            #expect(try home.account("status").status == 0)
        }
    }

    @Test("what is in the socket's place and is no socket stays there, and is named")
    func noSocket() throws {
        try Home.with { home in
            try home.makeFolder(home.state)
            try Data("precious".utf8).write(to: URL(fileURLWithPath: home.socket))
            let result = try home.account("token")
            #expect(result.status == 5)
            #expect(result.errors.contains(home.socket))
            #expect(try String(contentsOfFile: home.socket, encoding: .utf8) == "precious")
        }
    }

    @Test("a stopped daemon is exit 10, and no second one is started beside it")
    func stopped() throws {
        try Home.with { home in
            let pid = try home.startDaemon()
            kill(pid, SIGSTOP)
            let result = try home.account("token", "--timeout", "1")
            #expect(result.status == 10)
            #expect(
                result.errors == """
                    account: the daemon at \(home.socket) has not answered within 1 s
                    hint: give it more time with --timeout D

                    """)
            #expect(home.daemons == [pid])
            kill(pid, SIGCONT)
            #expect(try home.account("token").status == 3)
        }
    }

    @Test("a path that is too long for a socket's address works all the same")
    func longPath() throws {
        try Home.with { home in
            let deep = home.path + "/" + String(repeating: "d", count: 120)
            let state = ["ACCOUNT_STATE_DIR": deep]
            let login = try home.account("login", input: TokenText.response(), adding: state)
            #expect(login.status == 0, "\(login.errors)")
            #expect(
                try home.account("token", adding: state).output == TokenText.token + "\n")
        }
    }
}
