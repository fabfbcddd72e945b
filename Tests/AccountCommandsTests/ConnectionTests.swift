import Foundation
import LinuxSystem
import Testing

@testable import AccountCommands

@Suite struct ConnectionTests {
    @Test("a socket that is named and where nobody answers is exit 5, and starts no daemon")
    func nobody() throws {
        let directory = try TemporaryDirectory()
        let socket = directory.path + "/socket"
        let run = try CommandRun(["token", "--socket", socket])
        #expect(run.status == .noDaemon)
        #expect(
            run.errors == """
                account: no daemon answers at \(socket)
                hint: start it there: accountd --socket \(socket)

                """)
        // A socket that its daemon has left behind.
        try UnixSocket.listen(at: socket, mode: 0o600, replacingStale: false).close()
        #expect(try CommandRun(["token", "--socket", socket]).errors == run.errors)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["socket"])
    }

    @Test("a daemon that accepts and says nothing is exit 10 once the time is up")
    func silent() throws {
        let daemon = try FakeDaemon([:])
        let start = Date()
        let run = try CommandRun(["token", "--timeout", "1", "--socket", daemon.socket])
        #expect(run.status == .timedOut)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == """
                account: the daemon at \(daemon.socket) has not answered within 1 s
                hint: give it more time with --timeout D

                """)
        #expect((0.9...5).contains(Date().timeIntervalSince(start)))
    }

    @Test("a daemon that closes the connection is exit 5")
    func closing() throws {
        let daemon = try FakeDaemon(["GetToken": ""])
        let run = try CommandRun(["token", "--socket", daemon.socket])
        #expect(run.status == .noDaemon)
        #expect(
            run.errors.hasPrefix(
                "account: the daemon at \(daemon.socket) closed the connection without an answer\n")
        )
        // It only asks, and so it has asked again.
        #expect(daemon.received.count > 1)
    }

    @Test("what changes something is not asked for twice")
    func changing() throws {
        let daemon = try FakeDaemon(FakeDaemon.present(but: ["Logout": ""]))
        let run = try CommandRun(["logout", "--socket", daemon.socket])
        #expect(run.status == .noDaemon)
        #expect(daemon.received.filter { $0.contains("Logout") }.count == 1)
        #expect(
            run.errors.hasSuffix(
                "\nhint: the account may be removed all the same, at once or later: "
                    + "account show says\n"))
    }

    @Test("a change is not sent to a daemon that answers no question")
    func dying() throws {
        let daemon = try FakeDaemon(FakeDaemon.present(but: ["GetStatus": ""]))
        let run = try CommandRun(["logout", "--socket", daemon.socket])
        #expect(run.status == .noDaemon)
        #expect(daemon.received.count > 1)
        #expect(!daemon.received.contains { $0.contains("Logout") })
    }

    @Test("an answer longer than a message may be is refused")
    func endless() throws {
        let daemon = try FakeDaemon(["GetToken": String(repeating: " ", count: 70_000)])
        let run = try CommandRun(["token", "--socket", daemon.socket])
        #expect(run.status == .systemRefused)
        #expect(run.errors == "account: an answer is larger than this program has room for\n")
    }

    @Test("a socket whose path is too long for the kernel is reached all the same")
    func longPath() throws {
        let directory = try TemporaryDirectory()
        let deep = directory.path + "/" + String(repeating: "d", count: 120)
        try FileManager.default.createDirectory(
            atPath: deep, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let daemon = try FakeDaemon(FakeDaemon.present)
        try FileManager.default.createSymbolicLink(
            atPath: deep + "/socket", withDestinationPath: daemon.socket)
        #expect(try CommandRun(["token", "--state", deep]).output == "2.00abc\n")
    }

    @Test("a store that is named is asked by its own socket")
    func store() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = URL(fileURLWithPath: daemon.socket).deletingLastPathComponent().path
        #expect(try CommandRun(["token", "--state", directory]).output == "2.00abc\n")
        #expect(try CommandRun(["token", "--state", directory + "//"]).output == "2.00abc\n")
    }

    @Test(
        "output that cannot be written is exit 9 with the errno",
        arguments: [["token"], ["token", "--json"], ["header"], ["check"], ["show"], ["help"]])
    func fullDisk(_ words: [String]) throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let errorPath = try directory.file("errors", "")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let errors = try #require(FileHandle(forWritingAtPath: errorPath))
        let status = withExtendedLifetime((full, errors)) {
            CommandRun.status(
                words + ["--socket", daemon.socket],
                StandardDescriptors(output: full.fileDescriptor, error: errors.fileDescriptor))
        }
        #expect(status == .systemRefused)
        #expect(
            try String(contentsOfFile: errorPath, encoding: .utf8)
                == "account: cannot write to standard output: No space left on device (ENOSPC)\n")
    }
}
