import JSON
import SecretMemory
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    private func written(
        _ body: (inout SecretBuffer) throws(SecretMemoryError) -> Void
    ) throws -> [UInt8] {
        let arena = try SecretArena.forTest(capacity: 1 << 18)
        var buffer = try SecretBuffer(arena: arena, capacity: 16, limit: 1 << 17)
        try body(&buffer)
        return buffer.withBytes { span in span.indices.map { span[$0] } }
    }

    @Test(
        "strings are written with what must be escaped escaped",
        arguments: [
            ("", #""""#), ("abc", #""abc""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
            ("a\"b\\c", #""a\"b\\c""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
            ("\u{0}", #""\u0000""#), ("\u{1}\u{1F}", #""\u0001\u001f""#), ("\u{7F}", #""\u007f""#),
            ("\u{1B}[31m", #""\u001b[31m""#), ("微博", "\"微博\""), ("\u{80}", "\"\u{80}\""),
            ("😀", "\"😀\""), ("\u{2028}", "\"\u{2028}\""), ("\n\n", #""\n\n""#), ("a\n", #""a\n""#),
        ])
    func strings(_ text: String, _ expected: String) throws {
        let bytes = Array(text.utf8)
        #expect(
            try written { buffer throws(SecretMemoryError) in
                try buffer.appendJSONString(bytes.span)
            } == Array(expected.utf8))
        #expect(
            try written { buffer throws(SecretMemoryError) in try buffer.appendJSONString(text) }
                == Array(expected.utf8))
    }

    @Test(
        "bytes are written as pairs of lower-case digits",
        arguments: [
            ([], #""""#), ([0], #""00""#), ([255, 160, 9, 16], #""ffa00910""#),
            (Array(0...255), #""\#(allPairs)""#),
        ] as [([UInt8], String)])
    func hexadecimal(_ bytes: [UInt8], _ expected: String) throws {
        #expect(
            try written { buffer throws(SecretMemoryError) in
                try buffer.appendJSONHexadecimal(bytes.span)
            } == Array(expected.utf8))
    }

    private static let allPairs = (0...255).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()

    @Test(
        "numbers are written in digits",
        arguments: [
            (0, "0"), (1, "1"), (-1, "-1"), (9, "9"), (10, "10"), (-10, "-10"), (99, "99"),
            (1_700_000_000, "1700000000"), (.max, "9223372036854775807"),
            (.min, "-9223372036854775808"), (1_000_000_000_000_000_000, "1000000000000000000"),
            (-9_000_000_000_000_000_000, "-9000000000000000000"),
        ] as [(Int64, String)])
    func numbers(_ number: Int64, _ expected: String) throws {
        #expect(
            try written { buffer throws(SecretMemoryError) in try buffer.appendJSON(number) }
                == Array(expected.utf8))
    }

    @Test("a reply is put together")
    func reply() throws {
        let bytes = try written { buffer throws(SecretMemoryError) in
            let text: StaticString = "a\"b"
            try buffer.append("{")
            try buffer.appendJSONString("parameters" as StaticString)
            try buffer.append(":[")
            try buffer.appendJSON(true)
            try buffer.append(",")
            try buffer.appendJSON(false)
            try buffer.append(",")
            try buffer.appendJSON(-42)
            try buffer.append(",")
            try buffer.appendJSONString(text)
            try buffer.append("]}")
        }
        #expect(
            String(decoding: bytes, as: UTF8.self) == #"{"parameters":[true,false,-42,"a\"b"]}"#)
    }

    @Test("what was written is read back", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let limits = JSONLimits(allowsEscapedNUL: true)
        for _ in 0..<50 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<random.below(40) {
                let bound: UInt32 = [0x20, 0x80, 0x800, 0x1_0000, 0x11_0000][random.below(5)]
                if let scalar = Unicode.Scalar(UInt32(random.below(Int(bound)))) {
                    scalars.append(scalar)
                }
            }
            let value = String(scalars)
            let number = Int64(truncatingIfNeeded: random.next()) >> Int64(random.below(64))
            let bytes = try written { buffer throws(SecretMemoryError) in
                try buffer.append("{")
                try buffer.appendJSONString(value)
                try buffer.append(":[")
                try buffer.appendJSONString(value)
                try buffer.append(",")
                try buffer.appendJSON(number)
                try buffer.append("]}")
            }
            let text = try ScannedText(bytes, limits)
            let member = text.members(text.root)[0]
            let elements = text.elements(member.value)
            #expect(try text.decoded(member.name) == Array(value.utf8))
            #expect(try text.decoded(elements[0]) == Array(value.utf8))
            #expect(text.integer(elements[1]) == number)
        }
    }

    @Test(
        "a number with a fraction is read back as the same, and cannot be taken for a whole one",
        arguments: [
            (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-2.5, "-2.5"), (.pi, "3.141592653589793"),
            (1e16, "1e+16"), (0.1, "0.1"), (.leastNonzeroMagnitude, "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ] as [(Double, String)])
    func floats(_ value: Double, _ expected: String) throws {
        let bytes = try written { buffer throws(SecretMemoryError) in
            try buffer.appendJSON(float: value)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        let text = try ScannedText(bytes)
        #expect(text.float(text.root) == value)
        #expect(text.integer(text.root) == nil)
    }

    @Test("what does not fit leaves the buffer as it was")
    func overLimit() throws {
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 6)
        try buffer.append("ab")
        #expect(throws: SecretMemoryError.overLimit) { try buffer.appendJSON(float: 12.25) }
        #expect(throws: SecretMemoryError.overLimit) { try buffer.appendJSONString("xyz") }
        #expect(throws: SecretMemoryError.overLimit) { try buffer.appendJSONString("x\n") }
        #expect(throws: SecretMemoryError.overLimit) { try buffer.appendJSONString("\u{1}") }
        #expect(throws: SecretMemoryError.overLimit) { try buffer.appendJSON(12345) }
        #expect(throws: SecretMemoryError.overLimit) { try buffer.appendJSON(-1234) }
        #expect(throws: SecretMemoryError.overLimit) { try buffer.appendJSON(false) }
        #expect(buffer.count == 2)
        try buffer.appendJSONString("\n")
        #expect(buffer.count == 6)
    }
}
