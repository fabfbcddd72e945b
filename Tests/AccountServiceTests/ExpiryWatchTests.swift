import AccountService
import Accounts
import TestStore
import Testing

/// The clock, set forth and back. docs/PROTOCOL.md, "The clock"
@Suite struct ExpiryWatchTests {
    /// A moment in a time line: both clocks in seconds, what is left, how the clock stands.
    struct Moment: Sendable {
        let realtime: Int64
        let boottime: Int64
        let left: Int64
        var clock = ExpiryWatch.Clock.steady

        init(
            _ realtime: Int64, _ boottime: Int64, _ left: Int64,
            _ clock: ExpiryWatch.Clock = .steady
        ) {
            self.realtime = realtime
            self.boottime = boottime
            self.left = left
            self.clock = clock
        }
    }

    /// The token is granted at 1000 for 100 seconds.
    static let lines: [(String, [Moment])] = [
        (
            "time passes",
            [
                Moment(1000, 0, 100), Moment(1099, 99, 1), Moment(1100, 100, 0),
                Moment(1101, 101, -1),
            ]
        ),
        (
            "a step back after the expiry brings nothing to life",
            [
                Moment(1000, 0, 100), Moment(1100, 100, 0), Moment(1050, 101, -1, .steppedBack),
                Moment(1050, 150, -50, .steppedBack), Moment(1099, 199, -99, .steppedBack),
                Moment(1100, 200, 0), Moment(1010, 201, -101, .steppedBack),
            ]
        ),
        (
            "a clock that jumped forth for a while kills no good token",
            [
                Moment(1000, 0, 100), Moment(5000, 10, -3900), Moment(1020, 20, 80, .steppedBack),
                Moment(1099, 99, 1, .steppedBack), Moment(1100, 100, 0),
                Moment(1050, 101, -1, .steppedBack),
            ]
        ),
        (
            "it may jump forth twice",
            [
                Moment(1000, 0, 100), Moment(5000, 10, -3900), Moment(1020, 20, 80, .steppedBack),
                Moment(9000, 30, -7900), Moment(1040, 40, 60, .steppedBack),
            ]
        ),
        (
            "boot time goes on during a suspend",
            [Moment(1000, 0, 100), Moment(1200, 200, -100), Moment(1001, 201, -101, .steppedBack)]
        ),
        (
            "a token first seen after its expiry comes to life with the clock",
            [Moment(5000, 10, -3900), Moment(1010, 20, 90, .steppedBack), Moment(1100, 110, 0)]
        ),
        (
            "a clock that stood too early leaves the latest end that it allowed",
            [
                Moment(900, 0, 200, .beforeIssue), Moment(1100, 60, 0),
                Moment(1050, 199, 50, .steppedBack),
            ]
        ),
        (
            "and no later one",
            [
                Moment(900, 0, 200, .beforeIssue), Moment(1100, 60, 0),
                Moment(1050, 200, 0, .steppedBack), Moment(1050, 260, -60, .steppedBack),
            ]
        ),
        (
            "a clock before the issue is told, and judges all the same",
            [
                Moment(0, 0, 1100, .beforeIssue), Moment(999, 5, 101, .beforeIssue),
                Moment(1000, 6, 100),
            ]
        ),
        (
            "a step back past the issue is told as that",
            [Moment(1000, 0, 100), Moment(1100, 100, 0), Moment(10, 101, -1, .beforeIssue)]
        ),
        (
            "the ends of the numbers are no trap",
            [
                Moment(.min, 0, .max, .beforeIssue), Moment(.max, 1, 1100 - .max),
                Moment(.min, Int64.max / 1000, .max, .beforeIssue),
            ]
        ),
    ]

    @Test("a token lives and dies as both clocks agree", arguments: lines)
    func line(name: String, moments: [Moment]) throws {
        var watch = ExpiryWatch(try Expiry(expiresIn: 100, issuedAt: 1000))
        for (number, moment) in moments.enumerated() {
            let now = Instant(realtime: moment.realtime, boottime: moment.boottime * 1000)
            #expect(watch.remaining(at: now) == moment.left, "\(name), \(number)")
            #expect(watch.clock(at: now) == moment.clock, "\(name), \(number)")
        }
    }

    @Test("without an hour of issue no clock stands before it")
    func dateAlone() throws {
        var watch = ExpiryWatch(try Expiry(expiresAt: 1100))
        let now = Instant(realtime: -5, boottime: 0)
        #expect(watch.remaining(at: now) == 1105)
        #expect(watch.clock(at: now) == .steady)
    }

    /// At 1700000000 with 2600 seconds left; then expired; then stepped back by an hour.
    private func steppedBack() throws -> Desk {
        let desk = try Desk.standing(.present)
        desk.pass(seconds: 2600)
        #expect(try desk.call("GetToken").text == Reply.expired)
        desk.now = Instant(realtime: desk.now.realtime - 3600, boottime: desk.now.boottime + 1000)
        return desk
    }

    private static let stillExpired = Reply.error(
        "org.accountd.Account.TokenExpired", #""expires_at":1700002600,"remaining":-1"#)

    @Test("the service keeps an expired token expired when the clock steps back")
    func serviceStepsBack() throws {
        let desk = try steppedBack()
        // Whoever asks for the status first is told, too.
        #expect(try desk.call("GetStatus").text == Reply.status("present", clock: "stepped_back"))
        #expect(try desk.call("GetToken").text == Self.stillExpired)
        #expect(
            try desk.call("CheckExpiry").text
                == Reply.ok(#""valid":false,"expires_at":1700002600,"remaining":-1"#))
        #expect(try desk.call("GetAccount").text.contains(#""expired":true,"remaining":-1"#))
    }

    @Test("no change of the account brings it to life", arguments: ["UpdateProfile", "Repair"])
    func changesBringNothing(method: String) throws {
        let desk = try steppedBack()
        #expect(try desk.call(method).text.contains(#""expired":true,"remaining":-1"#))
        #expect(try desk.call("GetToken").text == Self.stillExpired)
    }

    @Test("a login with the same end is the same life, one with another end is another")
    func logins() throws {
        let desk = try steppedBack()
        #expect(try desk.call("Login", Desk.login).text.contains(#""expired":true"#))
        #expect(try desk.call("GetToken").text == Self.stillExpired)
        let other = Desk.login.replacing("3600", with: "3601")
        #expect(try desk.call("Login", other).text.contains(#""expired":false"#))
        #expect(try desk.call("GetToken").verdict == .answered)
    }

    @Test("a token that nobody asked for since the start is watched all the same")
    func unasked() throws {
        let desk = try Desk(try Desk.standing(.present).store)
        desk.pass(seconds: 3000)
        #expect(try desk.call("GetToken").verdict == .expired)
        desk.now = Instant(realtime: Desk.start.realtime, boottime: desk.now.boottime)
        #expect(try desk.call("GetToken").verdict == .expired)
        #expect(try desk.call("GetStatus").text == Reply.status("present", clock: "stepped_back"))
    }
}
