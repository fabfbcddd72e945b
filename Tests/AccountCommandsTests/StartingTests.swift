import Foundation
import LinuxSystem
import Testing

@testable import AccountCommands

@Suite struct StartingTests {
    @Test("a daemon that is started gets only the variables that say where things are")
    func environment() {
        let kept = DaemonStarter.kept(of: [
            "HOME=/home/u", "PATH=/bin", "XDG_RUNTIME_DIR=/run/user/1", "XDG_STATE_HOME=/s",
            "ACCOUNT_STATE_DIR=/a", "ACCOUNT_SOCKET=/b", "LD_PRELOAD=/evil.so", "TOKEN=secret",
            "HOMEX=1", "PATHS=2", "STATE_DIRECTORY=/c", "INVOCATION_ID=1", "NOTIFY_SOCKET=/d",
        ])
        #expect(
            kept == [
                "HOME=/home/u", "PATH=/bin", "XDG_RUNTIME_DIR=/run/user/1", "XDG_STATE_HOME=/s",
                "ACCOUNT_STATE_DIR=/a",
            ])
        #expect(DaemonStarter.environment().last == "SWIFT_BACKTRACE=enable=no")
    }

    @Test("systemctl is told where the manager is, whatever the environment says")
    func managerEnvironment() {
        let all = ["HOME=/home/u", "XDG_RUNTIME_DIR=/run/user/0", "XDG_DATA_HOME=/d", "LANG=C"]
        #expect(
            UserManager.environment(of: all, runtime: "/run/user/1") == [
                "HOME=/home/u", "XDG_DATA_HOME=/d", "XDG_RUNTIME_DIR=/run/user/1",
            ])
        #expect(UserManager.environment(of: ["A=b"], runtime: nil) == [])
    }

    @Test("a store is one's own if its directory is, or would be made where one may")
    func owner() throws {
        let directory = try TemporaryDirectory()
        let uid = Users.currentUID
        let here = StoreLocation(path: directory.path, isChosen: true)
        let below = StoreLocation(path: directory.path + "/a/b", isChosen: true)
        #expect(here.isOwn(uid: uid))
        #expect(below.isOwn(uid: uid))
        #expect(!here.isOwn(uid: uid + 1))
        // In root's directories anyone may try; in other users' nobody.
        #expect(below.isOwn(uid: uid + 1) == (uid == 0))
        #expect(StoreLocation(path: "/nonexistent/a", isChosen: true).isOwn(uid: uid + 1))
        #expect(StoreLocation(path: "/proc", isChosen: true).isOwn(uid: 1000) == false)
    }

    @Test("a store that is named relatively is meant from here")
    func relative() throws {
        let here = FileManager.default.currentDirectoryPath
        #expect(try StoreLocation.absolute("a/b") == here + "/a/b")
        #expect(try StoreLocation.absolute("/a/") == "/a")
        #expect(try StoreLocation.absolute("/") == "/")
    }

    @Test("the first directory that has the unit decides, and a link to /dev/null masks it")
    func unit() throws {
        let first = try TemporaryDirectory()
        let second = try TemporaryDirectory()
        #expect(!UserManager.offersUnit(in: [first.path, second.path]))
        _ = try second.file("accountd.socket", "[Socket]\n")
        #expect(UserManager.offersUnit(in: [first.path, second.path]))
        try FileManager.default.createSymbolicLink(
            atPath: first.path + "/accountd.socket", withDestinationPath: "/dev/null")
        #expect(!UserManager.offersUnit(in: [first.path, second.path]))
        #expect(UserManager.offersUnit(in: [second.path, first.path]))
    }

    // A child that nobody waits for keeps the exit tests of other suites from seeing theirs.
    private func reap(_ pipe: borrowing ReadinessPipe) {
        kill(pipe.pid, SIGKILL)
        _ = try? ChildProcess.wait(for: pipe.pid)
    }

    struct Program: CustomTestStringConvertible {
        let script: String
        let line: String
        var testDescription: String { script }
    }

    @Test(
        "what a program says on its pipe is read up to the line's end or its own end",
        arguments: [
            Program(script: "echo ready >&3; exec 3>&-; sleep 1", line: "ready"),
            Program(script: "printf 'held by 1' >&3", line: "held by 1"),
            Program(script: "echo one >&3; echo two >&3", line: "one"),
            Program(
                script: "printf re >&3; sleep 0.1; printf 'ady\\n' >&3; sleep 1", line: "ready"),
            Program(script: "true", line: ""),
            Program(
                script: "head -c 5000 /dev/zero | tr '\\0' x >&3",
                line: String(repeating: "x", count: 1024)),
        ])
    func readiness(_ program: Program) throws {
        let pipe = try ReadinessPipe(
            starting: "/bin/sh", arguments: ["-c", program.script],
            environment: ["PATH=/bin:/usr/bin"])
        defer { reap(pipe) }
        #expect(try pipe.readLine(timeout: 10) == program.line)
    }

    @Test("a program that says nothing is waited for no longer than told")
    func silence() throws {
        let pipe = try ReadinessPipe(
            starting: "/bin/sh", arguments: ["-c", "sleep 3"], environment: ["PATH=/bin:/usr/bin"])
        defer { reap(pipe) }
        #expect(throws: Errno.timedOut) { try pipe.readLine(timeout: 1) }
    }
}
