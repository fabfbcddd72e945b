import AccountService
import TestStore
import Testing

/// What a running daemon holds, against files that were damaged and responses that lay about.
@Suite struct HeldAccountTests {
    private func desk() throws -> Desk {
        let desk = try Desk()
        _ = try desk.call("Login", #"{"access_token":"2.00a","uid":"7","expires_at":1800000000}"#)
        _ = try desk.call("Login", #"{"access_token":"2.00b","uid":"7","expires_at":1900000000}"#)
        return desk
    }

    private let newest = Reply.ok(#""access_token":"2.00b","uid":"7","expires_at":1900000000"#)

    @Test(
        "a file that was damaged under the daemon is brought back from what it holds",
        arguments: ["damaged", "absent", "unreadable"])
    func repair(how: String) throws {
        let desk = try desk()
        desk.store.account =
            switch how {
            case "damaged": desk.store.account.damaged
            case "absent": .absent
            default: .unreadable("cannot be read: Input/output error")
            }
        let verified = try desk.call("Verify").text
        #expect(verified.contains("brings back the account that the daemon holds, of uid 7"))
        #expect(try desk.call("Repair").text.contains(#""expires_at":1900000000"#))
        #expect(try desk.call("GetToken").text == newest)
        // And so after a restart.
        #expect(try Desk(desk.store).call("GetToken").text == newest)
        #expect(try Desk(desk.store).call("Verify").text == Reply.findings([]))
    }

    @Test("without a daemon that holds it the previous generation is what there is")
    func withoutDaemon() throws {
        let store = try desk().store
        let desk = try Desk(store)
        desk.store.account = store.account.damaged
        let fresh = try Desk(desk.store)
        #expect(try fresh.call("Repair").text.contains(#""expires_at":1800000000"#))
    }

    @Test(
        "an expired token takes no good one's place unasked",
        arguments: [
            (#""expires_at":5"#, false), (#""expires_in":60,"issued_at":5"#, false),
            (#""expires_at":5,"replace":false"#, false), (#""expires_at":5,"replace":true"#, true),
            (#""expires_at":4000000000"#, true),
        ])
    func expired(expiry: String, isStored: Bool) throws {
        let desk = try desk()
        let before = desk.store
        let answer = try desk.call(
            "Login", #"{"access_token":"2.00old","uid":"7",\#(expiry)}"#)
        if isStored {
            #expect(answer.text.hasPrefix(#"{"parameters":{"account":{"uid":"7","#))
            #expect(desk.store.previousAccount == before.account)
        } else {
            #expect(answer.text.hasPrefix(#"{"error":"org.accountd.Account.InvalidField""#))
            #expect(answer.text.contains("has passed, and the token that is stored is still good"))
            #expect(desk.store.account == before.account)
            #expect(try desk.call("GetToken").text == newest)
        }
    }

    @Test("an expired token takes an expired one's place, and an empty one")
    func expiredForExpired() throws {
        let desk = try Desk()
        for token in ["2.00x", "2.00y"] {
            let answer = try desk.call(
                "Login", #"{"access_token":"\#(token)","uid":"7","expires_at":5}"#)
            #expect(answer.text.contains(#""expired":true"#))
        }
    }

    @Test(
        "a login that does not name the user keeps the name and the avatar that are stored",
        arguments: [
            ("", "Zoë", "https://a.invalid/1"),
            (#","screen_name":"New""#, "New", "https://a.invalid/1"),
            (#","screen_name":"","avatar_large":"""#, nil, nil),
        ])
    func profile(given: String, name: String?, avatar: String?) throws {
        let desk = try Desk()
        _ = try desk.call(
            "Login",
            #"{"access_token":"2.00a","uid":"7","expires_at":1800000000,"screen_name":"Zoë","#
                + #""avatar_large":"https://a.invalid/1"}"#)
        let answer = try desk.call(
            "Login", #"{"access_token":"2.00b","uid":"7","expires_at":1900000000\#(given)}"#
        ).text
        #expect(answer.contains(#""screen_name":"\#(name ?? "")""#) == (name != nil))
        #expect(answer.contains(#""avatar_large":"\#(avatar ?? "")""#) == (avatar != nil))
        let other = try desk.call(
            "Login", #"{"access_token":"2.00c","uid":"8","expires_at":1900000000,"replace":true}"#)
        #expect(!other.text.contains("screen_name"))
    }
}
