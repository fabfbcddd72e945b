import AccountService
import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

@Suite struct KeyFilePathTests {
    enum Kind: Sendable {
        case file(Int, mode: UInt32)
        case link, directory, fifo, nothing, missingParent
    }

    static let cases: [(Kind, Int32?, String)] = [
        (.file(32, mode: 0o600), nil, ""), (.file(32, mode: 0o400), nil, ""),
        (.file(32, mode: 0o700), nil, ""),
        (.file(31, mode: 0o600), EINVAL, "has 31 bytes; a key has 32"),
        (.file(33, mode: 0o600), EINVAL, "has 33 bytes; a key has 32"),
        (.file(0, mode: 0o600), EINVAL, "has 0 bytes; a key has 32"),
        (
            .file(32, mode: 0o640), EINVAL, "has mode 0640, which lets others in; make it 0600"
        ),
        (
            .file(32, mode: 0o604), EINVAL, "has mode 0604, which lets others in; make it 0600"
        ),
        (.link, ELOOP, "is a symbolic link, which is not followed"),
        (.directory, EINVAL, "is no regular file"), (.fifo, EINVAL, "is no regular file"),
    ]

    private func make(_ kind: Kind, at path: String) throws {
        switch kind {
        case .file(let size, let mode):
            try Data(repeating: 3, count: size).write(to: URL(fileURLWithPath: path))
            FileSetup.setMode(path, mode)
        case .link:
            try make(.file(32, mode: 0o600), at: path + "-target")
            FileSetup.makeLink(path, to: path + "-target")
        case .directory: FileSetup.makeDirectory(path)
        case .fifo: FileSetup.makeFIFO(path)
        case .nothing, .missingParent: break
        }
    }

    private func read(_ path: String) throws -> KeyFileReading {
        let reading = try KeyFileReading(arena: SecretArena.forTest(capacity: 4096))
        try KeyFilePath(path: path, isDefault: true).read(into: reading)
        return reading
    }

    @Test("a key file is 32 bytes of this user alone, or is said to be unusable", arguments: cases)
    func reading(kind: Kind, errno: Int32?, why: String) throws {
        let folder = try StoreFolder()
        try make(kind, at: folder.keyPath)
        let reading = try read(folder.keyPath)
        if let errno {
            #expect(
                reading.finding
                    == .unusable(errno: errno, "the key file \(folder.keyPath) \(why)"))
        } else {
            #expect(reading.finding == .read)
            let isWhole = reading.withBytes { bytes in
                bytes.indices.allSatisfy { bytes[$0] == 3 }
            }
            #expect(isWhole)
        }
    }

    @Test("a key file that is not there is absent, its directory too")
    func absent() throws {
        let folder = try StoreFolder()
        #expect(try read(folder.keyPath).finding == .absent)
        #expect(try read(folder.root + "/none/key").finding == .absent)
    }

    @Test("what stands in the way of the key file is named")
    func unreadable() throws {
        let folder = try StoreFolder()
        try FileSetup.write(folder.keyPath, [])
        guard case .unusable(ENOTDIR, let why) = try read(folder.keyPath + "/key").finding else {
            Issue.record("it is usable")
            return
        }
        #expect(why.hasPrefix("the key file \(folder.keyPath)/key cannot be read: "))
    }

    @Test(
        "another user's key file is not used",
        .enabled(if: isRoot, "only root can give files away"))
    func owner() throws {
        let folder = try StoreFolder()
        try make(.file(32, mode: 0o600), at: folder.keyPath)
        FileSetup.giveAway(folder.keyPath)
        #expect(
            try read(folder.keyPath).finding
                == .unusable(
                    errno: EINVAL, "the key file \(folder.keyPath) belongs to uid 65533"))
    }

    static let credentials: [(Kind, Int32?, String)] = [
        (.file(32, mode: 0o400), nil, ""), (.file(32, mode: 0o440), nil, ""),
        (.file(32, mode: 0o600), nil, ""), (.file(32, mode: 0o640), nil, ""),
        (
            .file(32, mode: 0o444), EINVAL, "has mode 0444, which lets others in; make it 0600"
        ),
        (
            .file(32, mode: 0o442), EINVAL, "has mode 0442, which lets others in; make it 0600"
        ),
        (.file(31, mode: 0o400), EINVAL, "has 31 bytes; a key has 32"),
        (.file(33, mode: 0o440), EINVAL, "has 33 bytes; a key has 32"),
        (.file(0, mode: 0o440), EINVAL, "has 0 bytes; a key has 32"),
        (.link, ELOOP, "is a symbolic link, which is not followed"),
        (.directory, EINVAL, "is no regular file"), (.fifo, EINVAL, "is no regular file"),
        (.nothing, nil, ""),
    ]

    @Test(
        "the credential is 32 bytes that the service manager lets this service read",
        arguments: credentials)
    func credential(kind: Kind, errno: Int32?, why: String) throws {
        let folder = try StoreFolder()
        let path = folder.root + "/accountd.key"
        try make(kind, at: path)
        let reading = try KeyFileReading(arena: SecretArena.forTest(capacity: 4096))
        try KeyFilePath(path: path, isDefault: false, isCredential: true).read(into: reading)
        if let errno {
            #expect(
                reading.finding == .unusable(errno: errno, "the credential \(path) \(why)"))
        } else if case .nothing = kind {
            #expect(reading.finding == .absent)
        } else {
            #expect(reading.finding == .read)
        }
    }

    private func create(_ path: String, isDefault: Bool) throws -> StoreFailure? {
        let arena = try SecretArena.forTest(capacity: 4096)
        let loan = try SecretLoan.key(9, in: arena)
        do throws(StoreFailure) {
            try KeyFilePath(path: path, isDefault: isDefault).create(loan)
            return nil
        } catch { return error }
    }

    @Test("a new key file reads as it was written, and its own directory is made")
    func creating() throws {
        let folder = try StoreFolder()
        let path = folder.root + "/config/account/key"
        #expect(try create(path, isDefault: true) == nil)
        #expect(try folder.mode(folder.root + "/config") == 0o700)
        #expect(try folder.mode(folder.root + "/config/account") == 0o700)
        #expect(try folder.mode(path) == 0o600)
        #expect(try read(path).finding == .read)
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: folder.root + "/config/account") == ["key"])
    }

    @Test("the directory of a key file that was named is not made")
    func namedParent() throws {
        let folder = try StoreFolder()
        let path = folder.root + "/config/key"
        let failure = try create(path, isDefault: false)
        #expect(failure?.errno == ENOENT)
        #expect(
            failure?.message
                == "the key file \(path) cannot be made: \(Errno.notFound.description); "
                + "nothing was stored")
    }

    @Test("an older directory may let others look in, and may not be a link")
    func olderParent() throws {
        let folder = try StoreFolder()
        FileSetup.makeDirectory(folder.root + "/open", mode: 0o755)
        #expect(try create(folder.root + "/open/key", isDefault: true) == nil)
        FileSetup.makeLink(folder.root + "/link", to: folder.root + "/open")
        #expect(try create(folder.root + "/link/other", isDefault: true)?.errno == ELOOP)
    }

    @Test("what has the name already is never replaced", arguments: [Kind.link, .directory, .fifo])
    func exists(kind: Kind) throws {
        let folder = try StoreFolder()
        try make(kind, at: folder.keyPath)
        #expect(try create(folder.keyPath, isDefault: true)?.errno == EEXIST)
    }
}
