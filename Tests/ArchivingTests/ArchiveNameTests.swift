import Testing

@testable import Archiving

/// Names and what files are called. docs/FORMAT.md, "Archives"
@Suite struct ArchiveNameTests {
    @Test(
        "a plain name is the file's, any other is encoded",
        arguments: [
            ("drafts", "drafts.sealed"), ("a-b_c.d", "a-b_c.d.sealed"), ("0", "0.sealed"),
            ("Drafts", "=RHJhZnRz.sealed"), (".", "=Lg.sealed"), ("..", "=Li4.sealed"),
            ("../x", "=Li4veA.sealed"), ("/x", "=L3g.sealed"), ("a\u{1}b", "=YQFi.sealed"),
            (".hidden", "=LmhpZGRlbg.sealed"), ("=RHJhZnRz", "=PVJISmhablJ6.sealed"),
            ("草稿箱", "=6I2J56i_566x.sealed"), (" ", "=IA.sealed"), ("a~", "=YX4.sealed"),
        ])
    func fileNames(name: String, fileName: String) throws {
        let archive = try ArchiveName(name)
        #expect(archive.fileName == fileName)
        #expect(archive.previousFileName == fileName + "~")
        #expect(!fileName.contains("/") && !fileName.hasPrefix("."))
        #expect(ArchiveName(fileName: fileName)?.text.utf8.elementsEqual(name.utf8) == true)
    }

    @Test("names that look the same and are not are two")
    func lookAlikes() throws {
        for (one, other) in [("é", "e\u{301}"), ("a", "A"), ("K", "\u{212A}"), ("a", "a ")] {
            #expect(try ArchiveName(one).fileName != ArchiveName(other).fileName)
        }
    }

    @Test("a name has 1 to 180 bytes")
    func lengths() throws {
        let longest = String(repeating: "é", count: 90)
        #expect(try ArchiveName(longest).previousFileName.utf8.count == 249)
        #expect(throws: ArchiveError.self) { try ArchiveName(longest + "a") }
        #expect(throws: ArchiveError.self) { try ArchiveName("") }
        #expect(throws: ArchiveError.invalidName("it has a NUL")) { try ArchiveName("a\u{0}b") }
    }

    @Test(
        "what is no archive's file is none",
        arguments: [
            "lock", "drafts.sealed~", ".sealed", ".tmp-0123456789abcdef", "drafts", "=.sealed",
            "Drafts.sealed", "=ZHJhZnRz.sealed", "=RHJhZnRz=.sealed", "=RHJhZnR!.sealed",
            "=_w.sealed",
        ])
    func otherFiles(fileName: String) { #expect(ArchiveName(fileName: fileName) == nil) }
}
