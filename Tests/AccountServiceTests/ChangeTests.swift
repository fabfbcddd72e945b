import AccountService
import SecretMemory
import TestStore
import Testing

/// While a change is in hand, and when it fails.
@Suite struct ChangeTests {
    static let newLogin = """
        {"access_token":"2.00new","uid":"1234567890","expires_at":1800000000}
        """
    static let newToken = Reply.ok(
        #""access_token":"2.00new","uid":"1234567890","expires_at":1800000000"#)
    static let changes: [(String, String)] = [
        ("Login", newLogin), ("UpdateProfile", #"{"screen_name":"x"}"#), ("Logout", "{}"),
        ("Verify", "{}"), ("Repair", "{}"),
    ]

    @Test(
        "queries are answered with the old account until the change is durable", arguments: changes)
    func queries(method: String, parameters: String) throws {
        let desk = try Desk.standing(.present)
        var answer = desk.begin(method, parameters)
        repeat {
            #expect(answer.kind == .change)
            #expect(try desk.call("GetToken").text == Reply.token)
            #expect(try desk.call("GetAccount").text == Reply.ok(account: Reply.account))
            #expect(try desk.call("GetStatus").text == Reply.status("present"))
            #expect(
                try desk.call("Export").text
                    == Reply.ok(#""access_token":"2.00abcDEF","account":\#(Reply.account)"#))
            #expect(try desk.call("CheckExpiry").verdict == .answered)
            answer = try desk.work()
        } while answer.kind == .change
        #expect(answer.kind == .reply)
    }

    @Test("a second change waits, whatever it is, and goes on once the first is done")
    func second() throws {
        for (first, firstParameters) in Self.changes {
            for (second, parameters) in Self.changes {
                let desk = try Desk.standing(.present)
                let begun = desk.begin(first, firstParameters)
                let waiting = desk.begin(second, parameters)
                #expect(waiting.kind == .wait)
                #expect(waiting.method.map { "\($0.name)" }?.hasSuffix(second) == true)
                // Once more, as if the daemon had tried too early.
                #expect(desk.begin(second, parameters).kind == .wait)
                #expect(try desk.complete(begun).kind == .reply)
                let answer = try desk.call(second, parameters)
                #expect(answer.kind == .reply, "\(first), \(second)")
            }
        }
    }

    @Test("who may not change anything does not wait")
    func deniedWhileBusy() throws {
        let desk = try Desk.standing(.present)
        _ = desk.begin("Verify")
        #expect(desk.begin("Login", Self.newLogin, as: .reader).text == Reply.denied)
        #expect(desk.begin("Logout", as: .observer).text == Reply.denied)
    }

    @Test("a change that failed leaves the old account, in memory and in the files")
    func failed() throws {
        for (method, parameters) in [Self.changes[0], Self.changes[1], Self.changes[2]] {
            let desk = try Desk.standing(.present)
            let used = desk.arena.used
            let before = desk.store
            _ = desk.begin(method, parameters)
            let answer = try desk.work(with: .failed(FakeStore.diskIsFull))
            #expect(answer.text == Reply.diskIsFull)
            #expect(answer.verdict == .failed)
            #expect(try desk.call("GetToken").text == Reply.token)
            #expect(desk.store.account == before.account)
            #expect(desk.arena.used == used)
            #expect(try desk.call("Login", Self.newLogin).kind == .reply)
            #expect(try desk.call("GetToken").text == Self.newToken)
        }
    }

    @Test("a change that failed and yet stands there is in effect")
    func failedInPlace() throws {
        for (method, parameters) in [Self.changes[0], Self.changes[1], Self.changes[2]] {
            let desk = try Desk.standing(.present)
            desk.store.failsAt = method == "Logout" ? .removalSync : .accountSync
            let answer = try desk.call(method, parameters)
            #expect(answer.text == Reply.diskIsFull)
            #expect(answer.verdict == .failed)
            desk.store.failsAt = nil
            let token = try desk.call("GetToken").text
            #expect(token == (try Desk(desk.store).call("GetToken").text))
            switch method {
            case "Login": #expect(token == Self.newToken)
            case "Logout": #expect(token == Reply.noAccount)
            default: #expect(try desk.call("GetAccount").text.contains(#""screen_name":"x""#))
            }
        }
    }

    @Test("reading that failed is said, and nothing changes")
    func failedReading() throws {
        for method in ["Verify", "Repair"] {
            let desk = try Desk.standing(.present)
            desk.store.failsAt = .reading
            #expect(try desk.call(method).text == Reply.diskIsFull)
            #expect(try desk.call("GetToken").text == Reply.token)
        }
    }

    @Test("a result that nobody waits for changes nothing")
    func unasked() throws {
        let desk = try Desk.standing(.present)
        let answer = try desk.finishUnasked(.done)
        #expect(answer == Answer(kind: .silence, method: nil, verdict: .failed))
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("a result that does not fit is answered and survived", arguments: changes)
    func unfitting(method: String, parameters: String) throws {
        let desk = try Desk.standing(.present)
        _ = desk.begin(method, parameters)
        let reads = method == "Verify" || method == "Repair"
        let result: StoreResult = reads ? .done : .contents(StoreContents())
        #expect(
            try desk.work(with: result).text
                == Reply.error(
                    "org.accountd.Account.StoreFailed",
                    #""errno":5,"message":"the store's worker gave an answer that was not "#
                        + #"asked for""#))
        #expect(try desk.call("GetToken").text == Reply.token)
        #expect(try desk.call("Verify").text == Reply.findings([]))
    }

    @Test("a change without a reply takes effect, and fails, in silence")
    func oneway() throws {
        let login =
            #"{"method":"org.accountd.Account.Login","parameters":\#(Self.newLogin),"oneway":true}"#
        let desk = try Desk.standing(.present)
        #expect(try desk.complete(desk.send(login)).kind == .silence)
        #expect(try desk.call("GetToken").text == Self.newToken)

        let failing = try Desk.standing(.present)
        failing.store.failsAt = .account
        let answer = try failing.complete(failing.send(login))
        #expect(answer.kind == .silence)
        #expect(answer.verdict == .failed)
        #expect(try failing.call("GetToken").text == Reply.token)
    }

    @Test("wherever a first login stops, the next one succeeds", arguments: FakeStore.Step.allCases)
    func firstLoginStops(step: FakeStore.Step) throws {
        let desk = try Desk()
        desk.store.failsAt = step
        let stopped = try desk.call("Login", Desk.login)
        let isReached = [
            .keyFile, .slotsCopy, .slots, .account, .accountSync, .previousRemoval, .reading,
        ].contains(step)
        #expect(stopped.verdict == (isReached ? .failed : .answered))
        desk.store.failsAt = nil
        // Killed there, and begun again by another daemon.
        let restarted = try Desk(desk.store)
        let state = try restarted.call("GetToken").text
        #expect(state == Reply.noAccount || state == Reply.token)
        for next in [restarted, desk] {
            #expect(try next.call("Login", Desk.login).text == Reply.ok(account: Reply.account))
            #expect(try next.call("GetToken").text == Reply.token)
            #expect(try Desk(next.store).call("GetToken").text == Reply.token)
            #expect(try Desk(next.store).call("Verify").text == Reply.findings([]))
        }
    }

    @Test("wherever a later change stops, one of the accounts is there whole")
    func laterChangeStops() throws {
        let other = #"{"access_token":"2.00oth","uid":"9","expires_at":1800000000,"replace":true}"#
        for step in FakeStore.Step.allCases {
            for (method, parameters) in Self.changes + [("Login", other)] {
                let desk = try Desk.standing(.present)
                _ = try desk.call("Login", Desk.login)
                desk.store.failsAt = step
                _ = try desk.call(method, parameters)
                desk.store.failsAt = nil
                let token = try desk.call("GetToken").text
                #expect(token == (try Desk(desk.store).call("GetToken").text), "\(step) \(method)")
                #expect(
                    token == Reply.token || token == Self.newToken || token.contains("2.00oth")
                        || token == Reply.noAccount, "\(step) \(method)")
            }
        }
    }
}

extension Desk {
    /// A result when no change is in hand.
    func finishUnasked(_ result: StoreResult) throws -> Answer {
        try #require(change == nil)
        return finish(result)
    }
}
