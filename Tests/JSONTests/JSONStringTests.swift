import JSON
import SecretMemory
import TestSupport
import Testing

@Suite struct JSONStringTests {
    @Test(
        "escapes are decoded",
        arguments: [
            (#""#, ""), (#"plain"#, "plain"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"),
            (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"), (#"a\nb"#, "a\nb"), (#"\\n"#, #"\n"#),
            (#"\u0001"#, "\u{1}"), (#"\u0041"#, "A"), (#"\u007f\u0080"#, "\u{7F}\u{80}"),
            (#"\u07ff\u0800"#, "\u{7FF}\u{800}"), (#"\ud7ff\ue000"#, "\u{D7FF}\u{E000}"),
            (#"\uffff"#, "\u{FFFF}"), (#"\uFEFF"#, "\u{FEFF}"), (#"\u00E9\u00e9"#, "éé"),
            (#"\u5fae\u535A"#, "微博"), (#"微\u535a"#, "微博"), (#"\ud83d\ude00"#, "\u{1F600}"),
            (#"\uD800\uDC00\uDBFF\uDFFF"#, "\u{10000}\u{10FFFF}"),
            (#"\ud83d\ude00x"#, "\u{1F600}x"),
            (#"https:\/\/tvax1.sinaimg.cn\/a.jpg"#, "https://tvax1.sinaimg.cn/a.jpg"),
            (#"\\u0041"#, #"\u0041"#), (#"\"\""#, #""""#), (#"\ud83d\udE00\ud83D\uDe01"#, "😀😁"),
        ])
    func decoded(_ content: String, _ expected: String) throws {
        let text = try ScannedText("[\"\(content)\"]")
        let string = text.elements(text.root)[0]
        #expect(try text.decoded(string) == Array(expected.utf8))
        #expect(text.visited(string) == Array(expected.utf8))
        #expect(text.visited(text.root).isEmpty)
        #expect(text.decodedCount(string) == expected.utf8.count)
        #expect(text.source(string) == content)
    }

    @Test("every UTF-16 code unit outside the surrogates decodes to its UTF-8")
    func everyCodeUnit() throws {
        let limits = JSONLimits(maximumBytes: 1 << 20)
        let units = Array(UInt32(1)...0xD7FF) + Array(0xE000...0xFFFF)
        let content = units.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
        let text = try ScannedText("\"\(content)\"", limits)
        let expected = String(String.UnicodeScalarView(units.compactMap(Unicode.Scalar.init)))
        #expect(try text.decoded(text.root) == Array(expected.utf8))
    }

    @Test(
        "names and strings are compared after decoding",
        arguments: [
            (#"uid"#, true), (#"\u0075id"#, true), (#"\u0075\u0069\u0064"#, true),
            (#"u\u0069d"#, true),
            (#"ui"#, false), (#"uidx"#, false), (#"uie"#, false), (#"\u0075ie"#, false),
            (#"\u0075i"#, false), (#"UID"#, false), (#""#, false), (#"\\uid"#, false),
            (#"uid\n"#, false),
        ])
    func compared(_ content: String, _ isEqual: Bool) throws {
        let text = try ScannedText(#"{"\#(content)":"\#(content)"}"#)
        #expect((text.member("uid", text.root) != nil) == isEqual)
        #expect(text.equals(text.members(text.root)[0].value, "uid") == isEqual)
    }

    @Test("an empty name and an empty string can be asked for")
    func empty() throws {
        let text = try ScannedText(#"{"":""}"#)
        let value = try #require(text.member("", text.root))
        #expect(text.equals(value, ""))
        #expect(try text.decoded(value).isEmpty)
    }

    @Test(
        "a string that does not fit leaves the buffer as it was",
        arguments: [
            "abcdef", #"abcd\n\n"#, #"\u5fae\u535a"#,
        ])
    func overLimit(_ content: String) throws {
        let bytes = Array("\"\(content)\"".utf8)
        var index = JSONIndex()
        try index.scan(bytes.span)
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 7)
        try buffer.append("xy")
        #expect(throws: SecretMemoryError.overLimit) {
            try index.appendString(index.root, in: bytes.span, to: &buffer)
        }
        #expect(buffer.count == 2)
        var larger = try SecretBuffer(arena: arena, capacity: 2, limit: 8)
        try larger.append("xy")
        try index.appendString(index.root, in: bytes.span, to: &larger)
        #expect(larger.count == 8)
    }
}
