import Testing

@testable import Accounts

@Suite struct WeiboErrorTests {
    static let codes: [Int64] =
        [401, 10006, 10013, 10014, 10021, 10022, 10023, 10024, 21335, 21337, 21338, 21501, 40112]
        + Array(21301...21332)

    @Test("every known code has a meaning and something to do", arguments: codes)
    func known(_ code: Int64) throws {
        let meaning = try #require(WeiboError.meaning(of: code))
        let action = try #require(WeiboError.action(for: code))
        for text in [meaning, action] {
            #expect(!text.isEmpty && !text.hasSuffix(".") && !text.contains("\n"))
        }
    }

    @Test("other codes have none", arguments: [0, -1, 1, 21300, 21333, 21334, 21336, 21339, .max])
    func unknown(_ code: Int64) {
        #expect(WeiboError.meaning(of: code) == nil)
        #expect(WeiboError.action(for: code) == nil)
        #expect(!WeiboError.refusesToken(code))
    }

    @Test("only some say that the token is of no more use", arguments: codes)
    func refuses(_ code: Int64) {
        let refusing: Set<Int64> = [
            21301, 21314, 21315, 21316, 21317, 21319, 21327, 21332, 40112,
        ]
        #expect(WeiboError.refusesToken(code) == refusing.contains(code))
    }

    @Test("names of errors lead to codes that are known", arguments: OAuthErrorName.allCases)
    func names(_ name: OAuthErrorName) {
        #expect(OAuthErrorName.of(name.rawValue.utf8.span) == name)
        #expect(OAuthErrorName.of((name.rawValue + "x").utf8.span) == nil)
        if let code = name.code { #expect(WeiboError.meaning(of: code) != nil) }
    }

    @Test("every kind of input has a sentence and a hint", arguments: InputKind.allCases)
    func kinds(_ kind: InputKind) {
        #expect(!kind.description.isEmpty && !kind.hint.isEmpty)
        #expect(kind.reason.hasPrefix("not-json"))
    }
}
