import Archiving
import Foundation
import Testing

/// Values as JSON.
@Suite struct ArchiveJSONTests {
    @Test(
        "a value has one text",
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"),
            (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"),
            (3.0, "3.0"), (-0.0, "-0.0"), (0.1, "0.1"), (.real(1e300), "1e+300"),
            (.real(.leastNonzeroMagnitude), "5e-324"), (.real(0x1p53), "9007199254740992.0"),
            (.real(Double(Float(0.1))), "0.10000000149011612"), ("", "\"\""),
            ("二/\u{1F600}", "\"二/\u{1F600}\""), ([], "[]"), ([:], "{}"),
            ([1, [2, []], nil], "[1,[2,[]],null]"),
            (
                ["b": 1, "a": ["z": false], "aa": 2, "B": 3],
                #"{"B":3,"a":{"z":false},"aa":2,"b":1}"#
            ),
            // In the order of code points, not of UTF-16 units nor of any language.
            (
                ["\u{FF41}": 1, "\u{1F600}": 2, "é": 3, "z": 4],
                "{\"z\":4,\"é\":3,\"\u{FF41}\":1,\"\u{1F600}\":2}"
            ),
            (.data(Data()), #"{"$data":""}"#), (.data(Data([0, 1, 255])), #"{"$data":"AAH/"}"#),
            (.date(Date(timeIntervalSince1970: 1_478_307_200)), "\"2016-11-05T00:53:20Z\""),
        ] as [(ArchiveValue, String)])
    func texts(_ value: ArchiveValue, _ text: String) throws {
        #expect(try value.json() == text)
    }

    @Test("control characters, those of C1 and the marks of direction are escaped")
    func controls() throws {
        let text =
            "\u{0}\u{8}\t\n\u{B}\u{C}\r\u{1B}\u{1F} \"\\\u{7F}\u{80}\u{9F}\u{A0}\u{200E}\u{202E}"
        #expect(
            try ArchiveValue.string(text).json()
                == #""\u0000\u0008\t\n\u000b\u000c\r\u001b\u001f \"\\\u007f\u0080\u009f"#
                + "\u{A0}" + #"\u200e\u202e""#)
        #expect(try ArchiveValue.dictionary([text: nil]).json().hasPrefix("{\"\\u0000"))
    }

    @Test("lines of their own are for eyes, and say the same")
    func pretty() throws {
        let value: ArchiveValue = [
            "list": [1, ["a": nil]], "empty": [], "none": [:], "data": .data(Data([0])),
        ]
        #expect(
            try value.json(pretty: true) == """
                {
                  "data": {"$data":"AA=="},
                  "empty": [],
                  "list": [
                    1,
                    {
                      "a": null
                    }
                  ],
                  "none": {}
                }
                """)
    }

    @Test("what JSON does not have is refused")
    func refused() {
        // No arguments: Foundation cannot describe all of these dates.
        let values: [ArchiveValue] = [
            .real(.nan), .real(.infinity), [.real(-.infinity)], ["a": .real(.nan)],
            .date(.distantFuture.addingTimeInterval(1e12)),
            .date(Date(timeIntervalSinceReferenceDate: .nan)),
            .date(Date(timeIntervalSinceReferenceDate: -.infinity)),
        ]
        for (number, value) in values.enumerated() {
            let error = #expect(throws: ArchiveError.self) { try value.json(archive: "notes") }
            guard case .notEncodable(let archive, let reason)? = error else {
                Issue.record("\(number)")
                continue
            }
            #expect(archive == "notes")
            #expect(reason.hasPrefix("JSON has no "))
        }
    }

    @Test("what is deeper than any value that was read is refused")
    func deep() throws {
        var value: ArchiveValue = 1
        for _ in 0..<511 { value = [value] }
        #expect(try value.json().utf8.count == 2 * 511 + 1)
        let deeper: ArchiveValue = ["a": value]
        #expect(throws: ArchiveError.self) { try deeper.json() }
    }

    @Test("Foundation reads it as what it is")
    func foundation() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            let text = try ArchiveValue.array([.real(number)]).json()
            #expect(try JSONDecoder().decode([Double].self, from: Data(text.utf8)) == [number])
            #expect(text.contains(".") || text.contains("e"))
            let integer = Int64(bitPattern: generator.next())
            let digits = try ArchiveValue.array([.integer(integer)]).json()
            #expect(try JSONDecoder().decode([Int64].self, from: Data(digits.utf8)) == [integer])
        }
        let scalars = (0..<0x3000).compactMap { Unicode.Scalar($0) }
        let string = String(String.UnicodeScalarView(scalars))
        let text = try ArchiveValue.array([.string(string)]).json()
        #expect(try JSONDecoder().decode([String].self, from: Data(text.utf8)) == [string])
    }
}

/// Dates as text.
@Suite struct DateTextTests {
    @Test(
        "a date has one text, with as much of a fraction as it has",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (-0.5, "1969-12-31T23:59:59.5Z"), (0.000001, "1970-01-01T00:00:00.000001Z"),
            (0.0000001, "1970-01-01T00:00:00Z"), (0.9999999, "1970-01-01T00:00:01Z"),
            (1_478_307_200.25, "2016-11-05T00:53:20.25Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(Double, String)])
    func texts(_ seconds: Double, _ text: String) {
        #expect(Date(timeIntervalSince1970: seconds).rfc3339 == text)
    }

    @Test(
        "outside the years 1 to 9999 it has none",
        arguments: [
            -62_135_596_800.001, 253_402_300_800, 1e300, .infinity, -.infinity, .nan,
        ])
    func outside(_ seconds: Double) {
        #expect(Date(timeIntervalSince1970: seconds).rfc3339 == nil)
    }

    @Test("whole seconds are written as Foundation writes them")
    func foundation() {
        // Before 1582 Foundation's calendar is another one.
        for step in 0..<3000 {
            let seconds = -11_000_000_000 + Double(step) * 88_112_345
            let date = Date(timeIntervalSince1970: seconds)
            #expect(date.rfc3339 == date.formatted(.iso8601))
        }
    }
}
