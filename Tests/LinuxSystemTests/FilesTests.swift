import Glibc
import LinuxSystem
import Testing

@Suite struct FilesTests {
    @Test(
        "a path is split into the directory and the name in it",
        arguments: [
            ("/run/user/7/socket", "/run/user/7", "socket"), ("/socket", "/", "socket"),
            ("socket", ".", "socket"), ("a/b", "a", "b"), ("a//b", "a", "b"),
            ("a/b//", "a", "b"), ("a/b/.", "a", "b"), ("a/b/./", "a", "b"), ("/", "/", "."),
            ("//", "/", "."), (".", ".", "."), ("", ".", ""), ("/a/.b", "/a", ".b"),
            ("../a", "..", "a"), ("/账户/套接字", "/账户", "套接字"),
            // A letter that combines with the slash before it.
            ("/a/\u{301}b", "/a", "\u{301}b"), ("/a/\u{301}b/c", "/a/\u{301}b", "c"),
            ("/\u{301}b", "/", "\u{301}b"),
        ])
    func split(path: String, parent: String, name: String) {
        let parts = Files.split(path)
        #expect(parts.parent == parent)
        #expect(parts.name == name)
    }

    @Test("a path with a NUL in it is refused, not cut short")
    func nul() throws {
        let folder = try TemporaryFolder()
        try folder.write("a", "x")
        let bad = folder("a\0b")
        #expect(throws: Errno.invalidArgument) { _ = try Files.open(bad, .readOnly) }
        #expect(throws: Errno.invalidArgument) { try Files.unlink(bad) }
        #expect(throws: Errno.invalidArgument) {
            try FileStatus.of(path: bad, following: true)
        }
        #expect(throws: Errno.invalidArgument) {
            _ = try UnixSocket.connect(to: bad, timeoutMilliseconds: 10)
        }
        #expect(try folder.names() == ["a"])
    }

    @Test("the kinds of files are told apart")
    func kinds() throws {
        let folder = try TemporaryFolder()
        try folder.write("regular", "12345")
        try PathSetup.makeFIFO(folder("fifo"), mode: 0o640)
        try PathSetup.link("regular", at: folder("link"))
        let listener = try UnixSocket.listen(
            at: folder("socket"), mode: 0o600, replacingStale: false)
        #expect(listener.rawValue >= 0)
        func status(_ name: String) throws -> FileStatus {
            try FileStatus.of(path: folder(name), following: false)
        }
        #expect(try status("regular").kind == .regular)
        #expect(try status("regular").size == 5)
        #expect(try status("fifo").kind == .fifo)
        #expect(try status("link").kind == .symlink)
        #expect(try status("socket").kind == .socket)
        #expect(try status(".").kind == .directory)
        #expect(try status(".").permissions == 0o700)
        #expect(try status(".").ownerUID == geteuid())
        #expect(try FileStatus.of(path: "/dev/null", following: false).kind == .other)
        #expect(try FileStatus.of(path: folder("link"), following: true).kind == .regular)
        #expect(try Files.readLink(folder("link")) == "regular")
        #expect(throws: Errno.invalidArgument) { try Files.readLink(folder("regular")) }
        #expect(throws: Errno.loop) { _ = try Files.open(folder("link"), [.readOnly, .noFollow]) }
        let now = Clock.realtime().seconds
        #expect(abs(try status("regular").modifiedAt - now) < 100)
    }
}
