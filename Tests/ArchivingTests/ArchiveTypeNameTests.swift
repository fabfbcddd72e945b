import Testing

@testable import Archiving

@Suite struct ArchiveTypeNameTests {
    @Test(
        "a name is read as the type that it is of",
        arguments: [
            ("Account", .simple("Account")), ("Setting", .simple("Setting")),
            ("Set", .simple("Set")), ("名前", .simple("名前")), ("a.b-c", .simple("a.b-c")),
            ("A?", .optional(.simple("A"))), ("A??", .optional(.optional(.simple("A")))),
            ("[A]", .array(.simple("A"))),
            ("[[A?]]?", .optional(.array(.array(.optional(.simple("A")))))),
            ("Set<A>", .set(.simple("A"))), ("Set<Set<A>?>", .set(.optional(.set(.simple("A"))))),
            ("[A: B]", .dictionary(key: .simple("A"), value: .simple("B"))),
            (
                "[[A]: [B: C?]]",
                .dictionary(
                    key: .array(.simple("A")),
                    value: .dictionary(key: .simple("B"), value: .optional(.simple("C"))))
            ),
        ] as [(String, ArchiveTypeName.Node)])
    func read(text: String, node: ArchiveTypeName.Node) {
        #expect(ArchiveTypeName(text)?.root == node)
        #expect(ArchiveTypeName(text)?.text == text)
    }

    @Test(
        "each type has one name, to the last space",
        arguments: [
            "", " ", "A ", " A", "[A ]", "[ A]", "[A:B]", "[A : B]", "[A:  B]", "[A", "A]", "[A]]",
            "[]",
            "[: B]", "[A: ]", "[A: B: C]", "?", "?A", "A ?", "Set<", "Set<A", "Set<>", "Set<A> ",
            "A<B>", "A, B", "Set<A, B>", "A\u{0}", "A\n", "A\u{7f}", "A\u{85}", "A\u{3000}", "A:",
            ">",
            "Optional<A>", "A?B", "[A]B", "Set<A>B",
        ])
    func refused(text: String) {
        #expect(ArchiveTypeName(text) == nil)
        #expect(throws: ArchiveTypeNameError.notAName) { try ArchiveRegistry().type(named: text) }
    }

    @Test("names are bounded in length and in nesting")
    func bounds() {
        let simple = String(repeating: "x", count: ArchiveTypeName.maximumSimpleBytes)
        #expect(ArchiveTypeName.isSimple(simple))
        #expect(!ArchiveTypeName.isSimple(simple + "x"))
        #expect(!ArchiveTypeName.isSimple("[A]") && !ArchiveTypeName.isSimple(""))
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + "Int" + String(repeating: "]", count: count)
        }
        let bound = ArchiveTypeName.maximumNesting
        #expect(ArchiveTypeName(nested(bound)) != nil)
        #expect(ArchiveTypeName(nested(bound + 1)) == nil)
        #expect(ArchiveTypeName("Int" + String(repeating: "?", count: bound)) != nil)
        #expect(ArchiveTypeName("Int" + String(repeating: "?", count: bound + 1)) == nil)
        #expect(ArchiveTypeName("[" + "Int" + String(repeating: "?", count: bound) + "]") == nil)
        let pair = "[\(simple): \(simple)]"
        #expect(ArchiveTypeName("[\(pair): Int]") != nil)
        #expect(ArchiveTypeName("[\(pair): \(pair)]") == nil)
        #expect(ArchiveTypeName(String(repeating: "[", count: 1_000_000)) == nil)
    }
}
