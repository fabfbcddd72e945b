import Foundation
import Testing

@testable import Archiving

private struct Post: Codable, Equatable {
    var title: String
    var count: Int
    var url: URL?
    var date: Date
    var picture: Data
    var tags: [String]
}

private struct Renamed: Codable, Equatable, ArchiveNamed {
    static var archiveName: String { "Post" }
    var title: String
}

/// Named archives of Codable values.
@Suite struct ArchiverTests {
    private static let post = Post(
        title: "第一篇", count: -3, url: nil, date: Date(timeIntervalSince1970: 1.5),
        picture: Data([1, 2]), tags: ["a", "二"])

    @Test("a value is read back as it was written")
    func values() throws {
        let room = try TestArchives()
        let archiver = room.archiver
        try archiver.write(Self.post, named: "post")
        #expect(try archiver.read(Post.self, named: "post") == Self.post)
        try archiver.write([Self.post, Self.post], named: "posts")
        #expect(try archiver.read([Post].self, named: "posts") == [Self.post, Self.post])
        try archiver.write(42, named: "number")
        #expect(try archiver.read(Int.self, named: "number") == 42)
        try archiver.write("text", named: "text")
        #expect(try archiver.read(named: "text") == "text")
        try archiver.write(["a": [1.5]], named: "nested")
        #expect(try archiver.read([String: [Double]].self, named: "nested") == ["a": [1.5]])
        #expect(try archiver.list() == ["nested", "number", "post", "posts", "text"])
    }

    @Test("a missing archive is nil, and deleting it says that there was none")
    func missing() throws {
        let room = try TestArchives()
        #expect(try room.archiver.read(Int.self, named: "a") == nil)
        #expect(try room.archiver.list() == [])
        #expect(try !room.archiver.delete(named: "a"))
        try room.archiver.write(1, named: "a")
        #expect(try room.archiver.delete(named: "a"))
        #expect(try room.archiver.read(Int.self, named: "a") == nil)
    }

    @Test("a store that is not there has no archives, and none can be written")
    func noStore() throws {
        let room = try TestArchives()
        try FileManager.default.removeItem(atPath: room.path)
        #expect(try room.archiver.read(Int.self, named: "a") == nil)
        #expect(try room.archiver.list() == [])
        #expect(try !room.archiver.delete(named: "a"))
        #expect(throws: ArchiveError.noKey(store: room.path)) {
            try room.archiver.write(1, named: "a")
        }
        #expect(!FileManager.default.fileExists(atPath: room.path))
    }

    @Test("another type than was written is refused, with both names")
    func otherTypes() throws {
        let room = try TestArchives()
        try room.archiver.write([1], named: "a")
        #expect(
            throws: ArchiveError.typeMismatch(
                archive: "a", written: "Array<Int>", asked: "Array<String>")
        ) { try room.archiver.read([String].self, named: "a") }
        try room.write([1], named: "b")
        #expect(
            throws: ArchiveError.typeMismatch(archive: "b", written: "bytes", asked: "Int")
        ) { try room.archiver.read(Int.self, named: "b") }
    }

    @Test("a type that was renamed keeps its archives")
    func renamed() throws {
        let room = try TestArchives()
        try room.archiver.write(Self.post, named: "a")
        #expect(try room.archiver.read(Renamed.self, named: "a") == Renamed(title: "第一篇"))
    }

    @Test("content that does not fit says where, and nothing of what it is")
    func unfit() throws {
        let room = try TestArchives()
        try room.archiver.write([["title": "secret"]], named: "a")
        // As an importer writes it: without a type.
        let content = try #require(try room.content(of: "a"))
        var writer = try room.archiver.writer(named: "a", kind: .propertyList)
        try writer.append(content.span)
        try writer.commit()
        #expect(
            throws: ArchiveError.notDecodable(archive: "a", reason: "[0].count is missing")
        ) { try room.archiver.read([Post].self, named: "a") }
        #expect(
            throws: ArchiveError.notDecodable(archive: "a", reason: "[0].title is no Double")
        ) { try room.archiver.read([[String: Double]].self, named: "a") }
    }

    @Test("an archive of JSON is read as a value")
    func json() throws {
        let room = try TestArchives()
        var writer = try room.archiver.writer(named: "a", kind: .json)
        try writer.append(Array(#"{"a":[1,2.5]}"#.utf8).span)
        try writer.commit()
        #expect(try room.archiver.read([String: [Double]].self, named: "a") == ["a": [1, 2.5]])
        #expect(throws: ArchiveError.notDecodable(archive: "a", reason: "the value is no list")) {
            try room.archiver.read([Int].self, named: "a")
        }
    }

    @Test("a value that cannot be encoded leaves the archive as it was")
    func notEncodable() throws {
        struct Refuses: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    1, .init(codingPath: encoder.codingPath, debugDescription: "secret"))
            }
        }
        let room = try TestArchives()
        try room.archiver.write(1, named: "a")
        #expect(
            throws: ArchiveError.notEncodable(archive: "a", reason: "the value cannot be encoded")
        ) { try room.archiver.write(Refuses(), named: "a") }
        #expect(try room.archiver.read(Int.self, named: "a") == 1)
    }

    @Test("a value is changed where it stands, made and deleted")
    func updates() throws {
        let room = try TestArchives()
        for _ in 0..<3 {
            try room.archiver.update(Int.self, named: "a") { $0 = ($0 ?? 0) + 1 }
        }
        #expect(try room.archiver.read(Int.self, named: "a") == 3)
        #expect(throws: ArchiveError.locked(store: "x")) {
            try room.archiver.update(Int.self, named: "a") { value throws(ArchiveError) in
                value = 9
                throw .locked(store: "x")
            }
        }
        #expect(try room.archiver.read(Int.self, named: "a") == 3)
        try room.archiver.update(Int.self, named: "a") { $0 = nil }
        #expect(try room.archiver.list() == [])
    }

    @Test("changes by many threads at once are all made")
    func manyWriters() async throws {
        let room = try TestArchives(patience: 60)
        let archiver = room.archiver
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for item in 0..<5 {
                        try archiver.update([Int].self, named: "a") {
                            $0 = ($0 ?? []) + [writer * 10 + item]
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = try archiver.read([Int].self, named: "a") ?? []
        #expect(all.count == 40)
        #expect(Set(all).count == 40)
    }

    @Test("names that differ in case or form are different archives")
    func names() throws {
        let room = try TestArchives()
        let names = ["a", "A", "é", "e\u{301}", "../a", "/a", ".", "..", "a\u{1}", " "]
        for (number, name) in names.enumerated() {
            try room.archiver.write(number, named: name)
        }
        for (number, name) in names.enumerated() {
            #expect(try room.archiver.read(Int.self, named: name) == number)
        }
        #expect(Set(try room.archiver.list().map { Array($0.utf8) }).count == names.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: room.root).count == 2)
    }

    @Test("a passphrase alone is not asked for")
    func locked() throws {
        let room = try TestArchives()
        try FileManager.default.removeItem(atPath: room.keyFile)
        #expect(throws: ArchiveError.self) { try room.archiver.write(1, named: "a") }
        try room.write([UInt8](repeating: 8, count: 32), to: room.keyFile)
        #expect(
            throws: ArchiveError.notPermitted("the key \(room.keyFile) does not open the store")
        ) { try room.archiver.write(1, named: "a") }
        try room.write([1], to: room.keyFile)
        #expect(
            throws: ArchiveError.notPermitted("the key \(room.keyFile) has 1 bytes; a key has 32")
        ) { try room.archiver.write(1, named: "a") }
    }

    @Test("slots that are damaged are read from their copy")
    func slotsCopy() throws {
        let room = try TestArchives()
        try room.archiver.write(1, named: "a")
        let slots = try room.bytes(room.path + "/keyslots.plist")
        try room.write(slots, to: room.path + "/keyslots.plist~")
        try room.write([1], to: room.path + "/keyslots.plist")
        #expect(try room.archiver.read(Int.self, named: "a") == 1)
        try room.write([1], to: room.path + "/keyslots.plist~")
        #expect(throws: ArchiveError.self) { try room.archiver.read(Int.self, named: "a") }
    }

    @Test("models are made of dictionaries, null members being absent")
    func models() throws {
        struct Student: Decodable, Equatable {
            var name: String
            var ID: String?
            var age: Int?
        }
        let made = try Archiver.models(
            of: Student.self,
            from: [["name": "124", "ID": "111"], ["name": "223", "ID": nil, "age": 7]])
        #expect(
            made == [
                Student(name: "124", ID: "111"), Student(name: "223", ID: nil, age: 7),
            ])
        #expect(
            throws: ArchiveError.notDecodable(archive: "Student", reason: "[1].name is missing")
        ) {
            try Archiver.models(of: Student.self, from: [["name": "a"], ["ID": "b"]])
        }
    }

    @Test("a value of no type is read as any type that fits, and any value as what it is made of")
    func untyped() throws {
        let room = try TestArchives()
        let value: ArchiveValue = [["title": "a", "count": 3], ["title": "b", "count": 4]]
        try room.archiver.write(value, named: "a")
        struct Item: Codable, Equatable {
            var title: String
            var count: Int
        }
        let items = [Item(title: "a", count: 3), Item(title: "b", count: 4)]
        #expect(try room.archiver.read([Item].self, named: "a") == items)
        try room.archiver.write(items, named: "b")
        #expect(try room.archiver.value(named: "b") == value)
        #expect(try room.archiver.value(named: "c") == nil)
        try room.write([1], named: "d")
        #expect(
            throws: ArchiveError.typeMismatch(archive: "d", written: "bytes", asked: "a value")
        ) { try room.archiver.value(named: "d") }
        try room.archiver.write(3, named: "e", typeName: "Int")
        #expect(try room.archiver.read(Int.self, named: "e") == 3)
    }
}
