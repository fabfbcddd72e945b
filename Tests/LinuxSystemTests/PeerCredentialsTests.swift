import Glibc
import LinuxSystem
import Testing

@Suite struct PeerCredentialsTests {
    @Test("both ends are this process")
    func own() throws {
        let pair = try UnixSocket.pair()
        let peer = try PeerCredentials.of(fd: pair.first.rawValue)
        #expect(peer == PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid()))
    }

    @Test("what is no socket has no peer")
    func none() throws {
        let file = try Files.open("/dev/null", .readOnly)
        let number = file.rawValue
        #expect(throws: Errno.notASocket) { try PeerCredentials.of(fd: number) }
        #expect(throws: Errno.notASocket) { try PeerCredentials.groups(of: number) }
    }

    @Test(
        "all groups are told, however many",
        .enabled(if: isRoot, "needs root, to join groups"),
        arguments: [0, 1, 63, 64, 65, 300, 65_536])
    func groups(count: Int) async {
        await #expect(processExitsWith: .success) { [count = count as Int] in
            let groups = (0..<count).map { UInt32(100_000 + $0) }
            try #require(unsafe setgroups(count, groups) == 0)
            let pair = try UnixSocket.pair()
            try #require(try PeerCredentials.groups(of: pair.first.rawValue).sorted() == groups)
        }
    }

    @Test(
        "another user is told by number, with their groups",
        .enabled(if: isRoot, "needs root, to become another user"))
    func stranger() async throws {
        let folder = try TemporaryFolder()
        try PathSetup.changeMode(folder.path, 0o755)
        let listener = try UnixSocket.listen(at: folder("s"), mode: 0o666, replacingStale: false)
        await #expect(processExitsWith: .success) { [path = folder("s") as String] in
            try #require(unsafe setgroups(2, [4242, 4343]) == 0)
            try #require(setgid(LinuxSystemTests.stranger) == 0)
            try #require(setuid(LinuxSystemTests.stranger) == 0)
            let client = try UnixSocket.connect(to: path, timeoutMilliseconds: 1000)
            // The server is root: that is how a client knows whom it tells a secret.
            try #require(try PeerCredentials.of(fd: client.rawValue).uid == 0)
        }
        guard let server = try UnixSocket.accept(listener.rawValue) else {
            Issue.record("nobody has connected")
            return
        }
        let peer = try PeerCredentials.of(fd: server.rawValue)
        #expect(peer.uid == LinuxSystemTests.stranger)
        #expect(peer.gid == LinuxSystemTests.stranger)
        #expect(peer.pid != getpid())
        #expect(try PeerCredentials.groups(of: server.rawValue).sorted() == [4242, 4343])
    }

    @Test(
        "a socket for this user alone is not for another",
        .enabled(if: isRoot, "needs root, to become another user"))
    func privateSocket() async throws {
        let folder = try TemporaryFolder()
        try PathSetup.changeMode(folder.path, 0o755)
        let listener = try UnixSocket.listen(at: folder("s"), mode: 0o600, replacingStale: false)
        await #expect(processExitsWith: .success) { [path = folder("s") as String] in
            becomeStranger()
            let error = failure { () throws(Errno) in
                try UnixSocket.connect(to: path, timeoutMilliseconds: 1000)
            }
            try #require(error == .permissionDenied)
        }
        #expect(listener.rawValue >= 0)
    }
}
