import Glibc
import LinuxSystem
import Testing

@Suite struct ChildProcessTests {
    private static let shell = "/bin/sh"

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Waits until a script has said that it is done.
    private func wait(for name: String) throws -> String {
        for _ in 0..<1000 {
            if (try? FileStatus.of(path: folder(name), following: false)) != nil {
                return try folder.text(name)
            }
            usleep(10_000)
        }
        throw Errno.timedOut
    }

    @Test(
        "a detached child has no descriptor of ours, passed ones as number 3",
        arguments: [false, true])
    func descriptors(passes: Bool) throws {
        // Without close-on-exec, as a careless caller has them.
        let careless = fcntl(try Files.open("/dev/zero", .readOnly).rawValue, F_DUPFD, 50)
        defer { close(careless) }
        let pipe = try Files.pipe()
        try pipe.readEnd.setInherited(true)
        let script = """
            (ls -l /proc/$$/fd > '\(folder("t"))')
            [ -e /proc/$$/fd/3 ] && echo ready >&3
            mv '\(folder("t"))' '\(folder("done"))'
            """
        let pid = try ChildProcess.startDetached(
            Self.shell, arguments: ["-c", script], environment: ["PATH=/usr/bin:/bin"],
            passing: passes ? pipe.writeEnd.rawValue : nil)
        let lines = try wait(for: "done").split(separator: "\n").map(String.init)
        #expect(try ChildProcess.wait(for: pid) == 0)
        var found = [String]()
        for line in lines where line.contains(" -> ") {
            let words = line.split(separator: " ")
            // A shell may keep descriptors of its own from 10 on.
            if let number = Int(words[words.count - 3]), number < 10 {
                found.append("\(number) \(words[words.count - 1].prefix { $0 != ":" })")
            }
        }
        let standard = ["0 /dev/null", "1 /dev/null", "2 /dev/null"]
        #expect(found == (passes ? standard + ["3 pipe"] : standard))
        #expect(!lines.contains { $0.contains("/dev/zero") || $0.contains("socket:") })
        if passes {
            try pipe.writeEnd.close()
            let said = try pipe.readEnd.readWhole(limit: 100)
            #expect(String(decoding: said, as: UTF8.self) == "ready\n")
        }
    }

    @Test("a descriptor passed is the right one, whatever its number", arguments: [0, 1, 2, 3, 60])
    func passedNumbers(number: Int32) async throws {
        await #expect(processExitsWith: .exitCode(0)) { [number = number as Int32] in
            try takeNumbers()
            let pipe = try Files.pipe()
            let source = fcntl(pipe.readEnd.rawValue, F_DUPFD_CLOEXEC, 100)
            let target = fcntl(pipe.writeEnd.rawValue, F_DUPFD_CLOEXEC, 100)
            guard dup2(target, number) == number,
                fcntl(number, F_SETFD, FD_CLOEXEC) == 0
            else { exit(1) }
            let pid = try ChildProcess.startDetached(
                "/bin/sh", arguments: ["-c", "echo ready >&3"], environment: [], passing: number)
            close(number)
            var room = [UInt8](repeating: 0, count: 10)
            var span = room.mutableSpan
            guard try Files.read(source, into: &span) == 6 else { exit(2) }
            exit(try ChildProcess.wait(for: pid))
        }
    }

    @Test("a detached child leads a session at the root, with every signal as it comes")
    func detachment() async throws {
        await #expect(processExitsWith: .exitCode(0)) {
            [temporary = folder("t") as String, done = folder("done") as String] in
            // What would be inherited otherwise.
            signal(SIGTERM, SIG_IGN)
            ProcessHardening.ignoreBrokenPipes()
            _ = try SignalDescriptor([SIGINT, SIGUSR1])
            let script = """
                { cat /proc/$$/stat; pwd; grep Sig /proc/self/status; env; } > '\(temporary)'
                mv '\(temporary)' '\(done)'
                """
            let pid = try ChildProcess.startDetached(
                "/bin/sh", arguments: ["-c", script],
                environment: ["PATH=/usr/bin:/bin", "ONLY=this"])
            exit(try ChildProcess.wait(for: pid))
        }
        let lines = try wait(for: "done").split(separator: "\n").map(String.init)
        let stat = lines[0].split(separator: " ")
        // pid, process group, session, terminal: proc(5).
        #expect(stat[0] == stat[4] && stat[0] == stat[5] && stat[6] == "0")
        #expect(lines[1] == "/")
        #expect(lines.contains("SigBlk:\t0000000000000000"))
        // Signals 32 and 33 are the C library's own, and it leaves them alone.
        let ignored = lines.first { $0.hasPrefix("SigIgn:\t") }.flatMap {
            UInt64($0.dropFirst(8), radix: 16)
        }
        #expect(ignored.map { $0 & ~0x1_8000_0000 } == 0)
        #expect(lines.contains("ONLY=this"))
        #expect(!lines.contains { $0.hasPrefix("HOME=") })
    }

    @Test("a program that cannot be started is an error")
    func unstartable() throws {
        try folder.write("text", "no program")
        func start(_ path: String) throws(Errno) -> Int32 {
            try ChildProcess.startDetached(path, arguments: [], environment: [])
        }
        #expect(throws: Errno.notFound) { try start(folder("none")) }
        #expect(throws: Errno.permissionDenied) { try start(folder("text")) }
        #expect(throws: Errno.permissionDenied) { try start(folder.path) }
        #expect(throws: Errno.invalidArgument) { try start("/bin/sh\0x") }
    }

    @Test(
        "the exit status of a command is told, death by signal included",
        arguments: [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)]
            as [(String, Int32)])
    func statuses(script: String, status: Int32) throws {
        let null = try Files.open("/dev/null", .readWrite)
        let result = try ChildProcess.run(
            Self.shell, arguments: ["-c", script], environment: [], input: null.rawValue,
            output: null.rawValue, error: null.rawValue)
        #expect(result == status)
    }

    @Test("a command reads and writes the descriptors that it is given, in any order")
    func standardDescriptors() async throws {
        await #expect(processExitsWith: .exitCode(0)) { [path = folder.path as String] in
            try takeNumbers()
            let input = try Files.open(path + "/in", [.readWrite, .create])
            try StandardStream.print("hello", to: input.rawValue)
            lseek(input.rawValue, 0, SEEK_SET)
            let output = try Files.open(path + "/out", [.writeOnly, .create])
            let error = try Files.open(path + "/err", [.writeOnly, .create])
            // The worst case: each is where another shall be.
            guard dup2(input.rawValue, 2) == 2, dup2(output.rawValue, 0) == 0,
                dup2(error.rawValue, 1) == 1
            else { exit(1) }
            exit(
                try ChildProcess.run(
                    "/bin/sh", arguments: ["-c", "cat; echo oops >&2"],
                    environment: ["PATH=/usr/bin:/bin"], input: 2, output: 0, error: 1))
        }
        #expect(try folder.text("out") == "hello")
        #expect(try folder.text("err") == "oops\n")
    }

    @Test("a command replaces the process, found in PATH, with its arguments as they are")
    func replaces() async {
        let result = await #expect(
            processExitsWith: .exitCode(5), observing: [\.standardOutputContent]
        ) {
            Environment.set("A_TEST", to: "kept")
            _ = ChildProcess.replaceThisProcess(
                "sh",
                arguments: ["-c", "printf '%s|' \"$0\" \"$@\" \"$A_TEST\"; exit 5", "a b", "", "账"])
            exit(1)
        }
        let text = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
        #expect(text == "a b||账|kept|")
    }

    @Test("an environment that is given is all that there is")
    func replacesEnvironment() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            Environment.set("A_TEST", to: "gone")
            _ = ChildProcess.replaceThisProcess(
                "/usr/bin/env", arguments: [], environment: ["ONE=1", "TWO=2"])
            exit(1)
        }
        let text = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
        #expect(text == "ONE=1\nTWO=2\n")
    }

    @Test("a secret variable replaces what had its name, and nothing with a similar one")
    func secretVariable() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            Environment.set("TOKEN", to: "old")
            Environment.set("TOKEN_X", to: "kept")
            exit(replace(entry: Array("TOKEN=new=value\0".utf8)).rawValue)
        }
        let text = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
        #expect(text == "TOKEN=new=value\nTOKEN_X=kept\n")
    }

    @Test(
        "a command that cannot be run is told from one that is not found",
        arguments: [
            ("no-such-command-anywhere", Errno.notFound), ("/nonexistent/x", .notFound),
            ("/etc/passwd", .permissionDenied), ("/tmp", .permissionDenied), ("", .notFound),
        ])
    func unrunnable(command: String, errno: Errno) async {
        await #expect(processExitsWith: .success) {
            [command = command as String, number = errno.rawValue as Int32] in
            let error = ChildProcess.replaceThisProcess(command, arguments: [])
            try #require(error.rawValue == number)
        }
    }

    @Test("a file gets the number that a command expects it at", arguments: [60, 200, -1])
    func placed(number: Int32) async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) { [number = number as Int32] in
            let file = try Files.sealedMemory(named: "token", contents: Array("abc".utf8).span)
            let place = number < 0 ? file.rawValue : number
            try Files.place(file, at: place)
            _ = ChildProcess.replaceThisProcess(
                "sh", arguments: ["-c", "cat /dev/fd/\(place)"])
            exit(1)
        }
        let text = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }
        #expect(text == "abc")
    }

    @Test("the running program's path is known")
    func executable() throws {
        #expect(try FileStatus.of(path: ChildProcess.executablePath(), following: false).size > 0)
    }
}

private func replace(entry: [UInt8]) -> Errno {
    ChildProcess.replaceThisProcess(
        "sh", arguments: ["-c", "env | grep ^TOKEN | sort"], setting: "TOKEN", entry: entry.span)
}
