import Glibc
import LinuxSystem
import Testing

@Suite struct AtomicFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(
        _ text: String, to name: String = "a", keeping previous: String? = nil
    ) -> AtomicFileError? {
        failure { () throws(AtomicFileError) in
            do {
                try AtomicFile.write(
                    Array(text.utf8), to: name, in: folder.open(), keepingPrevious: previous)
            } catch let error as AtomicFileError {
                throw error
            } catch { Issue.record(error) }
        }
    }

    @Test("a file is made and replaced, with nothing left beside it")
    func replaces() throws {
        #expect(write("one") == nil)
        #expect(write("two") == nil)
        #expect(try folder.text("a") == "two")
        #expect(try folder.names() == ["a"])
        #expect(try FileStatus.of(path: folder("a"), following: false).permissions == 0o600)
    }

    @Test(
        "the mode is 0600 whatever the umask is",
        arguments: [0o000, 0o022, 0o077, 0o777] as [UInt32])
    func mode(mask: UInt32) async throws {
        await #expect(processExitsWith: .success) {
            [path = folder.path as String, mask = mask as UInt32] in
            umask(mask)
            try AtomicFile.write([1], to: "a", in: LinuxSystem.Directory.open(path, create: false))
            try #require(
                try FileStatus.of(path: path + "/a", following: false).permissions == 0o600)
        }
    }

    @Test("an empty file and a large one are written whole", arguments: [0, 1, 1 << 22])
    func sizes(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try AtomicFile.write(bytes, to: "a", in: folder.open())
        #expect(try Files.readWhole(folder("a"), limit: size) == bytes)
    }

    @Test("the previous generation is kept, and neither name is missing at first")
    func previous() throws {
        #expect(write("one", keeping: "a~") == nil)
        #expect(try folder.names() == ["a"])
        #expect(write("two", keeping: "a~") == nil)
        #expect(try folder.text("a~") == "one")
        #expect(write("three", keeping: "a~") == nil)
        #expect(try folder.text("a") == "three")
        #expect(try folder.text("a~") == "two")
        #expect(try folder.names() == ["a", "a~"])
    }

    @Test("a kill between the two renames leaves nothing behind at the next write")
    func sameFile() throws {
        // Then both names are of one file, and a rename of a link onto it does nothing.
        #expect(write("one") == nil)
        try folder.open().link("a", as: "a~")
        #expect(write("two", keeping: "a~") == nil)
        #expect(try folder.text("a") == "two")
        #expect(try folder.text("a~") == "one")
        #expect(try folder.names() == ["a", "a~"])
    }

    @Test("a symbolic link in the file's place is replaced, not followed")
    func link() throws {
        try folder.write("other", "untouched")
        try PathSetup.link("other", at: folder("a"))
        #expect(write("one") == nil)
        #expect(try folder.text("other") == "untouched")
        #expect(try FileStatus.of(path: folder("a"), following: false).kind == .regular)
    }

    @Test("a failure names the step, and the old file is as it was")
    func failures() throws {
        try PathSetup.makeDirectory(folder("d"))
        #expect(write("x", to: "d") == AtomicFileError(step: .rename, errno: .isADirectory))
        #expect(
            write("x", to: "d", keeping: "d~")
                == AtomicFileError(step: .linkPrevious, errno: .notPermitted))
        #expect(write("one") == nil)
        #expect(
            write("two", keeping: "d")
                == AtomicFileError(step: .renamePrevious, errno: .isADirectory))
        #expect(try folder.text("a") == "one")
        #expect(try folder.names() == ["a", "d"])
    }

    @Test("a directory that is gone is told")
    func gone() throws {
        let directory = try LinuxSystem.Directory.open(folder("d"), create: true)
        #expect(unsafe rmdir(folder("d")) == 0)
        let error = failure { () throws(AtomicFileError) in
            try AtomicFile.write([1], to: "a", in: directory)
        }
        #expect(error == AtomicFileError(step: .create, errno: .notFound))
        #expect(
            error?.message == "cannot make a temporary file: No such file or directory (ENOENT)")
    }

    @Test("a limit on file sizes is an error, not the end of the process")
    func sizeLimit() async throws {
        #expect(write("one") == nil)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            ProcessHardening.ignoreBrokenPipes()
            var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let directory = try LinuxSystem.Directory.open(path, create: false)
            let error = failure { () throws(AtomicFileError) in
                try AtomicFile.write([UInt8](repeating: 1, count: 2000), to: "a", in: directory)
            }
            try #require(error == AtomicFileError(step: .write, errno: .fileTooLarge))
        }
        #expect(try folder.text("a") == "one")
        #expect(try folder.names() == ["a"])
    }

    @Test("left-over temporaries are removed, and nothing else")
    func temporaries() throws {
        let kept = [
            ".tmp-", ".tmp-0123456789abcde", ".tmp-0123456789abcdef0", ".tmp-0123456789ABCDEF",
            "a", "a~", "tmp-0123456789abcdef",
        ]
        for name in kept + [".tmp-0123456789abcdef", ".tmp-ffffffffffffffff"] {
            try folder.write(name, "")
        }
        #expect(try AtomicFile.removeTemporaries(in: folder.open()) == 2)
        #expect(try folder.names() == kept.sorted())
    }

    @Test("a reader sees one of the two files whole at any moment")
    func concurrent() throws {
        let names = ["a", "a~"]
        let long = [UInt8](repeating: UInt8(ascii: "l"), count: 100_000)
        let short = [UInt8](repeating: UInt8(ascii: "s"), count: 10)
        let directory = try folder.open()
        for _ in 0..<2 { try AtomicFile.write(long, to: "a", in: directory, keepingPrevious: "a~") }
        let done = try EventCounter()
        let signal = done.signal
        let path = folder.path
        try WorkerThread.start(name: "writer") {
            if let directory = try? LinuxSystem.Directory.open(path, create: false) {
                for turn in 0..<100 {
                    try? AtomicFile.write(
                        turn % 2 == 0 ? short : long, to: "a", in: directory, keepingPrevious: "a~")
                }
            }
            signal()
        }
        var reads = 0
        while done.take() == 0 {
            let bytes = try Files.readWhole(folder(names[reads % 2]), limit: 1 << 20)
            #expect(bytes == long || bytes == short)
            reads += 1
        }
        #expect(reads > 0)
    }
}
