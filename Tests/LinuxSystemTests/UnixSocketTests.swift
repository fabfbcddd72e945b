import Glibc
import LinuxSystem
import Testing

@Suite struct UnixSocketTests {
    @Test("what is sent on one end is received on the other")
    func pair() throws {
        let pair = try UnixSocket.pair()
        #expect(try UnixSocket.send(fd: pair.first.rawValue, [1, 2, 3].span) == 3)
        #expect(try receive(pair.second.rawValue) == [1, 2, 3])
    }

    @Test("an empty socket would block, a closed one is at its end")
    func ends() throws {
        let pair = try UnixSocket.pair()
        #expect(try receive(pair.second.rawValue) == nil)
        try pair.first.close()
        #expect(try receive(pair.second.rawValue) == [])
    }

    @Test("sending to who has gone is an error, not the end of the process")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            let pair = try UnixSocket.pair()
            let number = pair.first.rawValue
            try pair.second.close()
            #expect(throws: Errno.brokenPipe) { try UnixSocket.send(fd: number, [1].span) }
        }
    }

    @Test("a full socket takes a part and then would block")
    func full() throws {
        let pair = try UnixSocket.pair()
        let number = pair.first.rawValue
        let bytes = [UInt8](repeating: 1, count: 10_000_000)
        let sent = try #require(try UnixSocket.send(fd: number, bytes.span))
        #expect(sent > 0 && sent < bytes.count)
        #expect(try UnixSocket.send(fd: number, bytes.span) == nil)
    }

    @Test("a number that is no socket is an error")
    func notASocket() throws {
        let file = try Files.open("/dev/null", .readOnly)
        let number = file.rawValue
        #expect(throws: Errno.notASocket) { try UnixSocket.send(fd: number, [1].span) }
        #expect(throws: Errno.notASocket) { try receive(number) }
    }

    @Test("a connection is taken once, and then none waits")
    func accepts() throws {
        let folder = try TemporaryFolder()
        let path = folder("s")
        let listener = try UnixSocket.listen(at: path, mode: 0o600, replacingStale: false)
        #expect(try takes(listener.rawValue) == false)
        let client = try UnixSocket.connect(to: path, timeoutMilliseconds: 1000)
        guard let server = try UnixSocket.accept(listener.rawValue) else {
            Issue.record("nobody has connected")
            return
        }
        #expect(try takes(listener.rawValue) == false)
        for number in [listener.rawValue, client.rawValue, server.rawValue] {
            #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
        }
        #expect(try UnixSocket.send(fd: client.rawValue, [9].span) == 1)
        #expect(try receive(server.rawValue) == [9])
    }

    @Test("who cannot be reached is told why")
    func unreachable() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "")
        do { _ = try UnixSocket.listen(at: folder("stale"), mode: 0o600, replacingStale: false) }
        func error(_ path: String) -> Errno? {
            failure { () throws(Errno) in
                try UnixSocket.connect(to: path, timeoutMilliseconds: 1000)
            }
        }
        let long = String(repeating: "d", count: 120)
        #expect(error(folder("none")) == .notFound)
        #expect(error(folder(long)) == .notFound)
        #expect(error(folder("file")) == .connectionRefused)
        #expect(error(folder("stale")) == .connectionRefused)
        #expect(error(folder("file/x")) == .notADirectory)
        #expect(error("") == .notFound)
    }

    @Test("connecting waits for room in the backlog, and not for ever")
    func backlog() throws {
        let folder = try TemporaryFolder()
        let path = folder("s")
        let listener = try UnixSocket.listen(
            at: path, backlog: 0, mode: 0o600, replacingStale: false)
        // One waits beyond the backlog; the next finds it full.
        let first = try UnixSocket.connect(to: path, timeoutMilliseconds: 1000)
        let start = Clock.monotonicMilliseconds()
        let error = failure { () throws(Errno) in
            try UnixSocket.connect(to: path, timeoutMilliseconds: 150)
        }
        let waited = Clock.monotonicMilliseconds() - start
        #expect(error == .timedOut)
        #expect(waited >= 150 && waited < 3000)
        let number = listener.rawValue
        try WorkerThread.start(name: "accepting") {
            usleep(100_000)
            _ = try? UnixSocket.accept(number)
        }
        let second = try UnixSocket.connect(to: path, timeoutMilliseconds: 10_000)
        #expect(fcntl(second.rawValue, F_GETFL) & O_NONBLOCK != 0)
        #expect(first.rawValue >= 0)
    }

    @Test("connecting with no time at all still succeeds where there is room")
    func noTime() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixSocket.listen(at: folder("s"), mode: 0o600, replacingStale: false)
        let client = try UnixSocket.connect(to: folder("s"), timeoutMilliseconds: 0)
        #expect(try takes(listener.rawValue))
        #expect(client.rawValue >= 0)
    }
}

/// What is there to receive; nil when it would block.
private func receive(_ fd: Int32) throws(Errno) -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: 64)
    var span = room.mutableSpan
    guard let count = try UnixSocket.receive(fd: fd, into: &span) else { return nil }
    return Array(room[..<count])
}

/// Whether a connection waited.
private func takes(_ listener: Int32) throws(Errno) -> Bool {
    guard try UnixSocket.accept(listener) != nil else { return false }
    return true
}
