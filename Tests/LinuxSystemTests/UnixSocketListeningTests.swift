import Glibc
import LinuxSystem
import Testing

@Suite struct UnixSocketListeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func listen(
        _ name: String, replacingStale: Bool = false, mode: UInt32 = 0o600
    ) throws -> FileDescriptor {
        try UnixSocket.listen(at: folder(name), mode: mode, replacingStale: replacingStale)
    }

    private func refusal(_ name: String, replacingStale: Bool = true) -> UnixSocketError? {
        failure { () throws(UnixSocketError) in
            try UnixSocket.listen(at: folder(name), mode: 0o600, replacingStale: replacingStale)
        }
    }

    private func reaches(_ path: String) throws {
        let client = try UnixSocket.connect(to: path, timeoutMilliseconds: 1000)
        #expect(try PeerCredentials.of(fd: client.rawValue).pid == getpid())
    }

    @Test(
        "paths of any length are listened on and reached",
        arguments: [30, 100, 107, 108, 109, 110, 200, 300, 1000])
    func lengths(length: Int) throws {
        // Directories of 50 bytes each, until a short name makes the length.
        var path = folder.path
        while length - path.utf8.count > 60 { path += "/" + String(repeating: "d", count: 49) }
        _ = try LinuxSystem.Directory.open(path, create: true)
        path += "/" + String(repeating: "s", count: length - path.utf8.count - 1)
        try #require(path.utf8.count == length)
        let listener = try UnixSocket.listen(at: path, mode: 0o600, replacingStale: false)
        try reaches(path)
        #expect(listener.rawValue >= 0)
        #expect(
            failure { () throws(UnixSocketError) in
                try UnixSocket.listen(at: path, mode: 0o600, replacingStale: true)
            } == .inUse(path: path))
    }

    @Test("a name has 107 bytes at the most, and the refusal says how many it has")
    func nameLength() throws {
        let fits = String(repeating: "s", count: 107)
        let listener = try listen(fits)
        try reaches(folder(fits))
        #expect(listener.rawValue >= 0)
        let long = String(repeating: "套", count: 36)
        #expect(
            refusal(long) == .nameTooLong(path: folder(long), bytes: 108, limit: 107))
        #expect(refusal(long)?.message.contains("108") == true)
        #expect(try folder.names() == [fits])
    }

    @Test("a path that is not ASCII is listened on and reached")
    func unicode() throws {
        try PathSetup.makeDirectory(folder("账户"))
        let listener = try listen("账户/套接字 \u{1F511}")
        try reaches(folder("账户/套接字 \u{1F511}"))
        #expect(listener.rawValue >= 0)
    }

    @Test("a relative path is listened on and reached")
    func relative() async {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            try PathSetup.enter(path)
            let listener = try UnixSocket.listen(at: "s", mode: 0o600, replacingStale: false)
            _ = try UnixSocket.connect(to: "s", timeoutMilliseconds: 1000)
            try #require(listener.rawValue >= 0)
        }
    }

    @Test("the socket has just the mode asked for", arguments: [0o600, 0o660, 0o666] as [UInt32])
    func mode(mode: UInt32) async {
        await #expect(processExitsWith: .success) {
            [path = folder.path as String, mode = mode as UInt32] in
            for mask: UInt32 in [0o000, 0o077, 0o777] {
                umask(mask)
                let name = path + "/\(mask)"
                let listener = try UnixSocket.listen(at: name, mode: mode, replacingStale: false)
                try #require(listener.rawValue >= 0)
                let status = try FileStatus.of(path: name, following: false)
                try #require(status.permissions == mode)
            }
        }
    }

    @Test("the path of a socket is that under which it was bound")
    func boundPath() throws {
        let listener = try listen("s")
        let path = UnixSocket.path(of: listener.rawValue)
        #expect(path?.hasPrefix(folder("")) == true)
        let pair = try UnixSocket.pair()
        #expect(UnixSocket.path(of: pair.first.rawValue) == nil)
        #expect(UnixSocket.path(of: -1) == nil)
        let abstract = try DatagramSocket("@" + folder("abstract"))
        #expect(UnixSocket.path(of: abstract.rawValue) == nil)
    }

    @Test("nothing but the socket stands in the directory")
    func noLeftOver() throws {
        let listener = try listen("s")
        #expect(try folder.names() == ["s"])
        #expect(refusal("s") == .inUse(path: folder("s")))
        #expect(try folder.names() == ["s"])
        #expect(listener.rawValue >= 0)
    }

    @Test("a stale socket is replaced if that is asked for")
    func stale() throws {
        do { _ = try listen("s") }
        let before = try FileStatus.of(path: folder("s"), following: false)
        #expect(refusal("s", replacingStale: false) == .stale(path: folder("s")))
        #expect(before.isSameFile(as: try .of(path: folder("s"), following: false)))
        let listener = try listen("s", replacingStale: true)
        #expect(listener.rawValue >= 0)
        #expect(!before.isSameFile(as: try .of(path: folder("s"), following: false)))
        try reaches(folder("s"))
        #expect(try folder.names() == ["s"])
    }

    @Test("one that somebody listens on is left alone, with a full backlog too")
    func live() throws {
        let listener = try UnixSocket.listen(
            at: folder("s"), backlog: 0, mode: 0o600, replacingStale: false)
        for replacing in [true, false] {
            #expect(refusal("s", replacingStale: replacing) == .inUse(path: folder("s")))
        }
        #expect(listener.rawValue >= 0)
        #expect(try FileStatus.of(path: folder("s"), following: false).kind == .socket)
    }

    @Test("what is no socket is never replaced")
    func other() throws {
        try folder.write("file", "text")
        try PathSetup.makeDirectory(folder("directory"))
        try PathSetup.makeFIFO(folder("fifo"))
        for name in ["file", "directory", "fifo"] {
            #expect(refusal(name) == .notASocket(path: folder(name)))
        }
        #expect(try folder.text("file") == "text")
    }

    @Test("a link that leads nowhere is replaced, one to a live socket is not")
    func links() throws {
        let live = try listen("live")
        try PathSetup.link("live", at: folder("good"))
        try PathSetup.link("nowhere", at: folder("bad"))
        #expect(refusal("good") == .inUse(path: folder("good")))
        let listener = try listen("bad", replacingStale: true)
        #expect(try FileStatus.of(path: folder("bad"), following: false).kind == .socket)
        #expect(live.rawValue >= 0 && listener.rawValue >= 0)
    }

    @Test("a directory that is missing or a file is told")
    func noDirectory() throws {
        try folder.write("file", "")
        #expect(refusal("none/s") == .system(path: folder("none/s"), .notFound))
        #expect(refusal("file/s") == .system(path: folder("file/s"), .notADirectory))
    }

    @Test(
        "another user's socket is refused, with the path and the user",
        .enabled(if: isRoot, "needs root, to become another user"))
    func foreign() async throws {
        try PathSetup.changeMode(folder.path, 0o1777)
        let result = await #expect(processExitsWith: .success) { [path = folder("s") as String] in
            becomeStranger()
            _ = try UnixSocket.listen(at: path, mode: 0o666, replacingStale: false)
        }
        #expect(result != nil)
        #expect(refusal("s") == .foreignOwner(path: folder("s"), uid: stranger))
    }

    @Test(
        "a directory that one may not write to is told",
        .enabled(if: isRoot, "needs root, to become another user"))
    func unwritable() async throws {
        try PathSetup.changeMode(folder.path, 0o755)
        await #expect(processExitsWith: .success) { [path = folder("s") as String] in
            becomeStranger()
            let error = failure { () throws(UnixSocketError) in
                try UnixSocket.listen(at: path, mode: 0o600, replacingStale: true)
            }
            try #require(error == .system(path: path, .permissionDenied))
        }
    }

    @Test(
        "a process that lets nobody trace it can still listen on a long path",
        .enabled(if: isRoot, "needs root, to become another user"))
    func undumpable() async throws {
        try PathSetup.changeMode(folder.path, 0o777)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            becomeStranger()
            try ProcessHardening.apply()
            let long = path + "/" + String(repeating: "d", count: 120)
            _ = try LinuxSystem.Directory.open(long, create: true)
            let listener = try UnixSocket.listen(
                at: long + "/s", mode: 0o600, replacingStale: false)
            _ = try UnixSocket.connect(to: long + "/s", timeoutMilliseconds: 1000)
            try #require(listener.rawValue >= 0)
        }
    }

    @Test("a socket that is replaced is never missing, nor has another mode for a moment")
    func noWindow() throws {
        let path = folder("s")
        do { _ = try listen("s") }
        let seen = try EventCounter()
        let enough = seen.signal
        try WorkerThread.start(name: "looking") {
            for _ in 0..<20_000 {
                guard let status = try? FileStatus.of(path: path, following: false),
                    status.kind == .socket, status.permissions == 0o600
                else { return }
            }
            enough()
        }
        var replaced = 0
        let end = Clock.monotonicMilliseconds() + 20_000
        while seen.take() == 0, Clock.monotonicMilliseconds() < end {
            // The listener goes at once, and its name stays. A process that another test starts
            // may keep it open until it runs its program.
            switch refusal("s") {
            case nil: replaced += 1
            case .inUse: continue
            case let error: Issue.record("\(String(describing: error))")
            }
        }
        #expect(replaced > 0)
        #expect(Clock.monotonicMilliseconds() < end, "the socket was missing or open to others")
    }
}
