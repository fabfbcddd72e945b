import Accounts
import Foundation
import Glibc
import Testing

@Suite struct CivilTimeTests {
    @Test(
        "a point in time and its text stand for each other",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:01Z"),
            (86_399, "1970-01-01T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_000_000_000, "2001-09-09T01:46:40Z"), (1_709_164_800, "2024-02-29T00:00:00Z"),
            (2_147_483_647, "2038-01-19T03:14:07Z"), (2_147_483_648, "2038-01-19T03:14:08Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
            (13_574_563_200, "2400-02-29T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)])
    func both(seconds: Int64, text: String) {
        #expect(CivilTime.rfc3339(seconds) == text)
        #expect(CivilTime.parse(text) == seconds)
    }

    @Test("every day agrees with the C library's calendar")
    func everyDay() {
        for day: Int64 in 0...2_932_896 where day % 7 == 0 || day > 2_932_000 || day < 1000 {
            let seconds = day * 86_400 + day % 86_400
            var time = Int(seconds)
            var parts = unsafe tm()
            unsafe gmtime_r(&time, &parts)
            let text = CivilTime.rfc3339(seconds)
            let digits = text.utf8.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            let date =
                unsafe (Int64(parts.tm_year) + 1900) * 10_000
                + Int64(parts.tm_mon + 1) * 100 + Int64(parts.tm_mday)
            let clock =
                unsafe Int64(parts.tm_hour) * 10_000 + Int64(parts.tm_min) * 100
                + Int64(parts.tm_sec)
            if number != date * 1_000_000 + clock || CivilTime.parse(text) != seconds {
                Issue.record("\(seconds) is \(text)")
                return
            }
        }
    }

    @Test(
        "the forms of the RFC are read, and an offset without its colon too",
        arguments: [
            ("2026-01-02T03:04:05Z", 1_767_323_045), ("2026-01-02t03:04:05z", 1_767_323_045),
            ("2026-01-02 03:04:05Z", 1_767_323_045), ("2026-01-02T11:04:05+08:00", 1_767_323_045),
            ("2026-01-02T11:04:05+0800", 1_767_323_045),
            ("2026-01-01T22:34:05-04:30", 1_767_323_045),
            ("2026-01-02T03:04:05-00:00", 1_767_323_045),
            ("2026-01-02T03:04:05.999Z", 1_767_323_045),
            ("2026-01-02T03:04:05.123456789012345678901234567890+00:00", 1_767_323_045),
            ("1970-01-01T08:00:00+08:00", 0), ("1969-12-31T23:00:00-01:00", 0),
            ("9999-12-31T23:59:59.9Z", 253_402_300_799), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("2017-01-01T07:59:60+08:00", 1_483_228_800),
        ] as [(String, Int64)])
    func accepted(text: String, seconds: Int64) {
        #expect(CivilTime.parse(text) == seconds)
    }

    @Test(
        "dates before 1970 are read where they are asked for",
        arguments: [
            ("1969-12-31T23:59:59Z", -1), ("1965-02-03T04:05:06Z", -154_900_494),
            ("1900-02-28T00:00:00Z", -2_203_977_600), ("1600-02-29T12:00:00Z", -11_670_955_200),
            ("0001-01-01T00:00:00Z", -62_135_596_800), ("1970-01-01T00:00:00+00:01", -60),
            ("1967-12-31T23:59:60Z", -63_158_400), ("2001-09-09T01:46:40Z", 1_000_000_000),
        ] as [(String, Int64)])
    func before1970(text: String, seconds: Int64) {
        #expect(CivilTime.parse(text, from: CivilTime.firstSecond) == seconds)
        #expect(CivilTime.parse(text) == (seconds < 0 ? nil : seconds))
        #expect(CivilTime.parse(text, from: seconds + 1) == nil)
    }

    @Test(
        "before the year 1 there is no date",
        arguments: [
            "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "1967-06-30T23:59:60+08:00",
            "1900-02-29T00:00:00Z",
        ])
    func beforeAll(text: String) {
        #expect(CivilTime.parse(text, from: CivilTime.firstSecond) == nil)
    }

    @Test(
        "what is no date, or outside the years 1970 to 9999, is refused",
        arguments: [
            "", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04Z",
            "2026-1-02T03:04:05Z", "26-01-02T03:04:05Z", "2026-01-02T03:04:05 Z",
            " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z ", "2026-01-02T03:04:05ZZ",
            "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z",
            "2026-01-32T03:04:05Z", "2026-04-31T03:04:05Z", "2026-02-29T03:04:05Z",
            "2100-02-29T03:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:05Z",
            "2026-01-02T03:04:61Z", "2026-01-02T03:04:60Z", "2016-12-31T23:59:60+08:00",
            "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05+8:00",
            "2026-01-02T03:04:05+08", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+08:60",
            "2026-01-02T03:04:05+080", "2026-01-02T03:04:05+08000", "2026-01-02T03:04:05X",
            "2026-01-02X03:04:05Z", "2026/01/02T03:04:05Z", "+026-01-02T03:04:05Z",
            "-2026-01-02T03:04:05Z", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z", "0000-01-01T00:00:00Z",
            "10000-01-01T00:00:00Z", "２０26-01-02T03:04:05Z", "2026-01-02T03:04:05Z\0",
            "2026-01-02T03:04:05Z\n",
        ])
    func refused(text: String) {
        #expect(CivilTime.parse(text) == nil)
    }

    @Test(
        "what lies outside has the nearest text",
        arguments: [
            (-1, "1970-01-01T00:00:00Z"), (.min, "1970-01-01T00:00:00Z"),
            (253_402_300_800, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)])
    func outside(seconds: Int64, text: String) {
        #expect(CivilTime.rfc3339(seconds) == text)
    }

    @Test("written times are Foundation's and are read back", arguments: 0..<400)
    func agrees(_ step: Int64) {
        let seconds = step * 617_283_945 + step * step % 86_400
        let text = CivilTime.rfc3339(seconds)
        #expect(text == Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601))
        #expect(CivilTime.parse(text) == seconds)
    }
}
