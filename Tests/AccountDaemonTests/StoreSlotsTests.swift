import AccountService
import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon
@testable import Sealing

/// What a change of the key slots does to the store's files. docs/FORMAT.md, "Rotation"
@Suite struct StoreSlotsTests {
    private static func save(
        _ slots: [UInt8], in place: [UInt8]?, keyFile: SecretLoan? = nil
    ) -> StoreChange {
        var request = SlotsRequest(expected: place, slots: slots, time: 1_700_000_000)
        request.keyFile = keyFile
        return .saveSlots(request)
    }

    @Test("a store's first slots are written with their copy, for this user alone")
    func firstSlots() throws {
        let folder = try StoreFolder()
        let arena = try SecretArena.forTest(capacity: 4096)
        let key = try SecretLoan.key(7, in: arena)
        #expect(folder.failure(of: Self.save([1, 2], in: nil, keyFile: key)) == nil)
        #expect(try folder.names() == ["keyslots.plist", "keyslots.plist~"])
        for name in try folder.names() {
            #expect(folder.bytes(name) == [1, 2])
            #expect(try folder.mode(folder.place(name)) == 0o600)
        }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder.keyPath))
                == Data(repeating: 7, count: 32))
    }

    @Test(
        "first slots take nobody's place",
        arguments: ["keyslots.plist", "account.plist.sealed", "keyslots.plist.next"])
    func taken(name: String) throws {
        let folder = try StoreFolder()
        let arena = try SecretArena.forTest(capacity: 4096)
        try folder.write(name, [9])
        let key = try SecretLoan.key(7, in: arena)
        let failure = folder.failure(of: Self.save([1], in: nil, keyFile: key))
        #expect(
            failure
                == StoreFailure(
                    errno: ESTALE,
                    message: "\(folder.place(name)) was not there when the store was read: "
                        + "`account doctor` reads it; nothing was changed", isInPlace: false))
        #expect(try folder.names() == [name])
        #expect(!FileManager.default.fileExists(atPath: folder.keyPath))
        // What was left of a change that was cut off is no obstacle.
        let other = try StoreFolder()
        try other.write("keyslots.plist~", [9])
        #expect(other.failure(of: Self.save([1], in: nil)) == nil)
        #expect(other.bytes("keyslots.plist~") == [1])
    }

    @Test("slots take the place of those that were read, and of no others")
    func replacing() throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [1])
        try folder.write("keyslots.plist~", [1])
        #expect(folder.failure(of: Self.save([2], in: [1])) == nil)
        #expect(folder.bytes("keyslots.plist") == [2])
        #expect(folder.bytes("keyslots.plist~") == [2])
        let arena = try SecretArena.forTest(capacity: 4096)
        let key = try SecretLoan.key(7, in: arena)
        let failure = folder.failure(of: Self.save([3], in: [1], keyFile: key))
        #expect(failure?.errno == ESTALE)
        #expect(failure?.isInPlace == false)
        #expect(folder.bytes("keyslots.plist") == [2])
        #expect(folder.bytes("keyslots.plist~") == [2])
        #expect(!FileManager.default.fileExists(atPath: folder.keyPath))
        #expect(try folder.names() == ["keyslots.plist", "keyslots.plist~"])
    }

    @Test("slots that wait for their place get it first, and those before are kept")
    func adoption() throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [1])
        try folder.write("keyslots.plist~", [1])
        try folder.write("keyslots.plist.next", [2])
        #expect(folder.failure(of: Self.save([3], in: [2])) == nil)
        #expect(folder.bytes("keyslots.plist") == [3])
        #expect(folder.bytes("keyslots.plist~") == [3])
        #expect(folder.bytes("keyslots.plist.next") == nil)
        #expect(folder.bytes("keyslots.plist.damaged-1700000000") == [1])
    }

    @Test("a key file that is there already is not replaced, and the slots stay")
    func keyExists() throws {
        let folder = try StoreFolder()
        let arena = try SecretArena.forTest(capacity: 4096)
        try folder.write("keyslots.plist", [1])
        try FileSetup.write(folder.keyPath, [9])
        let key = try SecretLoan.key(7, in: arena)
        let failure = folder.failure(of: Self.save([2], in: [1], keyFile: key))
        #expect(failure?.errno == EEXIST)
        #expect(folder.bytes("keyslots.plist") == [1])
        #expect(folder.bytes("keyslots.plist~") == nil)
    }

    @Test("slots that cannot be written leave the copy as it was")
    func copyRestored() throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [1])
        // What is no file cannot be replaced by one.
        FileSetup.makeDirectory(folder.place("keyslots.plist~"))
        let failure = folder.failure(of: Self.save([2], in: [1]))
        #expect(failure?.isInPlace == false)
        #expect(folder.bytes("keyslots.plist") == [1])
    }

    // MARK: Earlier master keys

    private static let earlier = try? MasterKeyID.testing(1)
    private static let other = try? MasterKeyID.testing(2)

    /// What a file in the store may be.
    enum File: String, CaseIterable, Sendable {
        case sealed, sealedByAnother, headerAlone, empty, short, magicDamaged, reservedDamaged
        case laterVersion, laterSuite, huge, directory, fifo, link, danglingLink

        /// Whether it is, or may be, sealed by the earlier key.
        var bears: Bool {
            switch self {
            case .sealed, .headerAlone, .laterVersion, .laterSuite, .huge: true
            // What it leads to is not looked at.
            case .link, .danglingLink: true
            default: false
            }
        }

        func make(_ path: String) throws {
            let id = try #require(self == .sealedByAnother ? other : earlier)
            var bytes =
                [0x93, 0x53, 0x45, 0x41, 0x4C, 0x0D, 0x0A, 0x1A, 1, 0, 1, 0, 0, 0, 0, 0]
                + id.bytes + [UInt8](repeating: 5, count: 100)
            switch self {
            case .sealed, .sealedByAnother, .huge: break
            case .headerAlone: bytes.removeLast(bytes.count - SealedFile.headerSize)
            case .empty: bytes = []
            case .short: bytes.removeLast(bytes.count - SealedFile.headerSize + 1)
            case .magicDamaged: bytes[0] ^= 1
            case .reservedDamaged: bytes[12] = 1
            case .laterVersion: bytes[8] = 2
            case .laterSuite: bytes[10] = 2
            case .directory: return FileSetup.makeDirectory(path)
            case .fifo: return FileSetup.makeFIFO(path)
            case .danglingLink: return FileSetup.makeLink(path, to: path + "-none")
            case .link:
                try FileSetup.write(path + "-target", bytes)
                return FileSetup.makeLink(path, to: path + "-target")
            }
            try FileSetup.write(path, bytes)
            // SAFETY: the path lives for the call.
            if self == .huge { #expect(unsafe truncate(path, 1 << 40) == 0) }
        }
    }

    private static func drop(_ ids: [MasterKeyID?], in place: [UInt8] = [1]) -> StoreChange {
        .dropRetiredKeys(
            RetiredKeysRequest(
                ids: ids.compactMap { $0 }, expected: place, slots: [2], time: 1_700_000_000))
    }

    /// The ids that files bear; nil where the slots were written.
    private func borne(_ folder: StoreFolder, _ ids: [MasterKeyID?]) throws -> [MasterKeyID]? {
        switch folder.files.perform(Self.drop(ids)) {
        case .done:
            #expect(folder.bytes("keyslots.plist") == [2])
            #expect(folder.bytes("keyslots.plist~") == [2])
            return nil
        case .borne(let borne):
            #expect(folder.bytes("keyslots.plist") == [1])
            return borne.ids
        default: throw Errno.invalidArgument
        }
    }

    private func folder() throws -> StoreFolder {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [1])
        FileSetup.makeDirectory(folder.place("archives"))
        return folder
    }

    @Test("a key is forgotten when nothing can be sealed by it", arguments: File.allCases)
    func files(file: File) throws {
        for name in [
            "account.plist.sealed", "account.plist.sealed~", "account.plist.sealed.damaged-5",
            "app.plist.sealed", "archives/a.sealed", "archives/a.sealed~", "archives/.draft",
        ] {
            let folder = try folder()
            try file.make(folder.place(name))
            let borne = try borne(folder, [Self.earlier])
            #expect((borne != nil) == file.bears, "\(name)")
        }
    }

    @Test(
        "whether the previous generation bears a key is told",
        arguments: ["account.plist.sealed~", "account.plist.sealed", "archives/a.sealed"])
    func spare(name: String) throws {
        let folder = try folder()
        try File.sealed.make(folder.place(name))
        let earlier = try #require(Self.earlier)
        guard case .borne(let borne) = folder.files.perform(Self.drop([Self.other, earlier]))
        else {
            Issue.record("a key was forgotten")
            return
        }
        #expect(
            borne == BorneKeys([earlier], bySpare: name.hasSuffix("sealed~") && !name.contains("/"))
        )
    }

    @Test("a previous generation by a key that is not asked for is none that bears it")
    func otherSpare() throws {
        let folder = try folder()
        try File.sealedByAnother.make(folder.place("account.plist.sealed~"))
        try File.sealed.make(folder.place("archives/a.sealed~"))
        let earlier = try #require(Self.earlier)
        guard case .borne(let borne) = folder.files.perform(Self.drop([earlier])) else {
            Issue.record("a key was forgotten")
            return
        }
        #expect(borne == BorneKeys([earlier]))
    }

    @Test("files that are none of the store's keep nobody's key")
    func foreignFiles() throws {
        let folder = try folder()
        try File.sealed.make(folder.place("keyslots.plist.damaged-5"))
        try File.sealed.make(folder.place("notes.sealed"))
        #expect(try borne(folder, [Self.earlier]) == nil)
    }

    @Test("all keys that are borne are named, and no others")
    func several() throws {
        let folder = try folder()
        try File.sealed.make(folder.place("archives/a.sealed"))
        #expect(try borne(folder, [Self.other, Self.earlier]) == [try #require(Self.earlier)])
        try File.sealedByAnother.make(folder.place("archives/b.sealed"))
        #expect(try borne(folder, [Self.other, Self.earlier])?.count == 2)
        let third = try MasterKeyID.testing(3)
        #expect(try borne(folder, [third]) == nil)
    }

    @Test(
        "where the archives cannot be looked into every key stays",
        arguments: [File.link, .fifo, .empty])
    func archivesHidden(kind: File) throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [1])
        if kind == .link {
            FileSetup.makeDirectory(folder.root + "/elsewhere")
            FileSetup.makeLink(folder.place("archives"), to: folder.root + "/elsewhere")
        } else {
            try kind.make(folder.place("archives"))
        }
        #expect(try borne(folder, [Self.earlier, Self.other])?.count == 2)
    }

    @Test(
        "a file that cannot be read may be sealed by any key",
        .disabled(if: isRoot, "root reads all"))
    func unreadable() throws {
        let folder = try folder()
        try File.sealedByAnother.make(folder.place("archives/a.sealed"))
        FileSetup.setMode(folder.place("archives/a.sealed"), 0)
        #expect(try borne(folder, [Self.earlier])?.count == 1)
    }

    @Test("without archives there is nothing to look into")
    func noArchives() throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [1])
        #expect(try borne(folder, [Self.earlier]) == nil)
    }

    @Test("while somebody writes an archive no key is forgotten, and afterwards it is")
    func lock() throws {
        let folder = try folder()
        let directory = try Directory.open(folder.path, create: false)
        var lock = try FileLock("archives.lock", in: directory)
        let isHeld = try lock.tryAcquire(shared: true)
        try #require(isHeld == true)
        let start = Clock.monotonicMilliseconds()
        #expect(try borne(folder, [Self.earlier])?.count == 1)
        let waited = Clock.monotonicMilliseconds() - start
        #expect(waited >= 1900)
        lock.release()
        #expect(try borne(folder, [Self.earlier]) == nil)
        // It was given back.
        let isFree = try lock.tryAcquire(shared: true)
        #expect(isFree)
    }

    @Test("what a killed writer of archives has left keeps no key, and is removed")
    func deadTemporaries() throws {
        let folder = try folder()
        try File.sealed.make(folder.place("archives/.tmp-0123456789abcdef"))
        #expect(try borne(folder, [Self.earlier]) == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.place("archives")).isEmpty)
        // Nobody else's file is.
        let others = [".tmp-0123", ".tmp-0123456789abcdeg", "tmp-0123456789abcdef"]
        for name in others { try File.sealed.make(folder.place("archives/\(name)")) }
        try folder.write("keyslots.plist", [1])
        #expect(try borne(folder, [Self.earlier])?.count == 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.place("archives"))
        #expect(left.sorted() == others.sorted())
    }

    @Test("what a writer of archives is at work on is left alone")
    func livingTemporaries() throws {
        let folder = try folder()
        let temporary = folder.place("archives/.tmp-0123456789abcdef")
        try File.sealed.make(temporary)
        let directory = try Directory.open(folder.path, create: false)
        var lock = try FileLock("archives.lock", in: directory)
        let isHeld = try lock.tryAcquire(shared: true)
        try #require(isHeld == true)
        #expect(try borne(folder, [Self.earlier])?.count == 1)
        #expect(FileManager.default.fileExists(atPath: temporary))
    }

    @Test("the writer's process may end meanwhile")
    func lockOfAnotherProcess() throws {
        let folder = try folder()
        try FileSetup.write(folder.place("archives.lock"), [])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["--shared", folder.place("archives.lock"), "sleep", "0.5"]
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/flock") else { return }
        try process.run()
        usleep(200_000)
        #expect(try borne(folder, [Self.earlier]) == nil)
        process.waitUntilExit()
    }

    @Test("slots that are not those that were read stay, and so do their keys")
    func otherSlots() throws {
        let folder = try folder()
        let failure = folder.failure(of: Self.drop([Self.earlier], in: [7]))
        #expect(failure?.errno == ESTALE)
        #expect(failure?.message.contains("is not what it was when the store was read") == true)
        #expect(folder.bytes("keyslots.plist") == [1])
    }

    @Test("a lock that cannot be made is told")
    func noLock() throws {
        let folder = try folder()
        FileSetup.makeDirectory(folder.place("archives.lock"))
        let failure = folder.failure(of: Self.drop([Self.earlier]))
        #expect(
            failure
                == StoreFailure(
                    errno: EISDIR,
                    message: "whether a file of \(folder.path) is sealed by an earlier master key "
                        + "cannot be told: \(Errno(rawValue: EISDIR).description)",
                    isInPlace: false))
    }

    // MARK: The key file

    @Test("a key file that opens nothing is removed, or is gone already")
    func removal() throws {
        let folder = try StoreFolder()
        try FileSetup.write(folder.keyPath, [UInt8](repeating: 1, count: 32))
        for _ in 0..<2 {
            #expect(folder.failure(of: .removeKeyFile) == nil)
            #expect(!FileManager.default.fileExists(atPath: folder.keyPath))
        }
    }

    @Test("a key file that cannot be removed is named")
    func removalFails() throws {
        let folder = try StoreFolder()
        FileSetup.makeDirectory(folder.keyPath)
        let failure = folder.failure(of: .removeKeyFile)
        #expect(
            failure
                == StoreFailure(
                    errno: EISDIR,
                    message: "the key file \(folder.keyPath) cannot be removed: "
                        + "\(Errno(rawValue: EISDIR).description)", isInPlace: false))
    }
}

extension MasterKeyID {
    /// An id of equal bytes.
    static func testing(_ byte: UInt8) throws -> MasterKeyID {
        let bytes = [UInt8](repeating: byte, count: 16)
        let id = MasterKeyID(bytes.span)
        return try #require(id)
    }
}
