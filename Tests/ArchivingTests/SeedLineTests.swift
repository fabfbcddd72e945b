import Foundation
import Testing

@testable import Archiving

/// What people archived on their phones in four ways, row by row. README.md, "Other values"
@Suite("The four ways of archiving that this library descends from") struct SeedLineTests {
    private struct Post: Codable, Equatable {
        var title: String
        var count: Int
    }

    private struct Session: ArchivableStruct, Equatable {
        var token: String
        var expires: Date?
        var limits: [String: [UInt8]]
        var mode: Mode
    }

    private enum Mode: Int8, Archivable { case plain, sealed }

    @Test(
        "a keyed archiver singleton and a draft box: drafts in order, new ones first, an edited one in its place, read back, path of the file"
    )
    func draftBox() throws {
        let room = try TestArchives()
        let box = DraftBox(in: room.archiver)
        let pictures = [Data([0x89, 0x50, 0x4E, 0x47]), Data([0xFF, 0xD8])]
        try box.save(Draft(title: "一", time: "2016-12-12 23:59:59"))
        try box.save(
            Draft(
                title: "二", time: "2016-12-13 21:05:09", pictures: pictures,
                pictureAssets: ["assets-library://a1"], isOriginalPhoto: true))
        var first = try #require(try box.drafts().last)
        first.title = "changed"
        try box.save(first)
        let read = try DraftBox(in: room.archiver).drafts()
        #expect(read.map(\.title) == ["二", "changed"])
        #expect(read[0].time == "2016-12-13 21:05:09" && read[0].pictures == pictures)
        #expect(read[0].pictureAssets == ["assets-library://a1"] && read[0].isOriginalPhoto)
        #expect(FileManager.default.fileExists(atPath: try box.path))
    }

    @Test(
        "NSCoding models cached in user defaults: get from local, save to local, clear, the value in memory"
    )
    func cachedModels() throws {
        let room = try TestArchives()
        let posts = ArchivedValue<[Post]>(named: "posts", in: room.archiver)
        #expect(try posts.value == nil)
        try posts.save([Post(title: "a", count: 1)])
        #expect(try posts.value == [Post(title: "a", count: 1)])
        let again = ArchivedValue<[Post]>(named: "posts", in: room.archiver)
        #expect(try again.load() == [Post(title: "a", count: 1)])
        #expect(try again.clear())
        #expect(try posts.load() == nil)
    }

    @Test(
        "CBArchiver on YYModel: write, read and delete by a file's name, dictionaries to models")
    func namedArchives() throws {
        let room = try TestArchives()
        let models = try Archiver.models(
            of: Post.self, from: [["title": "a", "count": 1], ["title": "b", "count": 2]])
        try room.archiver.write(models, named: "list")
        #expect(try room.archiver.list() == ["list"])
        #expect(try room.archiver.read([Post].self, named: "list") == models)
        #expect(try room.archiver.delete(named: "list"))
        #expect(try room.archiver.read([Post].self, named: "list") == nil)
    }

    @Test("StructArchiver: structs registered once and restored without naming their type")
    func archivedStructs() throws {
        let room = try TestArchives()
        let sessions = [
            Session(token: "t", expires: nil, limits: ["a": [0, 255]], mode: .sealed),
            Session(
                token: "", expires: Date(timeIntervalSince1970: 0.25), limits: [:], mode: .plain),
        ]
        try room.archiver.archive(["x": sessions], named: "sessions")
        var registry = ArchiveRegistry()
        registry.register(Mode.self)
        registry.register(Session.self) { properties in
            Session(
                token: try properties["token"], expires: try properties["expires"],
                limits: try properties["limits"], mode: try properties["mode"])
        }
        let value = try #require(try room.archiver.unarchive(named: "sessions", with: registry))
        #expect(value as? [String: [Session]] == ["x": sessions])
        #expect(throws: ArchiveError.unregisteredType(archive: "sessions", type: "Session")) {
            try room.archiver.unarchive(named: "sessions", with: ArchiveRegistry())
        }
        #expect(throws: ArchiveError.self) {
            try room.archiver.read([String: [Post]].self, named: "sessions")
        }
        #expect(try room.archiver.unarchive(named: "none", with: registry) == nil)
        try room.archiver.write(1, named: "codable")
        #expect(
            throws: ArchiveError.typeMismatch(
                archive: "codable", written: "Int", asked: "a value that names its types")
        ) { try room.archiver.unarchive(named: "codable", with: registry) }
    }
}
