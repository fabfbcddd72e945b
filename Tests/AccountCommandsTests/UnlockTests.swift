import Foundation
import LinuxSystem
import Testing

@testable import AccountCommands

/// What opens a store where nobody can be asked: tests have neither a terminal nor a display.
@Suite struct UnlockTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("the lock is told to the daemon")
    func lock() throws {
        let daemon = try FakeDaemon(FakeDaemon.present(but: FakeDaemon.keys))
        let run = try CommandRun(["lock", "--socket", daemon.socket])
        #expect(run.status == .done && run.output == "Locked.\n" && run.errors.isEmpty)
        #expect(daemon.received.last == #"{"method":"org.accountd.Account.Lock","parameters":{}}"#)
    }

    @Test("a store that opens by itself is not locked, which is exit 6")
    func lockRefused() throws {
        let daemon = try FakeDaemon(
            FakeDaemon.present(but: [
                "Lock":
                    #"{"error":"org.accountd.Account.OpensByItself","parameters":{"protection":["keyfile"]}}"#
            ]))
        let run = try CommandRun(["lock", "--socket", daemon.socket])
        #expect(run.status == .notPermitted && run.output.isEmpty)
    }

    @Test(
        "a passphrase is sent as it stands, without one line's end",
        arguments: [
            ("pass", "pass"), ("pass\n", "pass"), ("pass\r\n", "pass"), ("pass\n\n", #"pass\n"#),
            ("\n\n", #"\n"#), (" a \"b\" ", #" a \"b\" "#), ("账户", "账户"),
            (String(repeating: "a", count: 1024) + "\r\n", String(repeating: "a", count: 1024)),
        ])
    func file(text: String, sent: String) throws {
        let daemon = try FakeDaemon.locked()
        let path = try directory.file("passphrase", text)
        let call =
            #"{"method":"org.accountd.Account.Unlock","parameters":{"passphrase":"\#(sent)"}}"#
        for words in [["--passphrase-file", path], ["--passphrase-fd", "0"]] {
            let run = try CommandRun(["unlock", "--socket", daemon.socket] + words, input: path)
            #expect(run.status == .done && run.output == "Unlocked.\n" && run.errors.isEmpty)
            #expect(daemon.received.last == call)
        }
    }

    @Test("a descriptor is closed once it is read")
    func descriptor() throws {
        let daemon = try FakeDaemon.locked()
        let file = try Files.open(directory.file("passphrase", "pass"), .readOnly)
        let number = try file.duplicate().release()
        let run = try CommandRun([
            "unlock", "--passphrase-fd", "\(number)", "--socket", daemon.socket,
        ])
        #expect(run.status == .done)
        #expect(fcntl(number, F_GETFD) == -1 || FileStatusOf.isAnother(number, than: file.rawValue))
    }

    @Test(
        "what cannot be a passphrase is exit 8, and no byte of it is said",
        arguments: [
            (Array("".utf8), "is empty"), (Array("\n".utf8), "is empty"),
            (Array("\r\n".utf8), "is empty"),
            ([UInt8](repeating: 0x71, count: 1025), "is longer than 1024 bytes"),
            ([UInt8](repeating: 0x71, count: 100_000), "is longer than 1024 bytes"),
            (Array("qq\0qq".utf8), "has a NUL in it"), ([0x71, 0xFF, 0x71], "is not UTF-8"),
            ([0x71, 0xED, 0xA0, 0x80], "is not UTF-8"),
        ])
    func rejected(bytes: [UInt8], reason: String) throws {
        let daemon = try FakeDaemon.locked()
        let path = directory.path + "/bytes"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let run = try CommandRun([
            "unlock", "--passphrase-file", path, "--socket", daemon.socket,
        ])
        #expect(run.status == .inputRejected)
        #expect(run.errors == "account: the passphrase in \(path) \(reason)\n")
        #expect(daemon.received.isEmpty)
    }

    @Test("files that have no end, or are none, are exit 8 or 9, and never a hang")
    func otherFiles() throws {
        let daemon = try FakeDaemon.locked()
        func status(_ path: String) throws -> Status {
            try CommandRun([
                "unlock", "--passphrase-file", path, "--timeout", "1", "--socket", daemon.socket,
            ]).status
        }
        #expect(try status("/dev/zero") == .inputRejected)
        #expect(try status("/dev/null") == .inputRejected)
        #expect(try status(directory.path) == .systemRefused)
        #expect(try status(directory.path + "/missing") == .systemRefused)
        let fifo = directory.path + "/fifo"
        makeFIFO(fifo)
        #expect(try status(fifo) == .timedOut)
        #expect(daemon.received.isEmpty)
    }

    @Test("a FIFO is read to its end, however late that comes")
    func fifo() throws {
        let daemon = try FakeDaemon.locked()
        let fifo = directory.path + "/fifo"
        makeFIFO(fifo)
        Thread.detachNewThread {
            usleep(100_000)
            guard let file = try? Files.open(fifo, .writeOnly) else { return }
            for part in ["pa", "ss\n"] {
                try? Files.writeAll(file.rawValue, Array(part.utf8).span)
                usleep(100_000)
            }
        }
        let run = try CommandRun(["unlock", "--passphrase-file", fifo, "--socket", daemon.socket])
        #expect(run.status == .done)
        #expect(daemon.received.last?.contains(#""passphrase":"pass""#) == true)
    }

    @Test("a wrong passphrase from a file is exit 6 at once")
    func wrong() throws {
        let daemon = try FakeDaemon.locked(rightPassphrase: "right")
        let path = try directory.file("passphrase", "wrong")
        let run = try CommandRun([
            "unlock", "--passphrase-file", path, "--socket", daemon.socket,
        ])
        #expect(run.status == .notPermitted)
        #expect(run.errors.hasPrefix("account: the passphrase is wrong\n"))
        #expect(daemon.received.filter { $0.contains("Unlock") }.count == 1)
    }

    @Test("a recovery code is read from the same places")
    func recoveryCode() throws {
        let daemon = try FakeDaemon.locked()
        let path = try directory.file("code", "0000-1111\n")
        let run = try CommandRun([
            "unlock", "--recovery-code", "--passphrase-file", path, "--socket", daemon.socket,
        ])
        #expect(run.status == .done)
        #expect(daemon.received.last?.contains(#""recovery_code":"0000-1111""#) == true)
    }

    @Test(
        "a locked store is exit 4 with what to do, where nobody may be asked",
        arguments: [
            ["token"], ["check"], ["header"], ["expires"], ["show"], ["unlock"], ["key", "rotate"],
            ["key", "remove", "00"], ["key", "add", "keyfile"], ["logout", "--if-uid", "1"],
        ])
    func nobody(words: [String]) throws {
        let daemon = try FakeDaemon.locked()
        let run = try CommandRun(words + ["--no-input", "--socket", daemon.socket])
        #expect(run.status == .locked && run.output.isEmpty)
        #expect(
            run.errors == """
                account: the store is locked, and --no-input forbids to ask for it
                hint: give it with account unlock --passphrase-fd N or --passphrase-file FILE

                """)
        #expect(!daemon.received.contains { $0.contains("Unlock") })
    }

    @Test(
        "what opens a store by itself is tried once, and the command runs again",
        arguments: [["token"], ["check"], ["show"], ["key", "rotate"], ["unlock"]])
    func byItself(words: [String]) throws {
        let daemon = try FakeDaemon.locked(["keyfile"])
        let run = try CommandRun(words + ["--no-input", "--socket", daemon.socket])
        #expect(run.status == .done, "\(run.errors)")
        let unlocks = daemon.received.filter { $0.contains("Unlock") }
        #expect(unlocks == [#"{"method":"org.accountd.Account.Unlock","parameters":{}}"#])
    }

    @Test(
        "a key that is not there is exit 4 with what to do",
        arguments: [
            (
                ["keyfile"], "the key that opens it is not there",
                "account doctor says which key that is; once it is back: account unlock"
            ),
            (
                ["keyfile", "recovery"], "the key that opens it is not there",
                "account doctor says which key that is; without it: account unlock --recovery-code"
            ),
            (
                ["credential"], "the service manager's credential that opens it is not there",
                "account doctor says which key that is; once it is back: account unlock"
            ),
        ])
    func keyMissing(protection: [String], reason: String, hint: String) throws {
        let daemon = try FakeDaemon([
            "GetStatus": FakeDaemon.status("locked", protection), "GetToken": FakeDaemon.isLocked,
            "Unlock": FakeDaemon.isLocked,
        ])
        let run = try CommandRun(["token", "--socket", daemon.socket])
        #expect(run.status == .locked)
        #expect(run.errors == "account: the store is locked: \(reason)\nhint: \(hint)\n")
    }

    @Test("whoever does not own the store is not asked for its passphrase")
    func reader() throws {
        let daemon = try FakeDaemon.locked(role: "reader")
        let run = try CommandRun(["token", "--socket", daemon.socket])
        #expect(run.status == .locked)
        #expect(run.errors == "account: the store is locked\nhint: open it: account unlock\n")
        #expect(!daemon.received.contains { $0.contains("Unlock") })
    }
}

private func makeFIFO(_ path: String) {
    // SAFETY: the path lives for the call.
    unsafe mkfifo(path, 0o600)
}

private enum FileStatusOf {
    // Another test may have been given the number since.
    static func isAnother(_ number: Int32, than file: Int32) -> Bool {
        guard let one = try? FileStatus.of(fd: number), let other = try? FileStatus.of(fd: file)
        else { return true }
        return !one.isSameFile(as: other)
    }
}
