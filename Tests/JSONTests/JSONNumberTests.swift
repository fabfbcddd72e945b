import JSON
import Testing

@Suite struct JSONNumberTests {
    @Test(
        "integers are exact to 64 bits",
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("10", 10), ("1700000000", 1_700_000_000),
            ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", .max),
            ("-9223372036854775807", -.max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("9223372036854775810", nil),
            ("18446744073709551616", nil), ("92233720368547758070", nil),
            ("99999999999999999999999999", nil), ("1.0", nil), ("1.5", nil), ("1e3", nil),
            ("1E3", nil),
            ("0e0", nil), ("-0.0", nil),
        ] as [(String, Int64?)])
    func integers(_ source: String, _ expected: Int64?) throws {
        let text = try ScannedText(source)
        #expect(text.integer(text.root) == expected)
        let within = try ScannedText("[0,\(source),0]")
        #expect(within.integer(within.elements(within.root)[1]) == expected)
    }

    @Test(
        "any number is cut towards zero, exactly",
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0", 0), ("0e5", 0), ("0.0e999999999999999999999", 0),
            ("1e3", 1000), ("1E3", 1000), ("1e+3", 1000), ("-1e3", -1000), ("1e0", 1), ("1e-0", 1),
            ("86399.7", 86399), ("-86399.7", -86399), ("0.9", 0), ("-0.9", 0), ("1E-5", 0),
            ("1.5e1", 15), ("1.25e1", 12), ("-1.25e1", -12), ("12345e-2", 123), ("12345e-4", 1),
            ("12345e-5", 0), ("12345.678e2", 1_234_567), ("12345.678e-2", 123), ("0.00123e5", 123),
            ("0.00123e2", 0), ("9e18", 9_000_000_000_000_000_000),
            ("1e18", 1_000_000_000_000_000_000),
            ("9.223372036854775807e18", .max), ("9223372036854775807.999", .max),
            ("-9223372036854775808.999", .min), ("-9.223372036854775808e18", .min),
            ("92233720368547758079e-1", .max), ("-92233720368547758089e-1", .min),
            ("0.9999999999999999999999999999", 0), ("9007199254740993.0", 9_007_199_254_740_993),
            ("1e00000000000000000000003", 1000), ("1000e-00000000000000000000003", 1),
            ("1e-999999999999999999999999", 0), ("-1e-999999999999999999999999", 0),
            ("1e-9223372036854775808", 0), ("0.0000000000000000000000000000001e31", 1),
            ("0.0000000000000000000000000000001e30", 0), ("100000000000000000000000e-23", 1),
            ("0e999999999999999999999999", 0), ("0.000e18446744073709551616", 0),
        ] as [(String, Int64)])
    func truncated(_ source: String, _ expected: Int64) throws {
        let text = try ScannedText(source)
        #expect(text.truncated(text.root) == .value(expected))
    }

    @Test(
        "what 64 bits cannot hold is out of range",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "9223372036854775808.0", "1e19",
            "9.3e18",
            "-1e19", "1e400", "-1e400", "1e999999999999999999999999", "1e9223372036854775807",
            "1e9223372036854775808", "1e18446744073709551616", "0.1e999999999999999999999999",
            "9.223372036854775808e18", "-9.223372036854775809e18", "92233720368547758080e-1",
            "123456789012345678901234567890", "0.00000000000000000001e40",
        ])
    func outOfRange(_ source: String) throws {
        let text = try ScannedText(source)
        #expect(text.truncated(text.root) == .outOfRange)
        #expect(text.integer(text.root) == nil)
    }

    @Test("the exponent and the digits may be as long as the text")
    func long() throws {
        let zeros = String(repeating: "0", count: 30_000)
        for (source, expected) in [
            ("0.\(zeros)1e30001", JSONTruncation.value(1)), ("0.\(zeros)1e30000", .value(0)),
            ("1\(zeros)e-30000", .value(1)), ("1\(zeros)e-30001", .value(0)),
            ("1\(zeros)", .outOfRange), ("1e\(zeros)3", .value(1000)), ("7.\(zeros)", .value(7)),
            ("1e-\(zeros)0", .value(1)), ("0\(".")\(zeros)e\(zeros)9", .value(0)),
        ] {
            let text = try ScannedText(source)
            #expect(text.truncated(text.root) == expected, "\(source.count) digits")
        }
    }

    @Test("where a number is written as an integer, both readings agree")
    func agreement() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let value = Int64(truncatingIfNeeded: random.next()) >> Int64(random.next() % 64)
            let text = try ScannedText(String(value))
            #expect(text.integer(text.root) == value)
            #expect(text.truncated(text.root) == .value(value))
        }
    }

    @Test(
        "any number is read as the nearest one with a fraction",
        arguments: [
            ("0", 0), ("1", 1), ("1.0", 1), ("-1.5", -1.5), ("1e3", 1000), ("1E-2", 0.01),
            ("3.141592653589793", .pi), ("9007199254740993", 9_007_199_254_740_992),
            ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("5e-324", .leastNonzeroMagnitude),
            ("1e-400", 0), ("1e309", nil), ("-1e999999999999", nil), ("\"1.0\"", nil),
            ("true", nil), ("null", nil), ("[1.0]", nil),
        ] as [(String, Double?)])
    func floats(_ source: String, _ expected: Double?) throws {
        let text = try ScannedText(source)
        #expect(text.float(text.root) == expected)
    }
}
