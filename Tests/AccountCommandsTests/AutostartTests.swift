import Foundation
import LinuxSystem
import Testing

@testable import AccountCommands

/// Runs the built program beside a stand-in for the daemon.
@Suite struct AutostartTests {
    // The test bundle lies in the same directory; there is none when only this target was built.
    private static let program: String? = {
        for place in CommandLine.arguments {
            let path = URL(fileURLWithPath: place).deletingLastPathComponent().path + "/account"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
    }()

    private static let daemon = """
        #!/usr/bin/python3
        import json, os, socket, sys, time
        log = open(os.path.dirname(sys.argv[0]) + "/log", "a")
        log.write(json.dumps([sys.argv[1:], sorted(v.split("=")[0] for v in open("/proc/self/environ").read().split("\\0") if v), os.getsid(0) == os.getpid(),
            [os.readlink("/proc/self/fd/%d" % fd) for fd in (0, 1, 2)]]) + "\\n")
        log.flush()
        assert sys.argv[1:3] == ["--ready-fd", "3"]
        path = sys.argv[sys.argv.index("--socket") + 1]
        SAY
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(9)
        os.write(3, b"ready\\n")
        os.close(3)
        listener.settimeout(5)
        connection, _ = listener.accept()
        connection.recv(9999)
        connection.sendall(b'{"parameters":{"access_token":"2.00abc","uid":"1","expires_at":1}}\\0')

        """

    private struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    private func run(
        _ words: [String], in directory: TemporaryDirectory, saying say: String = "",
        environment: [String: String] = [:], withDaemon: Bool = true
    ) throws -> Result {
        let program = try #require(Self.program)
        let copy = directory.path + "/account"
        try install(program, as: copy)
        if withDaemon {
            let script = try directory.file("script", Self.daemon.replacing("SAY", with: say))
            try install(script, as: directory.path + "/accountd")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: copy)
        process.arguments = words
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": directory.path, "SECRET": "x",
        ].merging(environment) { _, other in other }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // To their ends: a daemon that kept them open would hold this up.
        let outputText = try text(from: output)
        let errorText = try text(from: errors)
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: outputText, errors: errorText)
    }

    // By another process: while this one has a program open for writing, a test that starts something
    // at that moment has it too, and it cannot be run.
    private func install(_ file: String, as program: String) throws {
        let status = try ChildProcess.run(
            "/usr/bin/install", arguments: ["-m", "755", file, program],
            environment: ["PATH=/usr/bin:/bin"])
        try #require(status == 0)
    }

    private func text(from pipe: Pipe) throws -> String {
        let number = pipe.fileHandleForReading.fileDescriptor
        let all = try FileDescriptor(owning: dup(number)).readWhole(limit: 65_536)
        return String(decoding: all, as: UTF8.self)
    }

    @Test(
        "the daemon beside the program is started with a clean environment, and detached",
        .enabled(if: program != nil))
    func starts() throws {
        let directory = try TemporaryDirectory()
        let result = try run(["token", "--state", directory.path], in: directory)
        #expect(result.errors.isEmpty)
        #expect(result.output == "2.00abc\n")
        #expect(result.status == 0)
        let log = try String(contentsOfFile: directory.path + "/log", encoding: .utf8)
        #expect(
            log == #"[["--ready-fd", "3", "--state", "\#(directory.path)", "--socket", "#
                + #""\#(directory.path)/socket"], ["HOME", "PATH", "SWIFT_BACKTRACE"], true, "#
                + #"["/dev/null", "/dev/null", "/dev/null"]]"# + "\n")
    }

    @Test(
        "a daemon that cannot start says why, and that is exit 5", .enabled(if: program != nil))
    func reason() throws {
        let directory = try TemporaryDirectory()
        let result = try run(
            ["token", "--state", directory.path], in: directory,
            saying: "os.write(3, b'the state directory is open to others'); sys.exit(1)")
        #expect(result.status == 5)
        #expect(result.output.isEmpty)
        #expect(
            result.errors.hasPrefix(
                "account: the daemon could not start: the state directory is open to others\n"))
    }

    @Test(
        "a daemon that finds the store held is as good as one that is ready, once the other listens",
        .enabled(if: program != nil))
    func held() throws {
        let directory = try TemporaryDirectory()
        let result = try run(
            ["token", "--state", directory.path], in: directory,
            saying:
                "os.write(3, b'process 1 holds the store X already\\n'); os.close(3); time.sleep(0.5); "
                + "os.open('/dev/null', 1)")
        #expect(result.output == "2.00abc\n")
        #expect(result.status == 0)
    }

    @Test("no daemon is started from within a unit", .enabled(if: program != nil))
    func unit() throws {
        let directory = try TemporaryDirectory()
        let result = try run(
            ["token", "--state", directory.path], in: directory,
            environment: ["INVOCATION_ID": "0123"])
        #expect(result.status == 5)
        #expect(
            result.errors.hasPrefix(
                "account: no daemon runs, and none is started from within a unit\n"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/log"))
    }

    @Test("a daemon in PATH is not looked for", .enabled(if: program != nil))
    func path() throws {
        let directory = try TemporaryDirectory()
        let other = try TemporaryDirectory()
        let script = try other.file("script", "#!/bin/sh\n: > \(other.path)/ran\n")
        try install(script, as: other.path + "/accountd")
        let result = try run(
            ["token", "--state", directory.path], in: directory,
            environment: ["PATH": other.path + ":/usr/bin:/bin"], withDaemon: false)
        #expect(result.status == 5)
        #expect(
            result.errors.hasPrefix(
                "account: no daemon runs, and there is no accountd beside this program\n"))
        #expect(!FileManager.default.fileExists(atPath: other.path + "/ran"))
    }
}
