import Foundation
import Testing

@testable import Archiving

/// Archives and rotations of the master key. docs/FORMAT.md, "Rotation"
@Suite struct ResealingTests {
    @Test("after a rotation archives are read, and sealed anew with the generation before")
    func rotation() throws {
        let room = try TestArchives()
        for number in 1...2 { try room.archiver.write(number, named: "a") }
        try room.archiver.write("x", named: "B")
        try room.rotate()
        #expect(try room.archiver.read(Int.self, named: "a") == 2)
        #expect(try room.archiver.sealAnew() == .init(sealed: 3))
        try room.dropRetiredKeys()
        #expect(try room.archiver.read(Int.self, named: "a") == 2)
        #expect(try room.archiver.read(String.self, named: "B") == "x")
        let reader = try room.reader(of: "a", isPrevious: true)
        #expect(reader.typeName == "Int")
        #expect(try room.archiver.sealAnew() == .init(upToDate: 3))
    }

    @Test("a key that is forgotten too early opens nothing, and is named as the reason")
    func forgotten() throws {
        let room = try TestArchives()
        try room.archiver.write(1, named: "a")
        try room.rotate()
        try room.dropRetiredKeys()
        #expect(
            throws: ArchiveError.damaged(
                archive: "a", reason: "it is sealed by a key that the store does not have")
        ) { try room.archiver.read(Int.self, named: "a") }
    }

    @Test("one that is damaged is named, and keeps no other from being sealed anew")
    func damaged() throws {
        let room = try TestArchives()
        for name in ["a", "b", "c"] { try room.archiver.write(1, named: name) }
        let file = room.archives + "/b.sealed"
        var bytes = try room.bytes(file)
        bytes[bytes.count - 1] ^= 1
        try room.write(bytes, to: file)
        try room.rotate()
        let result = try room.archiver.sealAnew()
        #expect(result.sealed == 2)
        #expect(result.failures.map(\.archive) == ["b"])
        #expect(try room.bytes(file) == bytes)
    }

    @Test("large archives are sealed anew part by part")
    func large() throws {
        let room = try TestArchives()
        let bytes = pattern(300_000)
        try room.write(bytes, named: "a")
        try room.rotate()
        #expect(try room.archiver.sealAnew().sealed == 1)
        try room.dropRetiredKeys()
        #expect(try room.content(of: "a") == bytes)
    }

    @Test("without a store or archives there is nothing to do")
    func nothing() throws {
        let room = try TestArchives()
        #expect(try room.archiver.sealAnew() == .init())
        try FileManager.default.removeItem(atPath: room.path)
        #expect(try room.archiver.sealAnew() == .init())
    }
}
