import Glibc
import LinuxSystem
import Testing

/// Faults that only a small file system, or a tracer that alters system calls, can cause.
@Suite struct AtomicFileFaultTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let canMount = isRoot && isProgram("/usr/bin/mount")

    private func run(_ path: String, _ arguments: String...) throws -> Int32 {
        let null = try Files.open("/dev/null", .readWrite)
        return try ChildProcess.run(
            path, arguments: arguments, environment: ["PATH=/usr/bin:/bin"], input: null.rawValue,
            output: null.rawValue, error: null.rawValue)
    }

    private func withSmallFileSystem(_ options: String, _ body: () throws -> Void) throws {
        let mounted = try run(
            "/usr/bin/mount", "-t", "tmpfs", "-o", options + ",mode=0700", "tmpfs", folder.path)
        guard mounted == 0 else {
            try Test.cancel("mounting a tmpfs is not permitted here")
        }
        defer { _ = try? run("/usr/bin/umount", folder.path) }
        try body()
    }

    @Test(
        "on a full disk the old file stays as it was",
        .enabled(if: canMount, "needs root and mount, for a small tmpfs"))
    func fullDisk() throws {
        try withSmallFileSystem("size=64k") {
            let directory = try folder.open()
            let old = [UInt8](repeating: 1, count: 1000)
            try AtomicFile.write(old, to: "a", in: directory, keepingPrevious: "a~")
            let large = [UInt8](repeating: 2, count: 100_000)
            let error = failure { () throws(AtomicFileError) in
                try AtomicFile.write(large, to: "a", in: directory, keepingPrevious: "a~")
            }
            #expect(error == AtomicFileError(step: .write, errno: .noSpace))
            #expect(try Files.readWhole(folder("a"), limit: 2000) == old)
            #expect(try folder.names() == ["a"])
            try AtomicFile.write(old, to: "a", in: directory)
        }
    }

    @Test(
        "without a place for another name the old file stays as it was",
        .enabled(if: canMount, "needs root and mount, for a small tmpfs"),
        arguments: [
            // The root directory takes one.
            (3, AtomicFileError(step: .linkPrevious, errno: .noSpace)),
            (2, AtomicFileError(step: .create, errno: .noSpace)),
        ])
    func noNames(inodes: Int, expected: AtomicFileError) throws {
        try withSmallFileSystem("size=1m,nr_inodes=\(inodes)") {
            let directory = try folder.open()
            try AtomicFile.write([1], to: "a", in: directory)
            let error = failure { () throws(AtomicFileError) in
                try AtomicFile.write([2], to: "a", in: directory, keepingPrevious: "a~")
            }
            #expect(error == expected)
            #expect(try Files.readWhole(folder("a"), limit: 10) == [1])
            #expect(try folder.names() == ["a"])
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let call: String
        let turn: Int
        let errno: Errno
        let step: AtomicFileError.Step
        let inPlace: Bool

        init(
            _ call: String, _ turn: Int, _ errno: Errno, _ step: AtomicFileError.Step,
            inPlace: Bool = false
        ) {
            self.call = call
            self.turn = turn
            self.errno = errno
            self.step = step
            self.inPlace = inPlace
        }

        var testDescription: String { "\(call) \(turn) \(errno.name)" }
    }

    @Test(
        "each system call that fails is told, and the names hold what they should",
        .enabled(if: canTrace, "needs root and strace, to let system calls fail"),
        arguments: [
            Fault("openat", 1, .tooManyFiles, .create),
            Fault("openat", 1, .readOnlyFileSystem, .create),
            Fault("fchmod", 1, .inputOutput, .create),
            Fault("write", 1, .inputOutput, .write),
            Fault("fsync", 1, .inputOutput, .sync),
            Fault("linkat", 1, .notPermitted, .linkPrevious),
            Fault("renameat", 1, .inputOutput, .renamePrevious),
            Fault("renameat", 2, .noSpace, .rename),
            Fault("fsync", 2, .inputOutput, .syncDirectory, inPlace: true),
        ])
    func faults(fault: Fault) async throws {
        for text in ["zero", "one"] {
            try AtomicFile.write(
                Array(text.utf8), to: "a", in: folder.open(), keepingPrevious: "a~")
        }
        let inject = "\(fault.call):error=\(fault.errno.name):when=\(fault.turn)"
        let expected =
            "\(AtomicFileError(step: fault.step, errno: fault.errno, inPlace: fault.inPlace))"
        await #expect(processExitsWith: .success) {
            [path = folder.path as String, inject = inject as String, expected = expected as String]
            in
            let directory = try LinuxSystem.Directory.open(path, create: false)
            let bytes = Array("two".utf8)
            let tracer = try traceThisThread("inject=\(inject)")
            let error = failure { () throws(AtomicFileError) in
                try AtomicFile.write(bytes, to: "a", in: directory, keepingPrevious: "a~")
            }
            kill(tracer, SIGTERM)
            _ = try ChildProcess.wait(for: tracer)
            try #require(error.map { "\($0)" } == expected)
        }
        #expect(try folder.names() == ["a", "a~"])
        #expect(try folder.text("a") == (fault.inPlace ? "two" : "one"))
        let hasMoved = [.rename, .syncDirectory].contains(fault.step)
        #expect(try folder.text("a~") == (hasMoved ? "one" : "zero"))
    }
}
