import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct ExclusiveFileTests {
    @Test("a file is made once, and what stands there stays")
    func once() throws {
        let folder = try TemporaryFolder()
        try ExclusiveFile.create([1, 2].span, at: folder("key"))
        #expect(throws: Errno.exists) { try ExclusiveFile.create([3].span, at: folder("key")) }
        #expect(try Files.readWhole(folder("key"), limit: 10) == [1, 2])
        try PathSetup.link("nowhere", at: folder("link"))
        #expect(throws: Errno.exists) { try ExclusiveFile.create([3].span, at: folder("link")) }
        #expect(try folder.names() == ["key", "link"])
    }

    @Test("where it is asked for, what has the name is replaced and nothing else")
    func replaced() throws {
        let folder = try TemporaryFolder()
        try ExclusiveFile.replace([1].span, at: folder("key"))
        try folder.write("target", "precious")
        try PathSetup.link("target", at: folder("link"))
        for name in ["key", "link"] {
            try ExclusiveFile.replace([2, 3].span, at: folder(name))
            let status = try FileStatus.of(path: folder(name), following: false)
            #expect(status.kind == .regular && status.permissions == 0o600)
            #expect(try Files.readWhole(folder(name), limit: 10) == [2, 3])
        }
        #expect(try folder.text("target") == "precious")
        #expect(throws: Errno.isADirectory) {
            try ExclusiveFile.replace([1].span, at: folder.path)
        }
        #expect(throws: Errno.notFound) {
            try ExclusiveFile.replace([1].span, at: folder("none/key"))
        }
        #expect(try folder.names() == ["key", "link", "target"])
    }

    @Test("a status tells when a file changed")
    func changed() throws {
        let folder = try TemporaryFolder()
        try ExclusiveFile.create([1].span, at: folder("key"))
        let before = try FileStatus.of(path: folder("key"), following: false)
        usleep(20_000)
        _ = try Files.open(folder("key"), [.writeOnly]).write([2].span)
        let after = try FileStatus.of(path: folder("key"), following: false)
        #expect(before.changedAt < after.changedAt)
        #expect(after.changedAt / 1_000_000_000 - after.modifiedAt <= 1)
    }

    @Test("its mode is 0600 whatever the umask is")
    func mode() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [path = folder("key") as String] in
            umask(0o777)
            try ExclusiveFile.create([1].span, at: path)
            let status = try FileStatus.of(path: path, following: false)
            try #require(status.permissions == 0o600 && status.linkCount == 1)
        }
    }

    @Test("of many who make it at once one succeeds")
    func race() throws {
        let folder = try TemporaryFolder()
        let path = folder("key")
        let done = try EventCounter()
        let made = try EventCounter()
        let (finished, won) = (done.signal, made.signal)
        for number: UInt8 in 0..<8 {
            try WorkerThread.start(name: "making") {
                if (try? ExclusiveFile.create([number].span, at: path)) != nil { won() }
                finished()
            }
        }
        var count: UInt64 = 0
        while count < 8 {
            _ = try Poll.wait(done.rawValue, for: .readable, timeoutMilliseconds: 10_000)
            count += done.take()
        }
        #expect(made.take() == 1)
        #expect(try folder.names() == ["key"])
    }

    @Test("a thread with a descriptor table of its own makes it without another name")
    func ownDescriptors() throws {
        let folder = try TemporaryFolder()
        let path = folder("key")
        let done = try EventCounter()
        let finished = done.signal
        try WorkerThread.start(name: "making") {
            try? WorkerThread.ownDescriptors(without: nil)
            // The process's table has something else at these numbers.
            let others = (0..<8).compactMap { _ in try? Files.open("/dev/null", .readOnly).release()
            }
            try? ExclusiveFile.create([7].span, at: path)
            for other in others { close(other) }
            finished()
        }
        _ = try Poll.wait(done.rawValue, for: .readable, timeoutMilliseconds: 10_000)
        #expect(try Files.readWhole(path, limit: 10) == [7])
        #expect(try folder.names() == ["key"])
    }

    @Test(
        "where no file can be without a name a temporary one is made, and what stands there stays",
        .enabled(if: canTrace, "needs root and strace"),
        .disabled(if: Sanitizer.isActive, "leaks cannot be looked for in a traced process"),
        arguments: [
            "inject=openat:error=EOPNOTSUPP:when=2", "inject=openat:error=EISDIR:when=2",
            "inject=linkat:error=ENOENT:when=1",
        ])
    func withoutUnnamedFiles(injection: String) async throws {
        let folder = try TemporaryFolder()
        for (bytes, isMade) in [([1, 2], true), ([3], false)] as [([UInt8], Bool)] {
            await #expect(processExitsWith: .success) {
                [
                    injection = injection as String, bytes = bytes as [UInt8],
                    isMade = isMade as Bool, path = folder("key") as String
                ] in
                _ = try traceThisThread(injection)
                let made = (try? ExclusiveFile.create(bytes.span, at: path)) != nil
                try #require(made == isMade)
            }
            #expect(try Files.readWhole(folder("key"), limit: 10) == [1, 2])
            #expect(try folder.names() == ["key"])
        }
    }
}
