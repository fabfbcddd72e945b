import Foundation
import Testing

@testable import Archiving

/// The draft box: new ones go first, an edited one replaces the one it came from.
@Suite struct DraftBoxTests {
    private static func draft(_ title: String) -> Draft {
        Draft(
            title: title, time: "2016-12-13 21:05:09", pictures: [Data([0x89, 0x50])],
            pictureAssets: ["assets-library://a1"], isOriginalPhoto: true)
    }

    @Test("drafts are read back in their order, pictures included")
    func order() throws {
        let box = DraftBox(in: try TestArchives().archiver)
        #expect(try box.drafts().isEmpty)
        let room = try TestArchives()
        let drafts = DraftBox(in: room.archiver)
        let all = ["一", "二", "三"].map(Self.draft)
        for draft in all { try drafts.save(draft) }
        #expect(try drafts.drafts() == all.reversed())
        #expect(try drafts.path == room.archives + "/drafts.sealed")
        #expect(FileManager.default.fileExists(atPath: try drafts.path))
    }

    @Test("an edited draft stands where the one that it came from stood")
    func edits() throws {
        let room = try TestArchives()
        let box = DraftBox(in: room.archiver)
        for title in ["一", "二", "三"] { try box.save(Self.draft(title)) }
        var second = try box.drafts()[1]
        second.title = "changed"
        try box.save(second)
        #expect(try box.drafts().map(\.title) == ["三", "changed", "一"])
    }

    @Test("a draft is removed by its id")
    func removals() throws {
        let room = try TestArchives()
        let box = DraftBox(in: room.archiver)
        let draft = Self.draft("一")
        try box.save(draft)
        #expect(try box.remove(id: "0") == nil)
        #expect(try box.remove(id: draft.id) == draft)
        #expect(try box.drafts().isEmpty)
        #expect(try room.archiver.list() == ["drafts"])
    }

    @Test("a draft of a title and a time is enough")
    func fewFields() throws {
        let room = try TestArchives()
        try room.archiver.write([["title": "t", "time": "x"]] as ArchiveValue, named: "drafts")
        let draft = try #require(try DraftBox(in: room.archiver).drafts().first)
        #expect(draft.title == "t" && draft.time == "x" && draft.id.utf8.count == 16)
        #expect(draft.pictures.isEmpty && draft.pictureAssets.isEmpty && !draft.isOriginalPhoto)
    }

    @Test("a draft's time is the wall's")
    func wallTime() {
        let time = Array(Draft.wallTime().utf8)
        #expect(time.count == 19)
        #expect(time[4] == UInt8(ascii: "-") && time[10] == UInt8(ascii: " "))
    }

    @Test("boxes of other names are others")
    func names() throws {
        let room = try TestArchives()
        try DraftBox(named: "one", in: room.archiver).save(Self.draft("一"))
        #expect(try DraftBox(named: "two", in: room.archiver).drafts().isEmpty)
        #expect(try room.archiver.read([Draft].self, named: "one")?.count == 1)
    }
}

/// A value in memory and in an archive.
@Suite struct ArchivedValueTests {
    @Test("the value in memory is the archive's, until it is read again")
    func memory() throws {
        let room = try TestArchives()
        let value = ArchivedValue<[String]>(named: "a", in: room.archiver)
        #expect(try value.value == nil)
        try value.save(["x"])
        #expect(try value.value == ["x"])
        let other = ArchivedValue<[String]>(named: "a", in: room.archiver)
        #expect(try other.value == ["x"])
        try other.save(["y"])
        #expect(try value.value == ["x"])
        #expect(try value.load() == ["y"])
        #expect(try value.value == ["y"])
    }

    @Test("cleared it is gone from both")
    func clearing() throws {
        let room = try TestArchives()
        let value = ArchivedValue<Int>(named: "a", in: room.archiver)
        #expect(try !value.clear())
        try value.save(1)
        #expect(try value.clear())
        #expect(try value.value == nil)
        #expect(try room.archiver.list() == [])
    }

    @Test("a change is made to what the archive holds, not to what memory does")
    func updates() throws {
        let room = try TestArchives()
        let value = ArchivedValue<Int>(named: "a", in: room.archiver)
        try value.save(1)
        try room.archiver.write(10, named: "a")
        try value.update { $0 = ($0 ?? 0) + 1 }
        #expect(try value.value == 11)
    }

    @Test("a value that cannot be written stays what it was in memory")
    func failures() throws {
        let room = try TestArchives()
        let value = ArchivedValue<Int>(named: "a", in: room.archiver)
        try value.save(1)
        try FileManager.default.removeItem(atPath: room.keyFile)
        #expect(throws: ArchiveError.self) { try value.save(2) }
        #expect(try value.value == 1)
    }
}
