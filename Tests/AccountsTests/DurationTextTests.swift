import Testing

@testable import Accounts

@Suite struct DurationTextTests {
    @Test(
        "durations are read as people write them",
        arguments: [
            ("0", 0), ("90", 90), ("90s", 90), ("10m", 600), ("6h", 21_600), ("7d", 604_800),
            ("1h30m", 5400), ("1d2h3m4s", 93_784), ("1d4s", 86_404), ("0d", 0), ("007", 7),
            ("9223372036854775807", .max), ("9223372036854775807s", .max),
            ("106751991167300d15h30m7s", .max), ("00000000000000000000000001m", 60),
        ] as [(String, Int64)])
    func parse(_ text: String, _ seconds: Int64) {
        #expect(DurationText.parse(text) == seconds)
    }

    @Test(
        "what is written otherwise or does not fit is refused",
        arguments: [
            "", " ", "s", "-1", "+1", " 7", "7 ", "1.5h", "1e3", "1h30", "30m1h", "1h1h", "1hh",
            "7D",
            "7w", "1 h", "h1", "0x10", "１", "٣", "1h 30m", "90\n", "7d,",
            "9223372036854775808", "99999999999999999999999", "106751991167301d",
            "106751991167300d15h30m8s", "2562047788015216h", "9223372036854775807s1s", "1\u{0}",
        ])
    func refuse(_ text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(
        "a duration is written by its two largest units and never rounded up",
        arguments: [
            (0, "0 s"), (1, "1 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"),
            (3599, "59 min 59 s"), (3600, "1 h"), (3659, "1 h"), (3660, "1 h 1 min"),
            (86_399, "23 h 59 min"), (86_400, "1 day"), (89_999, "1 day"), (90_000, "1 day 1 h"),
            (604_799, "6 days 23 h"), (604_800, "7 days"), (-1, "-1 s"), (-90_000, "-1 day 1 h"),
            (.max, "106751991167300 days 15 h"), (.min, "-106751991167300 days 15 h"),
        ] as [(Int64, String)])
    func format(_ seconds: Int64, _ text: String) {
        #expect(DurationText.format(seconds) == text)
    }
}
