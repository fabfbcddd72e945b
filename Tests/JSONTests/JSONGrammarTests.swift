import JSON
import Testing

@Suite struct JSONGrammarTests {
    @Test(
        "a text that follows RFC 8259 is accepted",
        arguments: [
            "{}", "[]", "\"\"", "0", "-0", "true", "false", "null",
            " \t\r\n{ \t\r\n} \t\r\n", "[ ]", "[ 1 , 2 ]", "{ \"a\" : 1 , \"b\" : 2 }",
            "1", "-1", "10", "0.5", "-0.5", "10.25", "1e1", "1E1", "1e+1", "1e-1", "1.5e10", "0e0",
            "0E+0", "0.0e-0", "1e00001", "123456789012345678901234567890",
            "1e999999999999999999999",
            "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
            #"{"a":{"a":{"a":[{"a":1},{"a":2}]}}}"#,
            #""\"\\\/\b\f\n\r\t\u0041\u00e9\u5fae\ud83d\ude00""#, "\"\u{7f}\u{80}\u{7ff}\u{800}\"",
            "\"\u{FEFF}\u{FFFE}\u{FFFF}\u{10000}\u{10FFFF}\u{D7FF}\u{E000}\"", #""\uFFFF\uFdD0""#,
        ])
    func accepted(_ text: String) {
        #expect(refusal(of: text) == nil)
    }

    @Test("nothing but whitespace is no document", arguments: ["", " ", "\t\r\n  "])
    func empty(_ text: String) {
        #expect(refusal(of: text) == .empty)
    }

    @Test(
        "a byte that cannot stand there is named by its offset",
        arguments: [
            // Too short: the offset is the length.
            ("{", 1), ("[", 1), ("\"", 1), ("{\"", 2), ("{\"a", 3), ("{\"a\"", 4), ("{\"a\":", 5),
            ("{\"a\":1", 6), ("{\"a\":1,", 7), ("[1", 2), ("[1,", 3), ("[[]", 3), ("\"\\", 2),
            ("\"\\u", 3), ("\"\\u12", 5), ("t", 1), ("tru", 3), ("fals", 4), ("nul", 3), ("-", 1),
            ("1.", 2), ("1e", 2), ("1e+", 3), (" [ ", 3),
            // Structure.
            ("]", 0), ("}", 0), (",", 0), (":", 0), ("[1,]", 3), ("[,1]", 1), ("[1,,2]", 3),
            ("[1 2]", 3), ("[1}", 2), ("{]", 1), ("{\"a\":1]", 6), ("[}", 1), ("{,}", 1),
            ("{\"a\":1,}", 7), ("{\"a\"}", 4), ("{\"a\",1}", 4), ("{\"a\":}", 5), ("{\"a\"::1}", 5),
            ("{a:1}", 1), ("{1:1}", 1), ("{'a':1}", 1), ("{\"a\":1 \"b\":2}", 7), ("{null:1}", 1),
            ("{[]:1}", 1), ("[\"a\":1]", 4), ("[(1)]", 1), ("[1;2]", 2),
            // Scalars.
            ("True", 0), ("NULL", 0), ("nUll", 1), ("trux", 3), ("NaN", 0), ("Infinity", 0),
            ("-Infinity", 1), ("+1", 0), (".5", 0), ("-.5", 1), ("1.e5", 2),
            ("--1", 1), ("- 1", 1), ("-a", 1), ("1.a", 2), ("1ea", 2), ("1e-", 3), ("1e+-1", 3),
            ("'a'", 0), ("a", 0), ("/**/1", 0), ("[1/**/]", 2), ("#", 0),
            // Whitespace that is none.
            ("\u{0B}1", 0), ("\u{0C}1", 0), ("\u{A0}1", 0), ("\u{2028}1", 0), ("[\u{85}]", 1),
            ("\u{FEFF}{}", 0), ("[\0]", 1), ("\0", 0),
            // Strings.
            (#""\a""#, 2), (#""\'""#, 2), (#""\x41""#, 2), (#""\U0041""#, 2), (#""\0""#, 2),
            (#""\u""#, 3), (#""\u004""#, 6), (#""\u00g0""#, 5), (#""\u 041""#, 3),
            (#""\u+041""#, 3), (#""\u-041""#, 3), (#""\uD83D\u""#, 9),
            (#""\uD83D\uDE0""#, 12), (#""\u{41}""#, 3),
            ("\"\u{01}\"", 1), ("\"a\u{1F}\"", 2), ("\"\n\"", 1), ("\"\t\"", 1), ("\"\r\"", 1),
            ("{\"\n\":1}", 2), ("\"\\\n\"", 2),
        ])
    func syntax(_ text: String, _ offset: Int) {
        #expect(refusal(of: text) == .syntax(offset: offset))
    }

    @Test(
        "only whitespace may follow",
        arguments: [
            ("{} x", 3), ("[]]", 2), ("{}}", 2), ("[],", 2), ("1 2", 2), ("\"a\"\"b\"", 3),
            ("{}{}", 2),
            ("truex", 4), ("nulll", 4), ("01", 1), ("-01", 2), ("00", 1), ("0x10", 1), ("1e5.5", 3),
            ("1.5.5", 3), ("1-", 1), ("1+1", 1), ("{}\0", 2), ("1\u{A0}", 1), ("{}//", 2),
            ("{}\u{FEFF}", 2),
        ])
    func trailing(_ text: String, _ offset: Int) {
        #expect(refusal(of: text) == .trailingData(offset: offset))
    }

    @Test(
        "bytes that are not UTF-8 are named by where the character begins",
        arguments: [
            // Lone continuation bytes, bytes that never occur.
            [0x80], [0xBF], [0xFF], [0xFE], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC0], [0xC1], [0xF5],
            // Overlong forms.
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            // Surrogates, and past the last character.
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF],
            // Too short, or the wrong byte somewhere.
            [0xC2], [0xE5], [0xE5, 0xBE], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x98], [0xC2, 0x41],
            [0xE5, 0x41, 0x41], [0xE5, 0xBE, 0x41], [0xE5, 0xBE, 0xC0], [0xF0, 0x9F, 0x98, 0x41],
            [0xF0, 0x9F, 0xFF, 0x80], [0xF0, 0xC0, 0x98, 0x80], [0xC3, 0x28], [0xE5, 0xBE, 0x22],
        ] as [[UInt8]])
    func notUTF8(_ bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(refusal(of: [quote] + bytes + [quote]) == .notUTF8(offset: 1))
        #expect(refusal(of: [quote, 0x61] + bytes) == .notUTF8(offset: 2))
        let name: [UInt8] = [0x7B, quote] + bytes + [quote, 0x3A, 0x31, 0x7D]
        #expect(refusal(of: name) == .notUTF8(offset: 2))
        // Outside a string no such byte can stand, whatever it is part of.
        #expect(refusal(of: [0x5B] + bytes) == .syntax(offset: 1))
    }

    @Test(
        "half a surrogate pair is refused",
        arguments: [
            (#""\ud800""#, 1), (#""\udbff""#, 1), (#""\udc00""#, 1), (#""\uDFFF""#, 1),
            (#""ab\ud83dcd""#, 3), (#""\ud83d\n""#, 1), (#""\ud83d\u0041""#, 1),
            (#""\ud83d\ud83d\ude00""#, 1), (#""\ud83d\ude00\ude00""#, 13), (#""\ude00\ud83d""#, 1),
            (#""\ud83d\ue000""#, 1), (#""\ud83d\udbff""#, 1), (#""\ud83dude00""#, 1),
            (#""\ud83d\\ude00""#, 1), (#"{"\ud800":1}"#, 2), (#""\ud83d"#, 1), (#""\ud83d\"#, 1),
        ])
    func loneSurrogate(_ text: String, _ offset: Int) {
        #expect(refusal(of: text) == .loneSurrogate(offset: offset))
    }

    @Test("a NUL in a string is refused as a byte, and as an escape unless allowed")
    func nul() throws {
        #expect(refusal(of: "\"a\0\"") == .nulCharacter(offset: 2))
        #expect(refusal(of: #""a\u0000""#) == .nulCharacter(offset: 2))
        #expect(refusal(of: #"{"\u0000":1}"#) == .nulCharacter(offset: 2))
        let limits = JSONLimits(allowsEscapedNUL: true)
        #expect(refusal(of: "\"a\0\"", limits) == .nulCharacter(offset: 2))
        let text = try ScannedText(#""a\u0000""#, limits)
        #expect(try text.decoded(text.root) == [0x61, 0])
        #expect(text.decodedCount(text.root) == 2)
    }

    @Test("a text may have as many bytes as the limit says, whitespace included")
    func length() {
        #expect(refusal(of: "[1] ", JSONLimits(maximumBytes: 4)) == nil)
        #expect(refusal(of: "[1]  ", JSONLimits(maximumBytes: 4)) == .tooLong)
        #expect(refusal(of: "", JSONLimits(maximumBytes: 0)) == .empty)
        let longest = "\"\(String(repeating: "a", count: 65_534))\""
        #expect(refusal(of: longest) == nil)
        #expect(refusal(of: longest + " ") == .tooLong)
    }

    @Test("containers may stand within each other as deep as the limit says")
    func depth() {
        let sixteen = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(refusal(of: sixteen) == nil)
        #expect(refusal(of: "[\(sixteen)]") == .tooDeep(offset: 16))
        #expect(refusal(of: "[\(sixteen),0]", JSONLimits(maximumDepth: 17)) == nil)
        let objects = String(repeating: #"{"a":"#, count: 17)
        #expect(refusal(of: objects) == .tooDeep(offset: 80))
        // The depth counts what is open, not what was.
        #expect(refusal(of: "[[],[],[{}]]", JSONLimits(maximumDepth: 3)) == nil)
        #expect(refusal(of: "[[],[],[{}]]", JSONLimits(maximumDepth: 2)) == .tooDeep(offset: 8))
        #expect(refusal(of: "1", JSONLimits(maximumDepth: 0)) == nil)
        #expect(refusal(of: "[]", JSONLimits(maximumDepth: 0)) == .tooDeep(offset: 0))
    }
}
