import SecretMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct SealedFileVectorTests {
    let arena: SecretArena

    init() throws { arena = try .forTest() }

    @Test("a file of another program gives what it must", arguments: try Vectors.load().sealed)
    func vector(_ vector: Vectors.Sealed) throws {
        let file = try Vectors.file(vector.name + ".sealed")
        let key = try arena.secret(vector.key.bytes)
        let keyID = try MasterKeyID(testing: vector.keyID.bytes)
        var buffer = try SecretBuffer(arena: arena, capacity: 1, limit: 300_000)
        var failure: SealingError?
        do {
            try SealedFile.open(file.span, under: key, keyID: keyID, into: &buffer, arena: arena)
        } catch {
            failure = error
        }
        let header = [UInt8](file.prefix(32)) + [UInt8](repeating: 0, count: 32)
        switch vector.gives {
        case "opens": #expect(failure == nil)
        case "cannotOpen": #expect(failure == .cannotOpen)
        case "unsupportedVersion": #expect(failure == .unsupportedVersion(Int(header[8])))
        case "unsupportedSuite": #expect(failure == .unsupportedSuite(Int(header[10])))
        case "unknownKey":
            let named = try MasterKeyID(testing: Array(header[16..<32]))
            #expect(failure == .unknownKey(named))
        default: Issue.record("the manifest says “\(vector.gives)”")
        }
        guard vector.gives == "opens" else {
            let isEmpty = buffer.isEmpty
            #expect(isEmpty)
            return
        }
        let count = buffer.count
        #expect(count == vector.size)
        var hash = try Blake2b(arena: arena)
        buffer.withBytes { hash.update($0) }
        let opened = try hash.finish(arena: arena).withBytes { $0.array }
        #expect(opened == vector.blake2b?.bytes)
    }

    @Test("each of our derived keys is another program's")
    func derivedKeys() throws {
        let vectors = try Vectors.load()
        let master = MasterKey(
            id: try MasterKeyID(testing: vectors.keyID.bytes),
            bytes: try arena.secret(vectors.masterKey.bytes))
        let names = ["one_chunk", "archive_with_non_ascii_name", "app"]
        let expected = names.map { name in vectors.sealed.first { $0.name == name }?.key.bytes }
        let account = try master.accountKey(in: arena).withBytes { $0.array }
        let archive = try master.archiveKey(named: "草稿/é", in: arena).withBytes { $0.array }
        let app = try master.appKey(in: arena).withBytes { $0.array }
        #expect([account, archive, app] == expected)
    }

    @Test("no two keys of a master key are the same")
    func distinctKeys() throws {
        let master = try MasterKey.random(in: arena)
        var keys: Set<[UInt8]> = [master.bytes.withBytes { $0.array }]
        keys.insert(try master.accountKey(in: arena).withBytes { $0.array })
        keys.insert(try master.appKey(in: arena).withBytes { $0.array })
        keys.insert(try master.slotListKey(in: arena).withBytes { $0.array })
        keys.insert(try master.retiredKeysKey(in: arena).withBytes { $0.array })
        for name in ["", "a", "b", "account", "é"] {
            keys.insert(try master.archiveKey(named: name, in: arena).withBytes { $0.array })
        }
        #expect(keys.count == 10)
    }

    @Test("an id is written in hexadecimal")
    func idDescription() throws {
        let id = try MasterKeyID(testing: (0..<16).map { UInt8($0 * 16 + 15 - $0) })
        #expect(id.description == "0f1e2d3c4b5a69788796a5b4c3d2e1f0")
        let short = [UInt8](repeating: 0, count: 15)
        #expect(MasterKeyID(short.span) == nil)
    }
}
