import Foundation
import Glibc
import Testing

@testable import LinuxSystem

@Suite struct DirectoryTests {
    typealias Directory = LinuxSystem.Directory

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ path: String, create: Bool = false) -> DirectoryError? {
        LinuxSystemTests.failure { () throws(DirectoryError) in
            try Directory.open(path, create: create)
        }
    }

    @Test("missing directories are made, for this user alone")
    func creates() throws {
        let path = folder("a/b/c")
        #expect(failure(path) == .missing(path: path))
        #expect(failure(path, create: true) == nil)
        for part in ["a", "a/b", "a/b/c"] {
            let status = try FileStatus.of(path: folder(part), following: false)
            #expect(status.permissions == 0o700)
        }
        #expect(failure(path, create: true) == nil)
    }

    @Test("a relative path is made in the working directory")
    func relative() async {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            try PathSetup.enter(path)
            _ = try LinuxSystem.Directory.open("x/y", create: true)
            try #require(try FileStatus.of(path: "x/y", following: false).kind == .directory)
        }
    }

    @Test(
        "modes that let others in are refused, with path and mode",
        arguments: [
            0o755, 0o750, 0o701, 0o710, 0o720, 0o702, 0o770, 0o777, 0o1777, 0o2750,
        ] as [UInt32])
    func modes(mode: UInt32) throws {
        let path = folder("d")
        try PathSetup.makeDirectory(path, mode: mode)
        let error = failure(path, create: true)
        #expect(error == .openToOthers(path: path, mode: mode))
        #expect(error?.message.contains(path) == true)
        #expect(error?.message.contains("0" + String(mode, radix: 8)) == true)
    }

    @Test(
        "a symbolic link is refused, however its end is written", arguments: ["", "/", "//", "/."])
    func links(end: String) throws {
        try PathSetup.makeDirectory(folder("real"), mode: 0o700)
        try PathSetup.link("real", at: folder("link"))
        let path = folder("link") + end
        #expect(failure(path) == .symbolicLink(path: path))
        #expect(failure(path, create: true) == .symbolicLink(path: path))
        // Before the last component it may stand.
        #expect(failure(folder("link/inner"), create: true) == nil)
    }

    @Test("a dangling link is refused and not made true")
    func dangling() throws {
        try PathSetup.link("nowhere", at: folder("link"))
        let path = folder("link")
        #expect(failure(path, create: true) == .symbolicLink(path: path))
        #expect(try folder.names() == ["link"])
    }

    @Test("a file in the place of the directory, or of its parent, is refused")
    func file() throws {
        try folder.write("f", "")
        #expect(failure(folder("f"), create: true) == .notADirectory(path: folder("f")))
        #expect(failure(folder("f/d"), create: true) == .notADirectory(path: folder("f/d")))
    }

    @Test(
        "another user's directory is refused, with the path and the user, by root too",
        .enabled(if: isRoot, "needs root, to give a directory away"))
    func foreign() throws {
        let path = folder("d")
        try PathSetup.makeDirectory(path, mode: 0o700)
        try PathSetup.changeOwner(path, stranger)
        #expect(failure(path, create: true) == .foreignOwner(path: path, uid: stranger))
    }

    @Test(
        "a parent that cannot be written to is named",
        .enabled(if: isRoot, "needs root, to become another user"))
    func unwritable() async {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            try PathSetup.changeMode(path, 0o755)
            becomeStranger()
            let error = LinuxSystemTests.failure { () throws(DirectoryError) in
                try LinuxSystem.Directory.open(path + "/x", create: true)
            }
            #expect(error == .system(path: path + "/x", .permissionDenied))
        }
    }

    @Test("a directory within is opened under the same conditions")
    func inner() throws {
        let directory = try folder.open()
        let inner = try directory.openDirectory("archives", create: true)
        #expect(inner.path == folder("archives"))
        try PathSetup.link("archives", at: folder("link"))
        let error = LinuxSystemTests.failure { () throws(DirectoryError) in
            try directory.openDirectory("link", create: false)
        }
        #expect(error == .symbolicLink(path: folder("link")))
    }

    @Test("it is known whether the path still leads there")
    func stillThere() throws {
        let directory = try Directory.open(folder("d"), create: true)
        func still(_ path: String) throws(Errno) -> Bool { try directory.isStillAt(path) }
        #expect(try still(folder("d")))
        try PathSetup.move(folder("d"), to: folder("e"))
        #expect(try !still(folder("d")))
        #expect(try still(folder("e")))
        try PathSetup.makeDirectory(folder("d"), mode: 0o700)
        #expect(try !still(folder("d")))
        try PathSetup.link("e", at: folder("l"))
        #expect(try !still(folder("l")))
        #expect(try !still(folder("l") + "/nothing"))
        try folder.write("file", "")
        #expect(try !still(folder("file") + "/nothing"))
        // What cannot be known is no replacement.
        #expect(throws: Errno.nameTooLong) {
            _ = try still(folder(String(repeating: "x", count: 300)))
        }
    }

    @Test("files are read, linked, renamed and removed by name")
    func names() throws {
        let directory = try folder.open()
        try folder.write("a", "hello")
        #expect(try directory.read(name: "a", limit: 5) == Array("hello".utf8))
        #expect(throws: Errno.fileTooLarge) { try directory.read(name: "a", limit: 4) }
        #expect(throws: Errno.notFound) { try directory.read(name: "b", limit: 4) }
        try directory.link("a", as: "b")
        #expect(throws: Errno.exists) { try directory.link("a", as: "b") }
        #expect(try directory.status(of: "b").linkCount == 2)
        try directory.rename("b", to: "c")
        try directory.unlink("a")
        #expect(throws: Errno.notFound) { try directory.unlink("a") }
        #expect(try directory.entries().sorted() == ["c"])
        #expect(try directory.contains("c"))
        #expect(try !directory.contains("a"))
        try directory.sync()
    }

    @Test("what is no regular file is not read, and a FIFO holds nobody up")
    func special() throws {
        let directory = try folder.open()
        try folder.write("a", "hello")
        try PathSetup.link("a", at: folder("link"))
        try PathSetup.makeFIFO(folder("fifo"))
        try PathSetup.makeDirectory(folder("dir"), mode: 0o700)
        #expect(throws: Errno.loop) { try directory.read(name: "link", limit: 10) }
        #expect(throws: Errno.invalidArgument) { try directory.read(name: "fifo", limit: 10) }
        #expect(throws: Errno.isADirectory) { try directory.read(name: "dir", limit: 10) }
    }

    @Test("two names are exchanged, and one alone is moved")
    func exchange() throws {
        let directory = try folder.open()
        try folder.write("a", "1")
        try folder.write("b", "2")
        try directory.exchange("a", "b")
        try directory.sync()
        #expect(try (folder.text("a"), folder.text("b")) == ("2", "1"))
        // As where the file system cannot do it at one go.
        try directory.exchangeByLinks("a", "b")
        #expect(try (folder.text("a"), folder.text("b")) == ("1", "2"))
        #expect(try folder.names() == ["a", "b"])
        try directory.unlink("a")
        try directory.exchange("a", "b")
        #expect(try folder.text("a") == "2")
        #expect(try folder.names() == ["a"])
        for (name, other) in [("a", "b"), ("b", "c")] {
            #expect(throws: Errno.notFound) { try directory.exchange(name, other) }
        }
        #expect(try folder.names() == ["a"])
    }

    @Test("a symbolic link replaces what had its name, and leaves nothing beside")
    func symbolicLink() throws {
        let directory = try folder.open()
        try directory.setSymbolicLink("socket", to: "/run/a")
        try directory.setSymbolicLink("socket", to: "/run/b")
        #expect(try Files.readLink("socket", in: directory.rawValue) == "/run/b")
        try PathSetup.makeDirectory(folder("d"), mode: 0o700)
        #expect(throws: Errno.self) { try directory.setSymbolicLink("d", to: "x") }
        #expect(try folder.names() == ["d", "socket"])
    }

    @Test("all entries of a large directory are listed, again and again")
    func entries() throws {
        let directory = try folder.open()
        let names = (0..<500).map { "file-\($0)-套接字" }
        for name in names { try folder.write(name, "") }
        for _ in 0..<2 { #expect(try directory.entries().sorted() == names.sorted()) }
    }
}
