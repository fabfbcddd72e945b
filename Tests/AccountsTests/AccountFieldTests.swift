import Testing

@testable import Accounts

@Suite struct AccountFieldTests {
    @Test(
        "a token is 1 to 4096 bytes of printable ASCII",
        arguments: [
            ("a", nil), ("!~", nil), (String(repeating: "a", count: 4096), nil),
            (String(repeating: "a", count: 4097), "too-long"), ("", "empty"),
            (" a", "has-whitespace"), ("a ", "has-whitespace"), ("a\tb", "has-control-characters"),
            ("a\r\nb c", "has-control-characters"), ("a\u{7F}", "has-control-characters"),
            ("\u{0}", "has-control-characters"), ("ä", "not-ascii"),
            ("ä \n", "has-control-characters"),
            ("ä b", "has-whitespace"), ("a\u{A0}", "not-ascii"),
        ] as [(String, String?)])
    func token(_ token: String, _ reason: String?) {
        #expect(AccountField.check(accessToken: token.utf8.span) == reason)
        #expect(AccountField.check(refreshToken: token.utf8.span) == reason)
    }

    @Test(
        "a uid is 1 to 20 ASCII digits",
        arguments: [
            ("0", nil), ("9900001001", nil), ("18446744073709551615", nil),
            ("99999999999999999999", nil), ("000000000000000000000", "too-long"), ("", "empty"),
            ("-1", "not-digits"), ("+1", "not-digits"), ("1.0", "not-digits"), (" 1", "not-digits"),
            ("1e3", "not-digits"), ("１", "not-digits"), ("1\u{301}", "not-digits"),
            ("1\u{0}", "not-digits"),
        ] as [(String, String?)])
    func uid(_ uid: String, _ reason: String?) {
        #expect(AccountField.check(uid: uid) == reason)
    }

    @Test(
        "a screen name is at most 256 bytes without U+0000",
        arguments: [
            ("", nil), ("\u{1B}[2J", nil), (String(repeating: "a", count: 256), nil),
            (String(repeating: "字", count: 85), nil),
            (String(repeating: "字", count: 86), "too-long"),
            ("a\u{0}", "has-control-characters"),
        ] as [(String, String?)])
    func screenName(_ name: String, _ reason: String?) {
        #expect(AccountField.check(screenName: name) == reason)
    }

    @Test(
        "an avatar's address is at most 2048 bytes without spaces and controls",
        arguments: [
            ("", nil), ("https://tvax3.sinaimg.cn/a.jpg", nil),
            (String(repeating: "a", count: 2048), nil),
            (String(repeating: "a", count: 2049), "too-long"), ("a b", "has-whitespace"),
            ("a\nb", "has-control-characters"), ("a\u{7F}", "has-control-characters"),
        ] as [(String, String?)])
    func avatar(_ address: String, _ reason: String?) {
        #expect(AccountField.check(avatarLarge: address) == reason)
    }

    @Test(
        "a life is 1 second to ten years",
        arguments: [
            (1, true), (315_360_000, true), (0, false), (-1, false), (315_360_001, false),
            (.max, false), (.min, false),
        ] as [(Int64, Bool)])
    func expiresIn(_ seconds: Int64, _ isGood: Bool) {
        #expect((AccountField.check(expiresIn: seconds) == nil) == isGood)
    }

    @Test(
        "times are of the years 1970 to 9999",
        arguments: [
            (0, true), (253_402_300_799, true), (-1, false), (253_402_300_800, false),
            (.max, false),
            (.min, false),
        ] as [(Int64, Bool)])
    func times(_ seconds: Int64, _ isGood: Bool) {
        #expect((AccountField.check(issuedAt: seconds) == nil) == isGood)
        #expect((AccountField.check(expiresAt: seconds) == nil) == isGood)
    }
}
