import Foundation
import LinuxSystem
import Sealing
import SecretMemory
import TestSupport

@testable import Archiving

/// A store in a directory of its own, which a key file opens; gone with this object.
final class TestArchives {
    let root: String
    let archiver: Archiver

    var path: String { root + "/state" }
    var keyFile: String { root + "/key" }
    var archives: String { path + "/archives" }
    /// Opens what the key file opens, and asks no daemon.
    var keys: SlotKeySource { SlotKeySource(keyFile: keyFile) }

    init(patience: Int = 10) throws {
        let base = FileManager.default.temporaryDirectory.path
        root = "\(base)/archives-\(UInt64.random(in: .min ... .max))"
        archiver = Archiver(
            store: ArchiveStore(
                path: root + "/state", keys: SlotKeySource(keyFile: root + "/key"),
                patience: patience))
        for directory in [root, root + "/state"] {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        try write([UInt8](repeating: 7, count: 32), to: keyFile)
        let arena = try SecretArena.forTest()
        let masterKey = try MasterKey.random(in: arena)
        let seed = try seed(arena)
        try save(
            KeySlots.create(masterKey: masterKey, seed: seed, created: 1, arena: arena), arena)
    }

    deinit {
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Puts another master key in place of the present one, which becomes a retired one.
    func rotate() throws {
        let arena = try SecretArena.forTest()
        var slots = try self.slots(arena)
        let seed = try seed(arena)
        let old = try slots.unlock(seed: seed, arena: arena)
        let new = try MasterKey.random(in: arena)
        try slots.rotate(from: old, to: new, arena: arena)
        try save(slots, arena)
    }

    /// Forgets all retired keys.
    func dropRetiredKeys() throws {
        let arena = try SecretArena.forTest()
        var slots = try self.slots(arena)
        let seed = try seed(arena)
        let current = try slots.unlock(seed: seed, arena: arena)
        for key in slots.retired {
            try slots.dropRetiredKey(key.id, masterKey: current, arena: arena)
        }
        try save(slots, arena)
    }

    func currentKeyID() throws -> MasterKeyID {
        try slots(SecretArena.forTest()).current
    }

    private func slots(_ arena: SecretArena) throws -> KeySlots {
        let file = try bytes(path + "/keyslots.plist")
        return try KeySlots.parse(file.span, arena: arena)
    }

    private func seed(_ arena: SecretArena) throws -> SlotSeed {
        let bytes = try bytes(keyFile)
        return try SlotSeed.keyfile(bytes.span, arena: arena)
    }

    private func save(_ slots: KeySlots, _ arena: SecretArena) throws {
        try write(slots.serialize(arena: arena), to: path + "/keyslots.plist")
    }

    func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// The names of the files in the directory of archives.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: archives).sorted()
    }

    /// An archive that is there, to be read part by part.
    func reader(of name: String, isPrevious: Bool = false) throws -> ArchiveReader {
        switch try archiver.reader(named: name, isPrevious: isPrevious) {
        case .none: throw CocoaError(.fileNoSuchFile)
        case .some(let reader): return reader
        }
    }

    /// All of an archive, read part by part; nil when there is none.
    func content(of name: String, isPrevious: Bool = false) throws -> [UInt8]? {
        switch try archiver.reader(named: name, isPrevious: isPrevious) {
        case .none: return nil
        case .some(let reader): return try Self.content(of: reader)
        }
    }

    private static func content(
        of opened: consuming ArchiveReader
    ) throws(ArchiveError) -> [UInt8] {
        var reader = opened
        var all: [UInt8] = []
        while try reader.next({ part throws(ArchiveError) in
            for index in part.indices { all.append(part[index]) }
        }) {}
        return all
    }

    /// Writes an archive in parts of a size.
    func write(_ bytes: [UInt8], named name: String, parts: Int = 10_000) throws {
        var writer = try archiver.writer(named: name)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + parts)
            try writer.append(bytes.span.extracting(start..<end))
            start = end
        }
        try writer.commit()
    }
}

/// Bytes that repeat late.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt32 = 12345
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}
