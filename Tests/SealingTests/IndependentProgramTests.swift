import Foundation
import PropertyList
import SecretMemory
import TestSupport
import Testing

@testable import Sealing

@Suite(.enabled(if: IndependentProgram.isAvailable, IndependentProgram.reason))
struct IndependentProgramTests {
    let arena: SecretArena
    let folder: TemporaryFolder
    let secret = [UInt8](100..<132)

    init() throws {
        arena = try .forTest()
        folder = try TemporaryFolder()
        try folder.write(secret, "key")
    }

    func plaintext(name: String) throws -> SecretBuffer {
        var writer = try PropertyListWriter(
            into: try SecretBuffer(arena: arena, capacity: 4096))
        let members = [
            (try writer.add(string: "uid"), try writer.add(string: "1000000002")),
            (try writer.add(string: "screen_name"), try writer.add(string: name)),
            (try writer.add(string: "expires_in"), try writer.add(integer: 3600)),
            (try writer.add(string: "issued_at"), try writer.add(date: 1_700_000_000)),
        ]
        return try writer.finish(root: try writer.add(dictionary: members))
    }

    /// Seals an account as the daemon does and writes it.
    func writeAccount(name: String, under master: borrowing MasterKey) throws {
        let key = try master.accountKey(in: arena)
        let keyID = master.id
        let file = try plaintext(name: name).withBytes { bytes in
            try SealedFile.seal(bytes, under: key, keyID: keyID, arena: arena)
        }
        try folder.write(file, "account.plist.sealed")
    }

    func list(_ master: borrowing MasterKey) throws -> KeySlots {
        let seed = try SlotSeed.keyfile(secret.span, arena: arena)
        return try KeySlots.create(
            masterKey: master, seed: seed, created: 1_700_000_000, arena: arena)
    }

    func openedName(_ secret: String = "key", kind: KeySlot.Kind = .keyfile) throws -> String? {
        let result = try IndependentProgram.call(
            "open", folder.url.path, folder.path(secret), "--kind", kind.rawValue)
        #expect(result.status == 0, "\(result.errors)")
        let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        let account = try #require(json as? [String: Any])
        #expect(account["uid"] as? String == "1000000002")
        #expect(account["expires_in"] as? Int == 3600)
        #expect(account["issued_at"] as? String == "2023-11-14T22:13:20Z")
        return account["screen_name"] as? String
    }

    @Test(
        "what we seal another program opens",
        arguments: ["plain", "测试🙂", String(repeating: "x", count: 2000)])
    func sealedByUs(name: String) throws {
        let master = try MasterKey.random(in: arena)
        try folder.write(try list(master).serialize(arena: arena), "keyslots.plist")
        try writeAccount(name: name, under: master)
        #expect(try openedName() == name)
    }

    /// The seed of what stands in a file that the other program made, or reads.
    func seed(
        _ kind: KeySlot.Kind, _ file: [UInt8], _ parameters: KeySlot.PassphraseParameters
    ) throws -> SlotSeed {
        let line = Array(file.last == UInt8(ascii: "\n") ? file.dropLast() : file[...])
        switch kind {
        case .keyfile: return try SlotSeed.keyfile(file.span, arena: arena)
        case .credential: return try SlotSeed.credential(file.span, arena: arena)
        case .recovery: return try recoverySeed(line)
        case .passphrase: return try passphraseSeed(line, parameters)
        }
    }

    private func recoverySeed(_ line: [UInt8]) throws -> SlotSeed {
        let code = try RecoveryCode.decode(line.span, arena: arena)
        return try code.withBytes { bytes in try SlotSeed.recovery(bytes, arena: arena) }
    }

    private func passphraseSeed(
        _ line: [UInt8], _ parameters: KeySlot.PassphraseParameters
    ) throws -> SlotSeed {
        let derivation = try PassphraseDerivation(
            try arena.secret(line), parameters: parameters, arena: arena)
        #expect(derivation.run())
        let found = try derivation.seed(in: arena)
        guard let seed = found else { throw KeySlotsError.wrongSecret }
        return seed
    }

    @Test("each kind of slot that we make another program opens", arguments: KeySlot.Kind.allCases)
    func slotByUs(kind: KeySlot.Kind) throws {
        let master = try MasterKey.random(in: arena)
        var list = try list(master)
        let bytes: [UInt8] =
            switch kind {
            case .keyfile, .credential: [UInt8](7..<39)
            case .recovery: Array(RecoveryCodeTests.code.utf8)
            case .passphrase: Array("made-up words, ñ and 账户".utf8)
            }
        try folder.write(bytes, "secret")
        try list.addSlot(
            seed: try seed(kind, bytes, .moderate()), created: 5, masterKey: master, arena: arena)
        try folder.write(try list.serialize(arena: arena), "keyslots.plist")
        try writeAccount(name: "by \(kind.rawValue)", under: master)
        #expect(try openedName("secret", kind: kind) == "by \(kind.rawValue)")
    }

    @Test("each kind of slot that another program makes opens", arguments: KeySlot.Kind.allCases)
    func slotMadeElsewhere(kind: KeySlot.Kind) throws {
        let made = try IndependentProgram.call(
            "make", folder.path("state"), folder.path("secret"), "--kind", kind.rawValue,
            "--token", "2.00madeUp", "--uid", "1000000003", "--expires-in", "60")
        #expect(made.status == 0, "\(made.errors)")
        let slots = try folder.read("state/keyslots.plist")
        let list = try KeySlots.parse(slots.span, arena: arena)
        let slot = try #require(list.slots.first)
        #expect(slot.kind == kind)
        #expect(try openedSize(list, kind, slot.passphrase ?? .moderate()) > 0)
    }

    private func openedSize(
        _ list: KeySlots, _ kind: KeySlot.Kind, _ parameters: KeySlot.PassphraseParameters
    ) throws -> Int {
        let secret = try folder.read("secret")
        let opening = try seed(kind, secret, parameters)
        let master = try list.unlock(seed: opening, arena: arena)
        let file = try folder.read("state/account.plist.sealed")
        let key = try master.accountKey(in: arena)
        var buffer = try SecretBuffer(arena: arena, capacity: 4096)
        try SealedFile.open(
            file.span, under: key, keyID: master.id, into: &buffer, arena: arena)
        return buffer.count
    }

    @Test("an account under a retired key is opened by another program")
    func retired() throws {
        let old = try MasterKey.random(in: arena)
        let new = try MasterKey.random(in: arena)
        var list = try list(old)
        let recovery = try SlotSeed.recovery([UInt8](0..<20).span, arena: arena)
        try list.addSlot(seed: recovery, created: 5, masterKey: old, arena: arena)
        try list.rotate(from: old, to: new, arena: arena)
        try folder.write(try list.serialize(arena: arena), "keyslots.plist")
        try writeAccount(name: "old", under: old)
        #expect(try openedName() == "old")
        try writeAccount(name: "new", under: new)
        #expect(try openedName() == "new")
    }

    @Test(
        "files of many chunks are opened by another program", arguments: [65_535, 65_536, 150_000])
    func chunks(count: Int) throws {
        let script = """
            import sys
            sys.path.insert(0, sys.argv[1])
            import sealed_format as form
            file = open(sys.argv[2], "rb").read()
            plaintext = form.open_sealed(file, bytes([7] * 32), file[16:32])
            sys.exit(0 if plaintext == bytes([9]) * int(sys.argv[3]) else 1)
            """
        let key = try arena.secret([UInt8](repeating: 7, count: 32))
        let keyID = MasterKeyID.random()
        let plaintext = [UInt8](repeating: 9, count: count)
        let file = try SealedFile.seal(plaintext.span, under: key, keyID: keyID, arena: arena)
        try folder.write(file, "chunks")
        let result = try IndependentProgram.run([
            "-c", script, Vectors.tests.appending(path: "Python").path, folder.path("chunks"),
            "\(count)",
        ])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test("a store that another program makes opens")
    func madeElsewhere() throws {
        let made = try IndependentProgram.call(
            "make", folder.path("state"), folder.path("config/key"), "--token", "2.00madeUp",
            "--uid", "1000000003", "--expires-in", "60", "--issued-at", "1700000000")
        #expect(made.status == 0, "\(made.errors)")
        let keyfile = try folder.read("config/key")
        let slots = try folder.read("state/keyslots.plist")
        #expect(try folder.read("state/keyslots.plist~") == slots)
        let list = try KeySlots.parse(slots.span, arena: arena)
        let master = try list.unlock(
            seed: try .keyfile(keyfile.span, arena: arena), arena: arena)
        let key = try master.accountKey(in: arena)
        let file = try folder.read("state/account.plist.sealed")
        var buffer = try SecretBuffer(arena: arena, capacity: 4096)
        try SealedFile.open(
            file.span, under: key, keyID: master.id, into: &buffer, arena: arena)
        let isRight = try buffer.withBytes { bytes in
            var index = PropertyListIndex()
            try index.scan(bytes)
            let uid = index.member("uid", of: index.root, in: bytes)
            return uid.map { index.string($0, equals: "1000000003", in: bytes) } ?? false
        }
        #expect(isRight)

        let derived = try IndependentProgram.call(
            "derive", folder.path("state"), folder.path("config/key"))
        let lines = derived.output.split(separator: "\n").map(String.init)
        let ours = try [
            "master": master.bytes.withBytes { hexadecimal($0.array) },
            "account": key.withBytes { hexadecimal($0.array) },
            "slots": master.slotListKey(in: arena).withBytes { hexadecimal($0.array) },
            "file": SealedFile.fileKey(
                under: key, salt: file.span.extracting(32..<64), arena: arena
            ).withBytes { hexadecimal($0.array) },
        ]
        for (name, value) in ours { #expect(lines.contains("\(name) \(value)")) }
    }

    @Test("files have the modes that the document asks for")
    func modes() throws {
        _ = try IndependentProgram.call(
            "make", folder.path("state"), folder.path("key2"), "--token", "2.00madeUp",
            "--uid", "1", "--expires-in", "60")
        let names = [
            "key2", "state/keyslots.plist", "state/keyslots.plist~", "state/account.plist.sealed",
        ]
        for name in names + ["state"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            let mode = attributes[.posixPermissions] as? Int
            #expect(mode == (name == "state" ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test("the other program tells damage from a wrong secret as we do")
    func verdicts() throws {
        let master = try MasterKey.random(in: arena)
        var slots = try list(master).serialize(arena: arena)
        try folder.write(slots, "keyslots.plist")
        try writeAccount(name: "any", under: master)
        try folder.write([UInt8](repeating: 0, count: 32), "other")
        let wrong = try IndependentProgram.call("open", folder.url.path, folder.path("other"))
        #expect(wrong.status == 6)
        slots[40] ^= 1
        try folder.write(slots, "keyslots.plist")
        let damaged = try IndependentProgram.call("open", folder.url.path, folder.path("key"))
        #expect(damaged.status == 7)
    }

    @Test("the vectors are those that the program writes")
    func vectors() throws {
        let result = try IndependentProgram.call("vectors", folder.path("vectors"))
        #expect(result.status == 0, "\(result.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("vectors"))
        let committed = try FileManager.default.contentsOfDirectory(atPath: Vectors.folder.path)
        #expect(names.sorted() == committed.sorted())
        for name in names {
            let isSame = try folder.read("vectors/\(name)") == Vectors.file(name)
            #expect(isSame, "\(name)")
        }
    }
}
