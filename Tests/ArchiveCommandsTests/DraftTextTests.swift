import Foundation
import Testing

@testable import ArchiveCommands
@testable import Archiving

/// How drafts are shown, and which one is meant.
@Suite struct DraftTextTests {
    private static func draft(_ title: String, pictures: Int = 0, text: String? = nil) -> Draft {
        Draft(
            title: title, text: text, time: "2016-12-13 21:05:09",
            pictures: (0..<pictures).map { _ in Data([0x89, 0x50, 0x4E, 0x47]) },
            pictureAssets: pictures > 0 ? ["assets-library://a1"] : [],
            isOriginalPhoto: pictures > 1)
    }

    @Test("the table has a line for each draft, and none where there is none")
    func table() {
        #expect(DraftText.table([]).isEmpty)
        let table = DraftText.table([Self.draft("第三篇", pictures: 2), Self.draft("a\u{1B}[2J")])
        #expect(
            table == """
                N  TIME                 PICTURES  TITLE
                1  2016-12-13 21:05:09  2 full    第三篇
                2  2016-12-13 21:05:09  0         a\\u{1b}[2J

                """)
        let long = DraftText.table([Self.draft(String(repeating: "x", count: 41))])
        #expect(long.hasSuffix(String(repeating: "x", count: 39) + "…\n"))
    }

    @Test("a page shows all of a draft but its pictures")
    func page() {
        let page = DraftText.page(Self.draft("t", pictures: 2, text: "one\ntwo\u{7}"), 3)
        for line in [
            "title:     t", "picture 2: png, 4 bytes", "asset:     assets-library://a1",
            "in full size", "one", "two\\u{7}",
        ] {
            #expect(page.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
        #expect(page.hasPrefix("draft:     3, "))
    }

    @Test("lines of a text are lines, whichever way they end")
    func lines() {
        let page = DraftText.page(Self.draft("t", text: "one\r\ntwo\nthr\u{7}ee\rx\r\n"), 1)
        #expect(page.hasSuffix("\n\none\ntwo\nthr\\u{7}ee\\rx\n\n"))
    }

    @Test("programs get the same")
    func value() throws {
        let json = try DraftText.value(Self.draft("t", pictures: 1), withText: true).json()
        #expect(json.contains(#""pictures":[{"bytes":4,"type":"png"}]"#))
        #expect(json.contains(#""text":null"#))
        #expect(json.contains(#""assets":["assets-library://a1"]"#))
    }

    @Test("a draft is meant by its number or its id")
    func index() {
        let drafts = [Self.draft("a"), Self.draft("b")]
        #expect(DraftTask.index(of: "1", in: drafts) == 0)
        #expect(DraftTask.index(of: "2", in: drafts) == 1)
        #expect(DraftTask.index(of: drafts[1].id, in: drafts) == 1)
        for other in ["0", "3", "-1", "", "x", "1.0", "9999999999999999", "99999999999999999999"] {
            #expect(DraftTask.index(of: other, in: drafts) == nil)
        }
    }

    @Test(
        "pictures are told by how they begin",
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D], "png"), ([0xFF, 0xD8, 0xFF, 0xE0], "jpg"),
            (Array("GIF89a".utf8), "gif"), (Array("RIFF....WEBP".utf8), "webp"),
            (Array("....ftypheic".utf8), "heic"), (Array("RIFF....WAVE".utf8), "bin"),
            ([], "bin"), ([0x89], "bin"),
        ] as [([UInt8], String)])
    func types(bytes: [UInt8], name: String) {
        #expect(PictureType.of(Data(bytes)).name == name)
    }
}
