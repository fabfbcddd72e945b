import SecretMemory
import TestSupport
import Testing

@testable import Accounts

@Suite struct TokenResponseTests {
    private static func quoted(_ count: Int) -> String {
        "\"" + String(repeating: "a", count: count) + "\""
    }

    @Test(
        "the access token is 1 to 4096 bytes of printable ASCII",
        arguments: [
            (quoted(1), nil), (quoted(4096), nil), (quoted(4097), "access_token-too-long"),
            ("\"!~\\u0041\\/\\\"\"", nil), ("\"\"", "no-access-token"), ("null", "no-access-token"),
            (nil, "no-access-token"), ("1", "bad-access_token"), ("true", "bad-access_token"),
            ("[\"a\"]", "bad-access_token"), ("{}", "bad-access_token"),
            ("\" \"", "access_token-has-whitespace"), ("\"a b\"", "access_token-has-whitespace"),
            ("\"a\\tb\"", "access_token-has-control-characters"),
            ("\"a\\u0000\"", "access_token-has-control-characters"),
            ("\"a\\u007f\"", "access_token-has-control-characters"),
            ("\"a b\\n\"", "access_token-has-control-characters"),
            ("\"ä\"", "access_token-not-ascii"), ("\"\\ud83d\\ude00\"", "access_token-not-ascii"),
        ] as [(String?, String?)])
    func accessToken(_ token: String?, _ reason: String?) throws {
        #expect(try Outcome(response(token: token)).reason == reason)
    }

    @Test(
        "a refresh token is as an access token, or not there",
        arguments: [
            ("null", nil), ("\"\"", nil), (quoted(4096), nil),
            (quoted(4097), "refresh_token-too-long"), ("7", "bad-refresh_token"),
            ("\"a\\nb\"", "refresh_token-has-control-characters"),
            ("\"a b\"", "refresh_token-has-whitespace"), ("\"é\"", "refresh_token-not-ascii"),
        ] as [(String, String?)])
    func refreshToken(_ token: String, _ reason: String?) throws {
        let outcome = try Outcome(response("\"refresh_token\":" + token))
        #expect(outcome.reason == reason)
        #expect(
            outcome.refreshToken
                == (token.utf8.count > 4096 && reason == nil
                    ? String(token.dropFirst().dropLast()) : nil))
    }

    @Test(
        "a uid is 1 to 20 digits or an integer, kept exact",
        arguments: [
            ("\"0\"", "0", nil), ("\"99999999999999999999\"", "99999999999999999999", nil),
            ("\"007\"", "007", nil), ("\"\\u0039\"", "9", nil), ("0", "0", nil),
            ("9007199254740993", "9007199254740993", nil),
            ("18446744073709551615", "18446744073709551615", nil),
            ("99999999999999999999", "99999999999999999999", nil),
            ("100000000000000000000", nil, "bad-uid"),
            ("\"100000000000000000000\"", nil, "bad-uid"),
            ("-1", nil, "bad-uid"), ("-0", nil, "bad-uid"), ("1.0", nil, "bad-uid"),
            ("1.5", nil, "bad-uid"), ("1e3", nil, "bad-uid"), ("\"-1\"", nil, "bad-uid"),
            ("\"+1\"", nil, "bad-uid"), ("\" 1\"", nil, "bad-uid"), ("\"1\\n\"", nil, "bad-uid"),
            ("\"1.0\"", nil, "bad-uid"), ("\"१\"", nil, "bad-uid"), ("true", nil, "bad-uid"),
            ("[1]", nil, "bad-uid"), ("{}", nil, "bad-uid"), ("\"\"", nil, "uid-missing"),
            ("null", nil, "uid-missing"), (nil, nil, "uid-missing"),
        ] as [(String?, String?, String?)])
    func uid(_ value: String?, _ uid: String?, _ reason: String?) throws {
        let outcome = try Outcome(response(uid: value))
        #expect(outcome.uid == uid)
        #expect(outcome.reason == reason)
    }

    @Test(
        "a uid that is none is remarked upon",
        arguments: [
            ("1005059900001008", ["uid looks like a container id"]),
            ("1076039900001008", ["uid looks like a container id"]),
            ("1005051234", []), ("9900001008", []), ("0", ["uid is zero"]), ("10", []),
        ])
    func odd(_ uid: String, _ warnings: [String]) throws {
        let outcome = try Outcome(response(uid: uid))
        #expect(outcome.reason == nil)
        #expect(outcome.warnings == warnings)
    }

    @Test(
        "expires_in is whole seconds, more than none, at most ten years",
        arguments: [
            ("1", 1, nil), ("315360000", 315_360_000, nil),
            ("315360001", nil, "expires_in-out-of-range"), ("315360000.9", 315_360_000, nil),
            ("\"1\"", 1, nil), ("\"007\"", 7, nil), ("\"315360000\"", 315_360_000, nil),
            ("\"315360001\"", nil, "expires_in-out-of-range"), ("1.999", 1, nil),
            ("1e3", 1000, nil),
            ("3.6E+3", 3600, nil), ("36000e-1", 3600, nil), ("0.5", nil, "already-expired"),
            ("-0.5", nil, "already-expired"), ("-1", nil, "already-expired"),
            ("-1e400", nil, "already-expired"), ("0", nil, "already-expired"),
            ("\"0\"", nil, "already-expired"), ("\"000\"", nil, "already-expired"),
            ("1e-400", nil, "already-expired"),
            ("9223372036854775807", nil, "expires_in-out-of-range"),
            ("9223372036854775808", nil, "expires_in-out-of-range"),
            ("\"9223372036854775808\"", nil, "expires_in-out-of-range"),
            ("\"99999999999999999999999999\"", nil, "expires_in-out-of-range"),
            ("1e400", nil, "expires_in-out-of-range"),
            ("1735689600", nil, "expires_in-out-of-range"),
            ("1735689600000", nil, "expires_in-out-of-range"), ("\" 7\"", nil, "bad-expires_in"),
            ("\"7 \"", nil, "bad-expires_in"), ("\"+7\"", nil, "bad-expires_in"),
            ("\"-1\"", nil, "bad-expires_in"), ("\"\"", nil, "bad-expires_in"),
            ("\"7.5\"", nil, "bad-expires_in"), ("\"1e3\"", nil, "bad-expires_in"),
            ("\"0x10\"", nil, "bad-expires_in"), ("\"７\"", nil, "bad-expires_in"),
            ("\"99999999999999999999999999x\"", nil, "bad-expires_in"),
            ("\"7\\u0000\"", nil, "bad-expires_in"), ("true", nil, "bad-expires_in"),
            ("false", nil, "bad-expires_in"), ("[7200]", nil, "bad-expires_in"),
            ("{\"a\":1}", nil, "bad-expires_in"), ("null", nil, "expiry-unknown"),
            (nil, nil, "expiry-unknown"),
        ] as [(String?, Int64?, String?)])
    func expiresIn(_ value: String?, _ seconds: Int64?, _ reason: String?) throws {
        let outcome = try Outcome(response(expiresIn: value))
        #expect(outcome.expiry?.expiresIn == seconds)
        #expect(outcome.expiry?.expiresAt == seconds.map { Outcome.now + $0 })
        #expect(outcome.reason == reason)
    }

    @Test("only the response's own members count")
    func nested() throws {
        let inner = response(token: "\"decoy\"", uid: "1", expiresIn: "5")
        #expect(try Outcome(response("\"a\":\(inner),\"error_x\":1")).accessToken == "2.00made-up")
        #expect(try Outcome("{\"data\":\(inner)}").reason == "no-access-token")
        #expect(try Outcome("{\"a\":{\"error\":1},\"access_token\":\"x\"}").reason == "uid-missing")
    }

    @Test("names are compared after their escapes, and case counts")
    func names() throws {
        let escaped = "{\"acc\\u0065ss_token\":\"a\",\"uid\":1,\"expires_in\":2}"
        #expect(try Outcome(escaped).accessToken == "a")
        #expect(
            try Outcome("{\"Access_Token\":\"a\",\"uid\":1,\"expires_in\":2}").reason
                == "no-access-token")
        #expect(
            try Outcome("{\"uid\":1,\"\\u0075id\":2,\"access_token\":\"a\",\"expires_in\":2}")
                .reason
                == "malformed-json:duplicate-key")
    }

    @Test(
        "a response of 64 KiB is read, a larger one not",
        arguments: [
            (65_536, nil), (65_537, "too-large"), (131_072, "too-large"), (131_073, "too-large"),
        ] as [(Int, String?)])
    func size(_ size: Int, _ reason: String?) throws {
        let empty = response("\"pad\":\"\"")
        let pad = String(repeating: "p", count: size - empty.utf8.count)
        #expect(try Outcome(response("\"pad\":\"\(pad)\"")).reason == reason)
    }

    @Test(
        "sixteen levels are read, seventeen not",
        arguments: [(15, nil), (16, "malformed-json:depth")]
            as [(Int, String?)])
    func depth(_ levels: Int, _ reason: String?) throws {
        let nested = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        #expect(try Outcome(response("\"a\":" + nested)).reason == reason)
    }

    @Test(
        "a profile is taken, and a bad one costs no login",
        arguments: [
            ("\"screen_name\":\"名\"", "名", nil, []),
            ("\"screen_name\":\"\",\"avatar_large\":\"\"", nil, nil, []),
            ("\"screen_name\":null,\"avatar_large\":null", nil, nil, []),
            ("\"name\":\"a\",\"avatar_hd\":\"b\"", nil, nil, []),
            ("\"avatar_large\":\"https:\\/\\/a\\/b.jpg\"", nil, "https://a/b.jpg", []),
            ("\"screen_name\":7", nil, nil, ["screen_name is not usable and was left out"]),
            ("\"screen_name\":{}", nil, nil, ["screen_name is not usable and was left out"]),
            (
                "\"screen_name\":\"a\\u0000\"", nil, nil,
                ["screen_name is not usable and was left out"]
            ),
            ("\"avatar_large\":\"a b\"", nil, nil, ["avatar_large is not usable and was left out"]),
            ("\"avatar_large\":[]", nil, nil, ["avatar_large is not usable and was left out"]),
        ] as [(String, String?, String?, [String])])
    func profile(
        _ members: String, _ name: String?, _ avatar: String?, _ warnings: [String]
    ) throws {
        let outcome = try Outcome(response(members))
        #expect(outcome.reason == nil)
        #expect(outcome.screenName == name)
        #expect(outcome.avatarLarge == avatar)
        #expect(outcome.warnings == warnings)
    }

    @Test("a screen name of 256 bytes is taken, a longer one left out")
    func longName() throws {
        let name = String(repeating: "😀", count: 64)
        #expect(try Outcome(response("\"screen_name\":\"\(name)\"")).screenName == name)
        #expect(try Outcome(response("\"screen_name\":\"\(name)a\"")).warnings.count == 1)
    }

    @Test(
        "a merged users/show answer must be of the token's own user",
        arguments: [
            ("\"id\":99,\"idstr\":\"99\",\"screen_name\":\"a\"", nil),
            ("\"id\":\"99\",\"screen_name\":\"a\"", nil),
            ("\"id\":98,\"screen_name\":\"a\"", "uid-mismatch"),
            ("\"id\":99,\"idstr\":\"98\"", "uid-mismatch"),
            ("\"id\":98,\"avatar_large\":\"https://a\"", "uid-mismatch"),
            // Not of users/show: some database's number.
            ("\"id\":98", nil), ("\"id\":\"5f3c\",\"screen_name\":\"a\"", nil),
            ("\"id\":null,\"screen_name\":\"a\"", nil), ("\"id\":-98,\"screen_name\":\"a\"", nil),
        ] as [(String, String?)])
    func merged(_ members: String, _ reason: String?) throws {
        #expect(try Outcome(response(members)).reason == reason)
    }

    @Test("an id is no uid: whose token it is must be said")
    func idIsNoUID() throws {
        let text = response(uid: nil, "\"id\":99,\"idstr\":\"99\",\"screen_name\":\"a\"")
        #expect(try Outcome(text).reason == "uid-missing")
        #expect(try Outcome(text, .init(receivedAt: 0, uid: "99")).uid == "99")
        #expect(try Outcome(text, .init(receivedAt: 0, uid: "98")).reason == "uid-mismatch")
    }

    @Test("without room it says so")
    func noRoom() throws {
        let arena = try SecretArena(capacity: 4096, preferring: .lockedPages)
        let hog = try arena.allocate(4096)
        let bytes = Array(response().utf8)
        #expect(throws: TokenResponseError.memory(.exhausted)) {
            _ = try TokenResponse.parse(
                bytes.span, supplement: .init(receivedAt: 0), arena: arena
            ).uid
        }
        #expect(hog.count == 4096)
    }

    @Test("a response becomes the account it describes")
    func account() throws {
        let arena = try SecretArena.forTest()
        let bytes = Array(response("\"refresh_token\":\"r\",\"screen_name\":\"s\"").utf8)
        let account = try TokenResponse.parse(
            bytes.span, supplement: .init(receivedAt: 5), arena: arena
        ).account()
        #expect(text(account.accessToken) == "2.00made-up")
        let refreshToken = account.refreshToken.text()
        #expect(refreshToken == "r")
        #expect(account.uid == "99")
        #expect(account.screenName == "s")
        #expect(account.expiry == (try Expiry(expiresIn: 3600, issuedAt: 5)))
        #expect(account.refused == nil)
    }
}
