import Foundation
import Testing

@testable import Accounts

@Suite struct CivilTimeTests {
    @Test(
        "times are written in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_767_225_600, "2026-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (253_402_300_800, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"), (.min, "0000-01-01T00:00:00Z"),
        ] as [(Int64, String)])
    func write(_ seconds: Int64, _ text: String) {
        #expect(CivilTime.rfc3339(seconds) == text)
    }

    @Test(
        "times are read with any offset",
        arguments: [
            ("2026-01-01T00:00:00Z", 1_767_225_600), ("2026-01-01t00:00:00z", 1_767_225_600),
            ("2026-01-01 00:00:00Z", 1_767_225_600), ("2026-01-01T08:00:00+08:00", 1_767_225_600),
            ("2026-01-01T08:00:00+0800", 1_767_225_600),
            ("2025-12-31T19:30:00-04:30", 1_767_225_600),
            ("2026-01-01T00:00:00.999999999Z", 1_767_225_600),
            ("2016-12-31T23:59:60Z", 1_483_228_799),
            ("2000-02-29T00:00:00Z", 951_782_400),
        ] as [(String, Int64)])
    func read(_ text: String, _ seconds: Int64) {
        #expect(CivilTime.parse(text) == seconds)
    }

    @Test(
        "what is no time is refused",
        arguments: [
            "", "2026-01-01", "2026-01-01T00:00:00", "2026-1-1T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+08:60", "2026-01-01T00:00:00Zx",
            "２026-01-01T00:00:00Z", " 2026-01-01T00:00:00Z", "+026-01-01T00:00:00Z",
            "2026-01-01T00:00:00+8", "1767225600",
        ])
    func refuse(_ text: String) {
        #expect(CivilTime.parse(text) == nil)
    }

    @Test("written times are Foundation's and are read back", arguments: 0..<400)
    func agrees(_ step: Int64) {
        let seconds = step * 617_283_945 + step * step % 86_400
        let text = CivilTime.rfc3339(seconds)
        let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        #expect(text == expected)
        #expect(CivilTime.parse(text) == seconds)
    }
}
