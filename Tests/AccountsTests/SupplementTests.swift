import Testing

@testable import Accounts

@Suite struct SupplementTests {
    private static let now = Outcome.now

    struct Case: Sendable, CustomTestStringConvertible {
        var says: String
        var expiresIn: String? = "3600"
        var givenIn: Int64?
        var givenAt: Int64?
        var issuedAt: Int64?
        var receivedAt: Int64 = now
        var reason: String?
        var expiry: [Int64?] = []
        var warns = false
        var testDescription: String { says }
    }

    private static let cases: [Case] = [
        Case(says: "the time of receipt counts", expiry: [3600, now, now + 3600]),
        Case(
            says: "an old file's own time counts", receivedAt: 1000, expiry: [3600, 1000, 4600]),
        Case(
            says: "--issued-at wins over the time of receipt", issuedAt: 1000,
            expiry: [3600, 1000, 4600]),
        Case(
            says: "--issued-at may be later than a file's time", issuedAt: now + 5, receivedAt: 7,
            expiry: [3600, now + 5, now + 3605]),
        Case(
            says: "--expires-in fills", expiresIn: nil, givenIn: 60, expiry: [60, now, now + 60]),
        Case(
            says: "--expires-in fills null, from --issued-at", expiresIn: "null", givenIn: 60,
            issuedAt: 1000, expiry: [60, 1000, 1060]),
        Case(
            says: "--expires-at fills and leaves the life unknown", expiresIn: nil,
            givenAt: now + 60, expiry: [nil, nil, now + 60]),
        Case(
            says: "--expires-at with --issued-at makes the life known", expiresIn: nil,
            givenAt: now + 60, issuedAt: now, expiry: [60, now, now + 60]),
        Case(
            says: "--expires-at in the past is a date like any other", expiresIn: nil, givenAt: 5,
            expiry: [nil, nil, 5]),
        Case(says: "the same --expires-in agrees", givenIn: 3600, expiry: [3600, now, now + 3600]),
        Case(says: "another --expires-in does not", givenIn: 3601, reason: "expiry-mismatch"),
        Case(says: "a shorter --expires-in does not", givenIn: 60, reason: "expiry-mismatch"),
        Case(
            says: "the same --expires-at agrees", givenAt: now + 3600,
            expiry: [3600, now, now + 3600]),
        Case(
            says: "an earlier --expires-at says that the response is older", givenAt: now + 600,
            expiry: [3600, now - 3000, now + 600]),
        Case(
            says: "a later --expires-at promises more than was granted", givenAt: now + 3601,
            reason: "expiry-mismatch"),
        Case(
            says: "--expires-at must agree with --issued-at", givenAt: now + 600, issuedAt: now,
            reason: "expiry-mismatch"),
        Case(
            says: "an --expires-at before any issue is wrong", givenAt: 100,
            reason: "expiry-mismatch"),
        Case(
            says: "both at once", expiresIn: nil, givenIn: 60, givenAt: now + 60,
            reason: "expiry-conflict"),
        Case(
            says: "both at once, though the response knows", givenIn: 3600, givenAt: now + 3600,
            reason: "expiry-conflict"),
        Case(
            says: "an unusable expires_in is replaced", expiresIn: "\"3.6e3\"", givenIn: 60,
            expiry: [60, now, now + 60], warns: true),
        Case(
            says: "an expires_in that is a time is replaced", expiresIn: "1924991999",
            givenAt: 1_924_991_999, expiry: [nil, nil, 1_924_991_999], warns: true),
        Case(
            says: "no time to live is never revived", expiresIn: "0", givenIn: 60,
            reason: "already-expired"),
        Case(
            says: "nor a negative one", expiresIn: "-1", givenAt: now + 60,
            reason: "already-expired"),
        Case(
            says: "--issued-at alone is no expiry", expiresIn: nil, issuedAt: now,
            reason: "expiry-unknown"),
        Case(says: "--expires-in 0", expiresIn: nil, givenIn: 0, reason: "expires_in-out-of-range"),
        Case(
            says: "--expires-in over ten years", expiresIn: nil, givenIn: 315_360_001,
            reason: "expires_in-out-of-range"),
        Case(
            says: "--expires-at before 1970", expiresIn: nil, givenAt: -1,
            reason: "expires_at-out-of-range"),
        Case(
            says: "--expires-at after 9999", expiresIn: nil, givenAt: .max,
            reason: "expires_at-out-of-range"),
        Case(says: "--issued-at before 1970", issuedAt: .min, reason: "issued_at-out-of-range"),
        Case(says: "--issued-at after 9999", issuedAt: .max, reason: "issued_at-out-of-range"),
        Case(
            says: "--expires-at at --issued-at", expiresIn: nil, givenAt: now, issuedAt: now,
            reason: "already-expired"),
        Case(
            says: "--expires-at ten years after --issued-at", expiresIn: nil,
            givenAt: now + 315_360_001, issuedAt: now, reason: "expires_in-out-of-range"),
        Case(
            says: "a file from the end of time", receivedAt: .max,
            reason: "expires_at-out-of-range"),
        Case(
            says: "a file from before 1970", receivedAt: -1, reason: "expires_at-out-of-range"),
        Case(
            says: "a file's time does not matter beside a date", expiresIn: nil, givenAt: 5000,
            receivedAt: .min, expiry: [nil, nil, 5000]),
    ]

    @Test("an expiry on the command line", arguments: cases)
    func expiry(_ example: Case) throws {
        let outcome = try Outcome(
            response(expiresIn: example.expiresIn),
            .init(
                receivedAt: example.receivedAt, expiresIn: example.givenIn,
                expiresAt: example.givenAt, issuedAt: example.issuedAt))
        #expect(outcome.reason == example.reason)
        let expiry = outcome.expiry.map { [$0.expiresIn, $0.issuedAt, $0.expiresAt] } ?? []
        #expect(expiry == example.expiry)
        #expect(outcome.warnings.isEmpty == !example.warns)
    }

    @Test(
        "a uid on the command line fills, agrees, or is refused",
        arguments: [
            ("\"99\"", "99", "99", nil), ("99", "99", "99", nil), (nil, "99", "99", nil),
            ("null", "99", "99", nil), ("\"\"", "99", "99", nil),
            ("\"99\"", "98", nil, "uid-mismatch"), ("99", "099", nil, "uid-mismatch"),
            ("\"x\"", "99", nil, "bad-uid"), ("\"99\"", "", nil, "bad-uid"),
            (nil, "-1", nil, "bad-uid"), (nil, "100000000000000000000", nil, "bad-uid"),
        ] as [(String?, String, String?, String?)])
    func uid(_ own: String?, _ given: String, _ uid: String?, _ reason: String?) throws {
        let outcome = try Outcome(
            response(uid: own), .init(receivedAt: Self.now, uid: given))
        #expect(outcome.uid == uid)
        #expect(outcome.reason == reason)
    }

    @Test("a profile on the command line wins over the response's")
    func profile() throws {
        let text = response("\"screen_name\":\"a\",\"avatar_large\":\"https://a\"")
        let both = try Outcome(
            text, .init(receivedAt: 0, screenName: "b", avatarLarge: "https://b"))
        #expect(both.screenName == "b")
        #expect(both.avatarLarge == "https://b")
        let none = try Outcome(text, .init(receivedAt: 0, screenName: "", avatarLarge: ""))
        #expect(none.screenName == nil)
        #expect(none.avatarLarge == nil)
    }

    @Test(
        "a bad profile on the command line is refused",
        arguments: [
            (String(repeating: "a", count: 257), nil, "bad-screen_name"),
            (nil, "a b", "bad-avatar_large"),
            (nil, String(repeating: "a", count: 2049), "bad-avatar_large"),
        ] as [(String?, String?, String)])
    func badProfile(_ name: String?, _ avatar: String?, _ reason: String) throws {
        let outcome = try Outcome(
            response(), .init(receivedAt: 0, screenName: name, avatarLarge: avatar))
        #expect(outcome.reason == reason)
    }
}
