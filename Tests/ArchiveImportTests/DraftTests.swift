import AccountImport
import Archiving
import Foundation
import SecretMemory
import Testing

@testable import ArchiveImport

/// Draft boxes.
@Suite struct DraftTests {
    private static func box(_ file: String) throws -> [Draft] {
        try read(AppFile.bytes(file)).drafts().drafts
    }

    @Test("pictures are the bytes that the app had, in its order")
    func pictures() throws {
        let file = try AppFile.bytes("drafts/defaultFile.cache")
        let drafts = try read(file).drafts()
        #expect(drafts.warnings.isEmpty)
        let pictures = drafts.drafts.flatMap(\.pictures)
        #expect(pictures.count == 3)
        #expect(Set(pictures).count == 3)
        for picture in pictures {
            #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(Data(file).range(of: picture) != nil)
        }
        // The width of the first is 9, of the second 10, of the third 11.
        #expect(pictures.map { $0[$0.startIndex + 19] } == [9, 10, 11])
    }

    @Test("each draft has an id of its own, and no text where the app had none")
    func ids() throws {
        let drafts = try Self.box("drafts/defaultFile.cache")
        #expect(Set(drafts.map(\.id)).count == 3)
        #expect(drafts.allSatisfy { $0.text == nil })
        #expect(try Self.box("appfiles/draft_with_text.cache").first?.text == "正文\n二")
    }

    @Test("images of all kinds keep their bytes")
    func kinds() throws {
        let box = try Self.box("appfiles/draft_pictures_of_all_kinds.cache")
        let starts = try #require(box.first).pictures.map { Array($0.prefix(2)) }
        #expect(
            starts == [
                [0x89, 0x50], [0x89, 0x50], [0x89, 0x50], [0xFF, 0xD8], [0xFF, 0xD8], [0x89, 0x50],
            ])
    }

    @Test(
        "of a file without drafts it is said what it holds",
        arguments: [
            ("drafts/students.bin", nil, "2 objects of the class Student"),
            ("drafts/mixed_classes.bin", nil, "2 objects of several classes"),
            ("appfiles/models_in_set.bin", nil, "1 object of the class User"),
            ("appfiles/model_alone.bin", nil, "an object of the class User"),
            ("appfiles/texts.bin", nil, "a list of other values"),
            ("appfiles/plain_dictionary.plist", nil, "a dictionary"),
            ("appfiles/defaults.plist", "count", "a single value"),
            ("appfiles/defaults.plist", "name", "a text"),
            ("appfiles/defaults.plist", "when", "a date"),
            ("appfiles/defaults.plist", "blob", "data"),
            ("structarchiver/struct_account.bin", nil, "a dictionary"),
        ] as [(String, String?, String)])
    func none(_ file: String, _ key: String?, _ what: String) throws {
        let archive = try read(AppFile.bytes(file), key: key)
        let error = #expect(throws: ImportError.self) { try archive.drafts() }
        #expect(error?.reason == "no-drafts")
        #expect(error?.message == "the file holds no drafts, but \(what)")
        #expect(error?.hint?.contains("account archive import") == true)
    }

    @Test("an app's array that is empty is an empty box")
    func empty() throws {
        #expect(try Self.box("drafts/empty_box.cache").isEmpty)
        #expect(try read(AppFile.bytes("appfiles/plain_empty_array.plist")) == .value([]))
    }
}

/// What `--dry-run` says.
@Suite struct ReportTests {
    @Test("for people a draft is a line")
    func drafts() throws {
        #expect(
            try read(AppFile.bytes("drafts/defaultFile.cache")).report(isJSON: false) == """
                3 drafts
                1  2016-12-13 21:05:09  第三篇 草稿 (2 pictures, 2 assets, in full size)
                2  2016-12-13 09:00:00  第二篇
                3  2016-12-12 23:59:59  第一篇 (1 picture)

                """)
        let odd = Draft(title: "\u{1B}[2J", time: "", pictureAssets: ["a"])
        #expect(
            ImportedArchive.drafts([odd], warnings: []).report(isJSON: false) == """
                1 draft
                1  without a time  \\u{1b}[2J (1 asset)

                """)
    }

    @Test("for people a model is a line of JSON, and of many the first are shown")
    func objects() throws {
        #expect(
            try read(AppFile.bytes("drafts/students.bin")).report(isJSON: false) == """
                2 objects of the class Student
                {"ID":"111","name":"124"}
                {"ID":"222","name":"223"}

                """)
        let many = ImportedArchive.objects([ArchiveValue](repeating: 1, count: 22), className: nil)
        let lines = many.report(isJSON: false).split(separator: "\n")
        #expect(lines.first == "22 objects")
        #expect(lines.last == "and 2 more")
        #expect(lines.count == 22)
        #expect(
            try read(AppFile.bytes("structarchiver/int_-2016.bin")).report(isJSON: false)
                == "-2016\n")
    }

    @Test("what JSON does not have is shown all the same")
    func notJSON() throws {
        let value: ArchiveValue = [
            "list": [.real(.nan), .real(-.infinity)], "whole": 2.0,
            "far": .date(Date(timeIntervalSince1970: 1e15)),
        ]
        let report = ImportedArchive.value(value).report(isJSON: true)
        #expect(
            report == #"{"kind":"value","value":{"far":{"$date":"1000000000000000.0"},"#
                + #""list":[{"$real":"nan"},{"$real":"-inf"}],"whole":2.0}}"# + "\n")
    }

    @Test("a key is said, and drafts stay drafts")
    func keys() throws {
        let drafts = ImportedArchive.drafts([], warnings: ["odd"])
        #expect(
            drafts.report(isJSON: true, key: "K")
                == #"{"drafts":[],"key":"K","kind":"drafts","warnings":["odd"]}"# + "\n")
        #expect(
            ImportedArchive.value(1).report(isJSON: true, key: "K")
                == #"{"key":"K","kind":"defaults","value":1}"# + "\n")
    }
}
