import AccountService
import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// What whoever reads the store makes of its files, and of the directory itself.
@Suite struct StoreReadingTests {
    static let names = [
        "account.plist.sealed", "account.plist.sealed~", "keyslots.plist", "keyslots.plist~",
        "keyslots.plist.next",
    ]

    private func file(_ name: String, _ contents: StoreContents) -> StoreContents.File {
        switch name {
        case "account.plist.sealed": contents.account
        case "account.plist.sealed~": contents.previousAccount
        case "keyslots.plist": contents.slots
        case "keyslots.plist.next": contents.nextSlots
        default: contents.slotsCopy
        }
    }

    @Test("each file is read, or is absent", arguments: names)
    func files(name: String) throws {
        let folder = try StoreFolder()
        #expect(try file(name, folder.files.readAll()) == .absent)
        try folder.write(name, [1, 2, 3])
        let contents = try folder.files.readAll()
        for other in Self.names {
            #expect(file(other, contents) == (other == name ? .bytes([1, 2, 3]) : .absent))
        }
        #expect(contents.findings.isEmpty)
        #expect(!contents.hasOtherSealedFiles)
    }

    @Test("a file that lets others in is read, and said", arguments: names)
    func modes(name: String) throws {
        for (mode, text) in [
            (0o640, "640"), (0o604, "604"), (0o610, "610"), (0o601, "601"), (0o666, "666"),
        ] as [(UInt32, String)] {
            let folder = try StoreFolder()
            try folder.write(name, [1], mode: mode)
            let contents = try folder.files.readAll()
            #expect(file(name, contents) == .bytes([1]))
            #expect(
                contents.findings
                    == ["\(name) has mode 0\(text), which lets others in; make it 0600"])
        }
        let folder = try StoreFolder()
        try folder.write(name, [1], mode: 0o400)
        #expect(try folder.files.readAll().findings.isEmpty)
    }

    @Test("what is no file of this user is not read", arguments: names)
    func kinds(name: String) throws {
        let link = try StoreFolder()
        try link.write("elsewhere", [1])
        FileSetup.makeLink(link.place(name), to: "elsewhere")
        #expect(
            try file(name, link.files.readAll())
                == .unreadable("is a symbolic link, which is not followed"))
        let directory = try StoreFolder()
        FileSetup.makeDirectory(directory.place(name))
        #expect(try file(name, directory.files.readAll()) == .unreadable("is no regular file"))
        let fifo = try StoreFolder()
        FileSetup.makeFIFO(fifo.place(name))
        #expect(try file(name, fifo.files.readAll()) == .unreadable("is no regular file"))
    }

    @Test("a file that is too large is not read")
    func sizes() throws {
        let folder = try StoreFolder()
        let largest = [UInt8](repeating: 7, count: StoreFiles.maximumFileSize)
        try folder.write("account.plist.sealed", largest)
        try folder.write("keyslots.plist", largest + [7])
        let contents = try folder.files.readAll()
        #expect(contents.account == .bytes(largest))
        #expect(contents.slots == .unreadable("is larger than any that was written"))
    }

    @Test(
        "another user's file is not read",
        .enabled(if: isRoot, "only root can give files away"))
    func owners() throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [1])
        FileSetup.giveAway(folder.place("keyslots.plist"))
        #expect(try folder.files.readAll().slots == .unreadable("belongs to uid 65533"))
    }

    @Test("what is not read for want of a descriptor is neither damaged nor absent")
    func noDescriptor() async {
        await #expect(processExitsWith: .success) {
            let folder = try StoreFolder()
            try folder.write("account.plist.sealed", [1])
            try FileSetup.write(folder.keyPath, [UInt8](repeating: 7, count: 32))
            FileSetup.setMode(folder.keyPath, 0o600)
            _ = try folder.read()
            let keys = try StoreKeys(arena: SecretArena.forTest(capacity: 4096))
            var few = rlimit(rlim_cur: 64, rlim_max: 64)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            try #require(unsafe setrlimit(resource, &few) == 0)
            var taken: [Int32] = []
            while case let number = dup(2), number >= 0 { taken.append(number) }
            let failure = folder.failure(of: .read(keys))
            if let number = taken.popLast() { close(number) }
            try folder.files.keyFile.read(into: keys.keyFile)
            try #require(keys.keyFile.finding == .read)
            let contents = try folder.files.readAll()
            try #require(contents.account == .bytes([1]))
            try #require(failure?.errno == EMFILE)
            try #require(failure?.message.contains(" cannot be read: ") == true)
        }
    }

    static let others: [(String, [String], Bool)] = [
        ("nothing", [], false), ("an app key", ["app.plist.sealed"], true),
        ("no archives", ["archives/"], false), ("an archive", ["archives/a.sealed"], true),
        ("an archive's spare alone", ["archives/a.sealed~"], true),
        ("something else", ["archives/notes.txt", "archives/.tmp-0123456789abcdef"], false),
        // What cannot be looked into may hold anything: never a new key over an old store.
        ("a file in the archives' place", ["archives"], true),
    ]

    @Test("other sealed files are seen, since the same key seals them", arguments: others)
    func otherSealedFiles(what: String, paths: [String], areThere: Bool) throws {
        let folder = try StoreFolder()
        for path in paths {
            if path.contains("/") { FileSetup.makeDirectory(folder.place("archives")) }
            if !path.hasSuffix("/") { try folder.write(path, [1]) }
        }
        #expect(try folder.files.readAll().hasOtherSealedFiles == areThere, "\(what)")
    }

    @Test("archives that others could have written to may hold anything")
    func openArchives() throws {
        let folder = try StoreFolder()
        FileSetup.makeDirectory(folder.place("archives"))
        FileSetup.setMode(folder.place("archives"), 0o770)
        #expect(try folder.files.readAll().hasOtherSealedFiles)
    }

    // MARK: The directory

    @Test("a directory that was removed is made again, and locked")
    func removedDirectory() throws {
        let folder = try StoreFolder()
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(
            folder.failure(
                of: StoreFolder.save([1], previous: [0]) { $0.expectedSlots = [2] }) == nil)
        #expect(
            try folder.names() == ["account.plist.sealed", "keyslots.plist", "keyslots.plist~"])
        #expect(try folder.mode(folder.path) == 0o700)
        #expect(try isLocked(folder))
    }

    private func isLocked(_ folder: StoreFolder) throws -> Bool {
        let directory = try Directory.open(folder.path, create: false)
        var lock = try FileLock(StoreFiles.lockName, in: directory)
        return try !lock.tryAcquire()
    }

    @Test("a directory in the place of the first is used under its own lock")
    func replacedDirectory() throws {
        let folder = try StoreFolder()
        FileSetup.move(folder.path, to: folder.root + "/old")
        FileSetup.makeDirectory(folder.path)
        #expect(folder.failure(of: StoreFolder.save([1])) == nil)
        #expect(folder.bytes("account.plist.sealed") == [1])
        #expect(try isLocked(folder))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.root + "/old") == ["lock"])
    }

    @Test("the link to the socket is made again with the directory")
    func linkToSocket() throws {
        let folder = try StoreFolder()
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(folder.failure(of: StoreFolder.save([1])) == nil)
        #expect(try Files.readLink(folder.place("socket")) == folder.root + "/socket")
    }

    @Test("what was saved into a directory made anew can be removed from it")
    func removedAfterSave() throws {
        let folder = try StoreFolder()
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(folder.failure(of: StoreFolder.save([1])) == nil)
        #expect(folder.failure(of: .remove) == nil)
        #expect(try folder.names().isEmpty)
    }

    @Test(
        "an account in another directory is not removed before it was read",
        arguments: ["account.plist.sealed", "account.plist.sealed~"])
    func unread(name: String) throws {
        let folder = try StoreFolder()
        FileSetup.move(folder.path, to: folder.root + "/old")
        FileSetup.makeDirectory(folder.path)
        try folder.write(name, [5])
        for _ in 0..<2 {
            let failure = folder.failure(of: .remove)
            #expect(failure?.errno == ESTALE)
            #expect(failure?.isInPlace == false)
            #expect(folder.bytes(name) == [5])
        }
        #expect(try folder.read().isReplaced)
        #expect(try !folder.read().isReplaced)
        #expect(folder.failure(of: .remove) == nil)
        #expect(try folder.names().isEmpty)
    }

    @Test("a directory that another daemon holds is left alone")
    func heldDirectory() throws {
        let folder = try StoreFolder()
        FileSetup.move(folder.path, to: folder.root + "/old")
        let directory = try Directory.open(folder.path, create: true)
        var lock = try FileLock(StoreFiles.lockName, in: directory)
        let isHeld = try lock.tryAcquire()
        #expect(isHeld)
        let failure = folder.failure(of: StoreFolder.save([1]))
        #expect(
            failure
                == StoreFailure(
                    errno: EBUSY,
                    message: "\(folder.path) was replaced, and another accountd holds it now",
                    isInPlace: false))
        #expect(try folder.names().isEmpty)
        lock.release()
        #expect(folder.failure(of: StoreFolder.save([1])) == nil)
    }

    static let strange: [(String, Int32)] = [
        ("a symbolic link", ELOOP), ("a file", ENOTDIR), ("open to the group", EPERM),
    ]

    @Test("a directory that became something else is refused, by name", arguments: strange)
    func strangeDirectory(what: String, number: Int32) throws {
        let folder = try StoreFolder()
        FileSetup.move(folder.path, to: folder.root + "/old")
        switch what {
        case "a symbolic link": FileSetup.makeLink(folder.path, to: folder.root + "/old")
        case "a file": try FileSetup.write(folder.path, [])
        default:
            FileSetup.makeDirectory(folder.path)
            FileSetup.setMode(folder.path, 0o770)
        }
        for change in [StoreFolder.save([1]), .remove, .mend([])] {
            let failure = folder.failure(of: change)
            #expect(failure?.errno == number)
            #expect(failure?.isInPlace == false)
            #expect(failure?.message.contains(folder.path) == true)
        }
    }

    @Test("a read takes the files and the key at once")
    func reading() throws {
        let folder = try StoreFolder()
        try folder.write("account.plist.sealed", [1])
        try Data(repeating: 5, count: 32).write(to: URL(fileURLWithPath: folder.keyPath))
        FileSetup.setMode(folder.keyPath, 0o600)
        let arena = try SecretArena.forTest(capacity: 4096)
        let keys = try StoreKeys(arena: arena)
        guard case .contents(let contents) = folder.files.perform(.read(keys)) else {
            Issue.record("no contents")
            return
        }
        let key = keys.keyFile
        #expect(contents.account == .bytes([1]))
        #expect(key.finding == .read)
        let isWhole = key.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0] == 5 } }
        #expect(isWhole)
    }
}
