import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@Suite struct FileDescriptorTests {
    let folder = try? TemporaryFolder()

    @Test("a descriptor is closed when its owner goes")
    func closes() throws {
        let folder = try #require(folder)
        let other = try Files.open(folder.path, .readOnly)
        do {
            let copy = try other.duplicate()
            let link = try Files.readLink("/proc/self/fd/\(copy.rawValue)")
            #expect(link == folder.path)
        }
        let number = try other.duplicate().release()
        #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        try FileDescriptor(owning: number).close()
    }

    @Test("closing what is closed says so")
    func closesTwice() throws {
        // A number that no other test can get meanwhile.
        #expect(throws: Errno.badFileDescriptor) { try FileDescriptor(owning: -1).close() }
    }

    @Test("nothing that is opened stays open in another program")
    func closesOnExec() throws {
        let folder = try #require(folder)
        let pair = try UnixSocket.pair()
        let pipe = try Files.pipe()
        let listener = try UnixSocket.listen(at: folder("s"), mode: 0o600, replacingStale: false)
        let client = try UnixSocket.connect(to: folder("s"), timeoutMilliseconds: 1000)
        guard let server = try UnixSocket.accept(listener.rawValue) else {
            Issue.record("nobody has connected")
            return
        }
        let file = try Files.open(folder("f"), [.readWrite, .create])
        let memory = try Files.sealedMemory(named: "x", contents: [1].span)
        let counter = try EventCounter()
        let timer = try TimerDescriptor(.boottime)
        let numbers = [
            pair.first.rawValue, pair.second.rawValue, pipe.readEnd.rawValue,
            pipe.writeEnd.rawValue, listener.rawValue, client.rawValue, server.rawValue,
            file.rawValue, memory.rawValue, counter.rawValue, timer.rawValue,
        ]
        for number in numbers { #expect(fcntl(number, F_GETFD) == FD_CLOEXEC, "\(number)") }
        try file.setInherited(true)
        #expect(fcntl(file.rawValue, F_GETFD) == 0)
    }

    @Test(
        "a file is read whole up to the limit",
        arguments: [
            (0, 0), (0, 10), (1, 1), (9, 10), (10, 10), (4096, 4096), (4095, 5000),
            (100_000, 100_000), (100_000, 1 << 20),
        ])
    func whole(size: Int, limit: Int) throws {
        let folder = try #require(folder)
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try Files.open(folder("f"), [.writeOnly, .create]).writeAll(bytes.span)
        #expect(try Files.readWhole(folder("f"), limit: limit) == bytes)
    }

    @Test(
        "a file past the limit is refused",
        arguments: [(1, 0), (11, 10), (4097, 4096), (100_000, 5000)])
    func tooLarge(size: Int, limit: Int) throws {
        let folder = try #require(folder)
        let bytes = [UInt8](repeating: 1, count: size)
        try Files.open(folder("f"), [.writeOnly, .create]).writeAll(bytes.span)
        #expect(throws: Errno.fileTooLarge) { try Files.readWhole(folder("f"), limit: limit) }
        guard limit > 0 else { return }
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: min(limit, 64), limit: limit)
        let directory = try folder.open()
        let error = failure { () throws(Errno) in try directory.read(name: "f", into: &buffer) }
        #expect(error == .fileTooLarge)
    }

    @Test(
        "a file is read whole into secret memory, its limit being the buffer's",
        arguments: [(0, 64, 64), (64, 64, 64), (63, 16, 64), (5000, 16, 8192), (8192, 64, 8192)])
    func secret(size: Int, capacity: Int, limit: Int) throws {
        let folder = try #require(folder)
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 3) }
        try Files.open(folder("f"), [.writeOnly, .create]).writeAll(bytes.span)
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: capacity, limit: limit)
        try Files.open(folder("f"), .readOnly).readWhole(into: &buffer)
        let isSame = buffer.withBytes { span in
            span.count == size && span.indices.allSatisfy { span[$0] == bytes[$0] }
        }
        #expect(isSame)
    }

    @Test("an arena without room is told from a file past the limit")
    func arenaFull() throws {
        let folder = try #require(folder)
        let bytes = [UInt8](repeating: 1, count: 20_000)
        try Files.open(folder("f"), [.writeOnly, .create]).writeAll(bytes.span)
        let arena = try SecretArena.forTest(capacity: 4096)
        var buffer = try SecretBuffer(arena: arena, capacity: 64, limit: 1 << 20)
        let error = failure { () throws(Errno) in
            try Files.open(folder("f"), .readOnly).readWhole(into: &buffer)
        }
        #expect(error == .noMemory)
    }

    @Test("all is written through a pipe that takes it in small parts, blocking or not")
    func slowPipe() throws {
        for nonBlocking in [true, false] {
            let pipe = try Files.pipe()
            try pipe.writeEnd.setNonBlocking(nonBlocking)
            let source = try pipe.readEnd.duplicate().release()
            let done = try Files.pipe()
            let answer = try done.writeEnd.duplicate().release()
            try WorkerThread.start(name: "reader") {
                var total = 0
                var room = [UInt8](repeating: 0, count: 1000)
                while total < 300_000 {
                    usleep(10)
                    var span = room.mutableSpan
                    total += (try? Files.read(source, into: &span)) ?? 0
                }
                close(source)
                try? StandardStream.print("\(total)", to: answer)
                close(answer)
            }
            let bytes = [UInt8](repeating: 5, count: 300_000)
            try StandardStream.writeAll(bytes.span, to: pipe.writeEnd.rawValue)
            try FileDescriptor(owning: done.writeEnd.release()).close()
            let said = try done.readEnd.readWhole(limit: 100)
            #expect(String(decoding: said, as: UTF8.self) == "300000")
        }
    }

    @Test("a full disk and a closed pipe are noticed")
    func failingWrites() throws {
        let full = try Files.open("/dev/full", .writeOnly)
        #expect(throws: Errno.noSpace) { try StandardStream.print("x", to: full.rawValue) }
        let pipe = try Files.pipe()
        let number = pipe.writeEnd.rawValue
        try FileDescriptor(owning: pipe.readEnd.release()).close()
        ProcessHardening.ignoreBrokenPipes()
        #expect(throws: Errno.brokenPipe) { try StandardStream.print("x", to: number) }
    }

    @Test("a sealed memory file is read from its start and cannot be changed")
    func sealed() throws {
        let file = try Files.sealedMemory(named: "token", contents: Array("abc".utf8).span)
        #expect(throws: Errno.notPermitted) { try file.writeAll([1].span) }
        #expect(ftruncate(file.rawValue, 0) == -1)
        #expect(try file.readWhole(limit: 10) == Array("abc".utf8))
    }
}
