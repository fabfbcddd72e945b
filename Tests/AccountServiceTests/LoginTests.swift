import AccountService
import TestStore
import Testing

@Suite struct LoginTests {
    /// What a login says of its expiry, and what comes of it at 1700000000.
    static let expiries: [(String, String)] = [
        (
            #""expires_in":60"#,
            account(#""expires_in":60,"issued_at":1700000000,"#, 1_700_000_060, "22:14:20Z")
        ),
        (
            #""expires_in":60,"issued_at":1699999990"#,
            account(#""expires_in":60,"issued_at":1699999990,"#, 1_700_000_050, "22:14:10Z")
        ),
        // Granted by a server whose clock is ahead.
        (
            #""expires_in":60,"issued_at":1700000100"#,
            account(#""expires_in":60,"issued_at":1700000100,"#, 1_700_000_160, "22:16:00Z")
        ),
        (#""expires_at":1700000001"#, account("", 1_700_000_001, "22:13:21Z")),
        // Expired already: stored all the same, and said so.
        (#""expires_at":1700000000"#, account("", 1_700_000_000, "22:13:20Z")),
        (
            #""expires_in":1,"issued_at":1699999998"#,
            account(#""expires_in":1,"issued_at":1699999998,"#, 1_699_999_999, "22:13:19Z")
        ),
        (#""expires_at":0"#, account("", 0, "1970-01-01T00:00:00Z")),
        (
            #""expires_in":1,"issued_at":0"#,
            account(#""expires_in":1,"issued_at":0,"#, 1, "1970-01-01T00:00:01Z")
        ),
        (#""expires_at":253402300799"#, account("", 253_402_300_799, "9999-12-31T23:59:59Z")),
        (
            #""expires_in":315360000"#,
            account(
                #""expires_in":315360000,"issued_at":1700000000,"#, 2_015_360_000,
                "2033-11-11T22:13:20Z")
        ),
        ("", Reply.invalid(field: "expires_in", neither)),
        (#""expires_in":null,"expires_at":null"#, Reply.invalid(field: "expires_in", neither)),
        (#""issued_at":1700000000"#, Reply.invalid(field: "expires_in", neither)),
        (
            #""expires_in":60,"expires_at":1700000060"#,
            Reply.invalid(
                field: "expires_at", "is given beside expires_in; give one of them")
        ),
        (
            #""issued_at":1,"expires_at":1700000060"#,
            Reply.invalid(field: "issued_at", "goes with expires_in, not with expires_at")
        ),
        (#""expires_in":0"#, out("expires_in")), (#""expires_in":-1"#, out("expires_in")),
        (#""expires_in":315360001"#, out("expires_in")),
        (#""expires_in":9223372036854775807"#, out("expires_in")),
        (#""expires_in":-9223372036854775808"#, out("expires_in")),
        (#""expires_in":60,"issued_at":-1"#, out("issued_at")),
        (#""expires_in":60,"issued_at":253402300800"#, out("issued_at")),
        (#""expires_in":60,"issued_at":9223372036854775807"#, out("issued_at")),
        (#""expires_in":60,"issued_at":-9223372036854775808"#, out("issued_at")),
        (#""expires_in":1,"issued_at":253402300799"#, out("expires_at")),
        (#""expires_at":-1"#, out("expires_at")),
        (#""expires_at":253402300800"#, out("expires_at")),
        (#""expires_at":9223372036854775807"#, out("expires_at")),
    ]

    private static let neither = "is missing, and so is expires_at; give one of them"

    private static func out(_ field: String) -> String {
        Reply.invalid(field: field, "is out of its range")
    }

    private static func account(_ start: String, _ end: Int64, _ date: String) -> String {
        let date = date.contains("T") ? date : "2023-11-14T\(date)"
        let left = end - 1_700_000_000
        return Reply.ok(
            account: """
                {"uid":"7",\(start)"expires_at":\(end),"expires_date":"\(date)",\
                "expired":\(left <= 0),"remaining":\(left)}
                """)
    }

    @Test("an expiry is a life or a date, within its bounds", arguments: expiries)
    func expiry(given: String, reply: String) throws {
        let desk = try Desk()
        let fields = given.isEmpty ? "" : ",\(given)"
        let answer = try desk.call("Login", #"{"access_token":"2.00t","uid":"7"\#(fields)}"#)
        #expect(answer.text == reply)
        guard answer.verdict == .answered else {
            #expect(try desk.call("GetToken").text == Reply.noAccount)
            #expect(desk.store.account == .absent)
            return
        }
        #expect(try desk.call("GetAccount").text == reply)
        // The same after a restart: nothing is derived again.
        #expect(try Desk(desk.store).call("GetAccount").text == reply)
    }

    @Test("without an hour of issue the daemon's clock before the epoch is refused")
    func clockBeforeTheEpoch() throws {
        let desk = try Desk()
        desk.now = Instant(realtime: -5, boottime: 0)
        #expect(
            try desk.call("Login", #"{"access_token":"2.00t","uid":"7","expires_in":9}"#).text
                == Self.out("issued_at"))
    }

    /// A value as JSON spells it, and what is wrong with it.
    static let values: [(String, String, String?)] = [
        ("access_token", "", "is empty"), ("access_token", "2", nil),
        ("access_token", repeated("x", 4096), nil),
        ("access_token", repeated("x", 4097), "is too long"),
        ("access_token", repeated("x", 9000), "is too long"),
        ("access_token", repeated(#"\""#, 4096), nil),
        ("access_token", repeated(#"\u0041"#, 4096), nil),
        ("access_token", repeated(#"\u0041"#, 4097), "is too long"),
        ("access_token", "a b", "has white space in it"),
        ("access_token", " ", "has white space in it"),
        ("access_token", #"a\nb"#, "has control characters"),
        ("access_token", #"a\tb"#, "has control characters"),
        ("access_token", #"\u0001"#, "has control characters"),
        ("access_token", #"\u007f"#, "has control characters"),
        ("access_token", "a\u{7F}", "has control characters"),
        ("access_token", "ünï", "has characters beyond ASCII"),
        ("access_token", #"\u00e9"#, "has characters beyond ASCII"),
        ("access_token", #"\ud83d\ude00"#, "has characters beyond ASCII"),
        ("refresh_token", "", "is empty"), ("refresh_token", "r", nil),
        ("refresh_token", repeated(#"\\"#, 4096), nil),
        ("refresh_token", repeated("r", 4097), "is too long"),
        ("refresh_token", #"\r"#, "has control characters"),
        ("uid", "", "is empty"), ("uid", "0", nil), ("uid", "18446744073709551615", nil),
        ("uid", "118446744073709551615", "is too long"),
        ("uid", "-1", "is not made of digits alone"), ("uid", "1 ", "is not made of digits alone"),
        ("uid", "١", "is not made of digits alone"), ("uid", #"\u0031\u0032"#, nil),
        ("uid", "1a", "is not made of digits alone"), ("uid", "1.0", "is not made of digits alone"),
        ("screen_name", "", nil), ("screen_name", repeated("n", 256), nil),
        ("screen_name", repeated("n", 257), "is too long"),
        ("screen_name", repeated("名", 85), nil), ("screen_name", repeated("名", 86), "is too long"),
        ("screen_name", #"\u001b[2J"#, nil),
        ("avatar_large", "", nil), ("avatar_large", repeated("a", 2048), nil),
        ("avatar_large", repeated("a", 2049), "is too long"),
        ("avatar_large", "a b", "has white space in it"),
        ("avatar_large", #"\u001b"#, "has control characters"),
        ("avatar_large", "https:\\/\\/example.org\\/a", nil),
    ]

    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    @Test("a value is checked before anything is stored, and no reason holds it", arguments: values)
    func value(field: String, spelt: String, fault: String?) throws {
        let desk = try Desk.standing(.present)
        let before = desk.store.account
        var fields = [
            "access_token": "2.00t", "uid": "1234567890", "refresh_token": "r",
            "screen_name": "n", "avatar_large": "a",
        ]
        fields[field] = spelt
        let text = fields.map { #""\#($0)":"\#($1)""# }.joined(separator: ",")
        let answer = try desk.call("Login", #"{\#(text),"expires_in":60,"replace":true}"#)
        guard let fault else {
            #expect(answer.text.hasPrefix(#"{"parameters":{"account":"#))
            try isServed(field, spelt, desk)
            try isServed(field, spelt, Desk(desk.store))
            return
        }
        #expect(answer.text == Reply.invalid(field: field, fault))
        #expect(answer.verdict == .invalid)
        #expect(desk.store.account == before)
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    /// The value comes back as JSON writes it at its shortest.
    private func isServed(_ field: String, _ spelt: String, _ desk: Desk) throws {
        let shortest = spelt.replacing(#"\u0041"#, with: "A").replacing(#"\u0031"#, with: "1")
            .replacing(#"\u0032"#, with: "2").replacing(#"\/"#, with: "/")
        let text = try desk.call("Export").text
        if shortest.isEmpty {
            #expect(!text.contains(#""\#(field)""#))
        } else {
            #expect(text.contains(#""\#(field)":"\#(shortest)""#))
        }
        guard field == "access_token" else { return }
        let token = try desk.call("GetToken").text
        #expect(token.hasPrefix(#"{"parameters":{"access_token":"\#(shortest)","uid":""#))
    }

    @Test("a token and a uid there must be")
    func missing() throws {
        let desk = try Desk()
        #expect(
            try desk.call("Login", #"{"uid":"7","expires_in":9}"#).text
                == Reply.invalid(parameter: "access_token"))
        #expect(
            try desk.call("Login", #"{"access_token":"2.00t","expires_in":9}"#).text
                == Reply.invalid(parameter: "uid"))
    }

    @Test("the first login makes a key file and slots, whose copy is the same")
    func firstLogin() throws {
        let desk = try Desk()
        #expect(try desk.call("Login", Desk.login).text == Reply.ok(account: Reply.account))
        guard case .bytes(let key) = desk.store.key else {
            Issue.record("no key file")
            return
        }
        #expect(key.count == 32)
        #expect(key.contains { $0 != 0 })
        #expect(desk.store.slots != .absent)
        #expect(desk.store.slots == desk.store.slotsCopy)
        #expect(desk.store.previousAccount == .absent)
        #expect(desk.store.aside.isEmpty)
        #expect(try desk.call("GetStatus").text == Reply.status("present"))
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("a key file that is there already is used and not replaced")
    func existingKeyFile() throws {
        let desk = try Desk()
        desk.store.key = .bytes([UInt8](repeating: 9, count: 32))
        #expect(try desk.call("Login", Desk.login).kind == .reply)
        #expect(desk.store.key == .bytes([UInt8](repeating: 9, count: 32)))
        #expect(try Desk(desk.store).call("GetToken").text == Reply.token)
    }

    @Test("a key file that cannot be used is named, and nothing is stored")
    func unusableKeyFile() throws {
        let desk = try Desk()
        desk.store.key = .unusable(22, "the key file /k/key has 31 bytes; a key has 32")
        #expect(
            try desk.call("Login", Desk.login).text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":22,"message":"the key file /k/key has 31 bytes; a key has 32""#))
        #expect(desk.store.account == .absent)
        #expect(desk.store.slots == .absent)
        #expect(try desk.call("GetStatus").text == Reply.status("empty", protection: ""))
    }
}
