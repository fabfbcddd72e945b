import TestStore
import Testing

@testable import AccountService

/// Locking by time, on the clock that goes on during a suspend.
@Suite struct LockTimeTests {
    private func desk(
        _ times: LockTimes, keepingKeyFile: Bool = false
    ) throws -> Desk {
        let desk = try Desk(lockTimes: times)
        _ = try desk.call("Login", Desk.login)
        try desk.add(passphrase: Desk.passphrase, keepingKeyFile: keepingKeyFile)
        return desk
    }

    /// What the loop does first at each wake-up.
    private func wake(_ desk: Desk, after milliseconds: Int64) -> Bool {
        desk.now = Instant(
            realtime: desk.now.realtime, boottime: desk.now.boottime + milliseconds)
        desk.service.lockIfDue(at: desk.now)
        return desk.service.masterKey == nil
    }

    static let deadlines: [(LockTimes, Int64?)] = [
        (LockTimes(), nil), (LockTimes(afterIdle: 600), 5_700_000),
        (LockTimes(after: 3600), 8_700_000), (LockTimes(afterIdle: 600, after: 3600), 5_700_000),
        (LockTimes(afterIdle: 3600, after: 600), 5_700_000),
        (LockTimes(afterIdle: .max), .max), (LockTimes(after: .max / 1000), .max),
        (LockTimes(afterIdle: .max, after: 1), 5_101_000),
    ]

    @Test("a store is locked by whichever time is up first", arguments: deadlines)
    func deadline(times: LockTimes, expected: Int64?) throws {
        let deadline = times.deadline(openedAt: 5_100_000, usedAt: 5_100_000)
        #expect(deadline == expected)
        let desk = try desk(times)
        #expect(desk.service.locksByTime == (times != LockTimes()))
        let own = expected.map { $0 == .max ? $0 : $0 - 100_000 }
        #expect(desk.service.lockDeadline == own)
    }

    @Test("the status tells the times")
    func status() throws {
        let desk = try Desk(lockTimes: LockTimes(afterIdle: 600, after: 28_800))
        let text = try desk.call("GetStatus").text
        #expect(text.contains(#""connections":3,"lock_after_idle":600,"lock_after":28800,"role""#))
        let other = try Desk(lockTimes: LockTimes(after: 1))
        #expect(
            try other.call("GetStatus").text.contains(#""connections":3,"lock_after":1,"role""#))
    }

    static let calls: [(String, String, Bool)] = [
        ("GetToken", "{}", true), ("GetAccount", "{}", true), ("Export", "{}", true),
        ("UpdateProfile", "{}", true), ("Login", Desk.login, true), ("Rotate", "{}", true),
        ("AddSlot", #"{"kind":"keyfile"}"#, true), ("Verify", "{}", true),
        ("Repair", "{}", true), ("Logout", "{}", true),
        ("DeriveArchiveKey", #"{"name":"a"}"#, true),
        ("DeriveArchiveKey", #"{"name":""}"#, false),
        ("DeriveArchiveKey", #"{"name":"a","key_id":"\#(ArchiveKeyTests.noKey)"}"#, false),
        // There is nothing left to do.
        ("FinishRotation", "{}", false),
        ("RemoveSlot", #"{"id":"x"}"#, false), ("GetToken", #"{"min_validity":9999}"#, false),
        ("GetStatus", "{}", false), ("CheckExpiry", "{}", false), ("ListSlots", "{}", false),
        ("NewRecoveryCode", "{}", false), ("Unlock", #"{"passphrase":"x"}"#, false),
        ("org.varlink.service.GetInfo", "{}", false), ("GetAccount", #"{"x":1}"#, false),
        ("Login", MethodTests.otherLogin, false),
    ]

    @Test("what uses the store puts the lock off, and no question about it does", arguments: calls)
    func idle(method: String, parameters: String, isUse: Bool) throws {
        let desk = try desk(LockTimes(afterIdle: 600))
        #expect(!wake(desk, after: 599_999))
        _ = try desk.call(method, parameters)
        #expect(wake(desk, after: 1) != isUse)
        if isUse {
            #expect(!wake(desk, after: 599_998))
            #expect(wake(desk, after: 1))
        }
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(desk.service.lockDeadline == nil)
    }

    @Test("a plain query puts it off, too")
    func plainQuery() throws {
        let desk = try desk(LockTimes(afterIdle: 600))
        #expect(!wake(desk, after: 599_999))
        let plain = Array(#"{"method":"org.accountd.Account.GetToken"}"#.utf8)
        let isAnswered = desk.service.answersPlainly(plain.span, from: .reader, at: desk.now)
        #expect(isAnswered)
        #expect(!wake(desk, after: 599_999))
    }

    @Test(
        "no use puts off a lock that comes in any case, and a rotation or a login does not either")
    func age() throws {
        let desk = try desk(LockTimes(after: 600))
        for (method, parameters) in [("Rotate", "{}"), ("Login", Desk.login), ("Unlock", "{}")] {
            #expect(!wake(desk, after: 199_999))
            #expect(try desk.call(method, parameters).kind == .reply)
        }
        #expect(!wake(desk, after: 2))
        #expect(wake(desk, after: 1))
        // It is counted from the next unlock.
        desk.pass(seconds: 1000)
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
        #expect(!wake(desk, after: 599_999))
        #expect(wake(desk, after: 1))
    }

    @Test("a machine that slept past the time wakes up locked, though the time of day was set back")
    func suspend() throws {
        let desk = try desk(LockTimes(afterIdle: 600), keepingKeyFile: true)
        desk.now = Instant(
            realtime: desk.now.realtime - 86_400, boottime: desk.now.boottime + 8 * 3_600_000)
        desk.service.lockIfDue(at: desk.now)
        #expect(try desk.call("GetToken").text == Reply.locked)
        // What opens it by itself does so when it is told to.
        #expect(try desk.call("Login", Desk.login).text == Reply.locked)
        #expect(try desk.call("Unlock").text == Reply.ok())
        #expect(!wake(desk, after: 0))
    }

    @Test("a store that opens by itself is never locked by time")
    func opensByItself() throws {
        let desk = try Desk(lockTimes: LockTimes(afterIdle: 1, after: 1))
        #expect(desk.service.lockDeadline == nil)
        _ = try desk.call("Login", Desk.login)
        #expect(desk.service.lockDeadline == nil)
        #expect(!wake(desk, after: 1_000_000))
        #expect(try desk.call("GetToken").text == Reply.token)
    }

    @Test("a change in hand is finished first, and is a use itself", arguments: [false, true])
    func changeInHand(isAge: Bool) throws {
        let desk = try desk(isAge ? LockTimes(after: 600) : LockTimes(afterIdle: 600))
        #expect(!wake(desk, after: 599_999))
        let begun = desk.begin("UpdateProfile")
        #expect(begun.kind == .change)
        #expect(desk.service.lockDeadline == nil)
        #expect(!wake(desk, after: 700_000))
        #expect(try desk.call("GetToken").text == Reply.token)
        #expect(try desk.complete(begun).text == Reply.ok(account: Reply.account))
        // Before the next call is looked at.
        let isShut = desk.service.masterKey == nil
        #expect(isShut == isAge)
    }

    @Test("a change that fails is none that is done: what was due is locked then")
    func changeFails() throws {
        let desk = try desk(LockTimes(afterIdle: 600))
        let begun = desk.begin("UpdateProfile")
        desk.store.failsAt = .account
        #expect(!wake(desk, after: 700_000))
        #expect(try desk.complete(begun).text == Reply.diskIsFull)
        #expect(try desk.call("GetToken").text == Reply.locked)
    }

    @Test("a change that fails was a use when it was asked for")
    func failedUse() throws {
        let desk = try desk(LockTimes(afterIdle: 600))
        #expect(!wake(desk, after: 599_999))
        let begun = desk.begin("UpdateProfile")
        desk.store.failsAt = .account
        #expect(!wake(desk, after: 599_999))
        #expect(try desk.complete(begun).text == Reply.diskIsFull)
        #expect(try desk.call("GetStatus").text.contains("present"))
        #expect(wake(desk, after: 1))
    }

    @Test("a wrong passphrase opens nothing that would be locked")
    func wrongKey() throws {
        let desk = try desk(LockTimes(afterIdle: 600))
        #expect(wake(desk, after: 600_000))
        _ = try desk.unlock(passphrase: "wrong")
        #expect(desk.service.lockDeadline == nil)
        desk.pass(seconds: 1)
        _ = try desk.unlock(passphrase: Desk.passphrase)
        #expect(desk.service.lockDeadline == desk.now.boottime + 600_000)
    }
}
