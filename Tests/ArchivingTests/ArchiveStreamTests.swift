import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import Archiving

/// Archives that are written and read part by part.
@Suite struct ArchiveStreamTests {
    @Test(
        "what was written is read, whatever its size and its parts",
        arguments: [
            0, 1, 252, 253, 254, 508, 509, 65_275, 65_276, 65_533, 65_534, 131_069, 200_000,
        ], [1000, 65_536, 1 << 20])
    func roundTrip(size: Int, parts: Int) throws {
        let room = try TestArchives()
        let bytes = pattern(size)
        try room.write(bytes, named: "a", parts: parts)
        #expect(try room.content(of: "a") == bytes)
        #expect(try room.files() == ["a.sealed", "lock"])
    }

    @Test("an archive says what it is, and about how large")
    func says() throws {
        let room = try TestArchives()
        var writer = try room.archiver.writer(named: "a", kind: .json, typeName: "T")
        try writer.append([1, 2, 3].span)
        try writer.commit()
        let reader = try room.reader(of: "a")
        #expect(reader.kind == .json)
        #expect(reader.typeName == "T")
        #expect((3...259).contains(reader.maximumSize))
    }

    @Test("a writer that is dropped leaves the archive as it was")
    func dropped() throws {
        let room = try TestArchives()
        try room.write([1], named: "a")
        do {
            var writer = try room.archiver.writer(named: "a")
            try writer.append(pattern(100_000).span)
            #expect(try room.files().count == 3)
        }
        #expect(try room.files() == ["a.sealed", "lock"])
        #expect(try room.content(of: "a") == [1])
    }

    @Test("the generation before stays, and goes with the archive")
    func generations() throws {
        let room = try TestArchives()
        for number: UInt8 in 1...3 { try room.write([number], named: "a") }
        #expect(try room.content(of: "a") == [3])
        #expect(try room.content(of: "a", isPrevious: true) == [2])
        #expect(try room.archiver.delete(named: "a"))
        #expect(try !room.archiver.delete(named: "a"))
        #expect(try room.content(of: "a") == nil)
        #expect(try room.content(of: "a", isPrevious: true) == nil)
        #expect(try room.files() == ["lock"])
    }

    @Test("the generation before is brought back, and the other one again")
    func restoring() throws {
        let room = try TestArchives()
        #expect(try !room.archiver.restorePrevious(named: "a"))
        try room.write([1], named: "a")
        #expect(try !room.archiver.restorePrevious(named: "a"))
        try room.write([2], named: "a")
        let file = room.archives + "/a.sealed"
        let damaged = Array(try room.bytes(file).dropLast())
        try room.write(damaged, to: file)
        #expect(try room.archiver.restorePrevious(named: "a"))
        #expect(try room.content(of: "a") == [1])
        #expect(throws: ArchiveError.self) { try room.archiver.restorePrevious(named: "a") }
        #expect(try room.content(of: "a") == [1])
        #expect(try room.bytes(file + "~") == damaged)
        try FileManager.default.removeItem(atPath: file)
        try room.write([3], named: "b")
        try room.write([4], named: "b")
        try FileManager.default.removeItem(atPath: room.archives + "/b.sealed")
        #expect(try room.archiver.restorePrevious(named: "b"))
        #expect(try room.content(of: "b") == [3])
        #expect(try room.files() == ["a.sealed~", "b.sealed", "lock"])
    }

    @Test("damage at any place is met, and none of it passes for content")
    func damage() throws {
        let room = try TestArchives()
        let bytes = pattern(140_000)
        try room.write(bytes, named: "a")
        let file = room.archives + "/a.sealed"
        let whole = try room.bytes(file)
        for place in [0, 8, 10, 12, 20, 40, 70, 88, 200, 65_640, 65_642, 131_200, whole.count - 1] {
            var changed = whole
            changed[place] ^= 1
            try room.write(changed, to: file)
            #expect(throws: ArchiveError.self, "byte \(place)") { try room.content(of: "a") }
        }
        for size in [0, 1, 87, 88, 100, 65_641, 65_642, 131_194, 131_195, whole.count - 1] {
            try room.write(Array(whole[..<size]), to: file)
            #expect(throws: ArchiveError.self, "\(size) bytes") { try room.content(of: "a") }
        }
        try room.write(whole + [0], to: file)
        #expect(throws: ArchiveError.self) { try room.content(of: "a") }
        try room.write(whole, to: file)
        #expect(try room.content(of: "a") == bytes)
    }

    @Test("what comes before the damage is what was written")
    func lateDamage() throws {
        let room = try TestArchives()
        let bytes = pattern(140_000)
        try room.write(bytes, named: "a")
        let file = room.archives + "/a.sealed"
        var changed = try room.bytes(file)
        changed[changed.count - 1] ^= 1
        try room.write(changed, to: file)
        var reader = try room.reader(of: "a")
        var read: [UInt8] = []
        var failure: ArchiveError?
        do throws(ArchiveError) {
            while try reader.next({ part throws(ArchiveError) in
                for index in part.indices { read.append(part[index]) }
            }) {}
        } catch { failure = error }
        #expect(failure == .damaged(archive: "a", reason: "it does not open by its key"))
        #expect(read == Array(bytes[..<131_069]))
    }

    @Test("one archive's file in another one's place does not open")
    func exchanged() throws {
        let room = try TestArchives()
        try room.write([1], named: "a")
        try room.write(room.bytes(room.archives + "/a.sealed"), to: room.archives + "/b.sealed")
        #expect(throws: ArchiveError.damaged(archive: "b", reason: "it does not open by its key")) {
            try room.content(of: "b")
        }
    }

    @Test("a link, a directory and a FIFO in the place of an archive are refused")
    func otherFiles() throws {
        let room = try TestArchives()
        try room.write([1], named: "a")
        let file = room.archives + "/b.sealed"
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: file, withDestinationPath: room.archives + "/a.sealed")
        #expect(throws: ArchiveError.damaged(archive: "b", reason: "it is a symbolic link")) {
            try room.content(of: "b")
        }
        try manager.removeItem(atPath: file)
        // SAFETY: the path lives for the call.
        #expect(unsafe mkfifo(file, 0o600) == 0)
        #expect(throws: ArchiveError.self) { try room.content(of: "b") }
        try manager.removeItem(atPath: file)
        try manager.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(throws: ArchiveError.self) { try room.content(of: "b") }
    }

    @Test("what a killed writer has left is tidied up, and what is being written is not")
    func leftovers() throws {
        let room = try TestArchives()
        try room.write([1], named: "a")
        try room.write([9], to: room.archives + "/.tmp-00000000deadbeef")
        do {
            var writer = try room.archiver.writer(named: "b")
            try writer.append([2].span)
            #expect(try room.files().filter { $0.hasPrefix(".tmp") }.count == 1)
            try room.write([3], named: "c")
            try writer.commit()
        }
        #expect(try room.files() == ["a.sealed", "b.sealed", "c.sealed", "lock"])
        #expect(try room.content(of: "b") == [2])
    }

    @Test("a second name that another writer has just made is not tidied away")
    func secondNames() throws {
        let room = try TestArchives()
        try room.write([1], named: "a")
        try FileManager.default.linkItem(
            atPath: room.archives + "/a.sealed", toPath: room.archives + "/.tmp-00000000deadbeef")
        do {
            let archives = try LinuxSystem.Directory.open(room.archives, create: false)
            let naming = try ArchiveNaming.begin(
                ArchiveName("a"), in: archives, room.archiver.store)
            // Those who give names do not wait for each other.
            try room.write([3], named: "c")
            #expect(try room.files().contains(".tmp-00000000deadbeef"))
            withExtendedLifetime(naming) {}
        }
        try room.write([3], named: "c")
        #expect(try !room.files().contains(".tmp-00000000deadbeef"))
    }

    @Test("two writers of one archive wait for each other, and not for ever")
    func busy() throws {
        let room = try TestArchives(patience: 0)
        let writer = try room.archiver.writer(named: "a")
        #expect(throws: ArchiveError.busy(archive: "a")) {
            _ = try room.archiver.writer(named: "a")
        }
        #expect(throws: ArchiveError.busy(archive: "a")) { try room.archiver.delete(named: "a") }
        try room.write([1], named: "b")
        try writer.commit()
        try room.write([2], named: "a")
        #expect(try room.content(of: "a") == [2])
    }
}
