import AccountService
import TestStore
import Testing

/// Who guesses waits, and nobody else does.
@Suite struct KeyPenaltyTests {
    private func wrong(_ desk: Desk, _ expected: Int64, next: Int) throws {
        let answer = try desk.unlock(passphrase: "wrong")
        #expect(answer.kind == .replyAt(desk.now.boottime + expected))
        #expect(answer.text == Reply.wrongKey(next))
        #expect(answer.verdict == .wrongKey)
    }

    private func wait(_ desk: Desk, milliseconds: Int64) {
        desk.now = Instant(
            realtime: desk.now.realtime, boottime: desk.now.boottime + milliseconds)
    }

    @Test("each wrong secret holds its answer back for longer, up to ten seconds")
    func growth() throws {
        let desk = try Desk.standing(.shut)
        let delays: [Int64] = [500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]
        for (position, delay) in delays.enumerated() {
            let next = position + 1 < delays.count ? delays[position + 1] : 10_000
            try wrong(desk, delay, next: Int(next))
            wait(desk, milliseconds: delay)
        }
        for _ in 0..<100 {
            try wrong(desk, 10_000, next: 10_000)
            wait(desk, milliseconds: 10_000)
        }
    }

    @Test("the next attempt of the same user waits until that time, right or wrong")
    func waits() throws {
        let desk = try Desk.standing(.shut)
        try wrong(desk, 500, next: 1000)
        let end = desk.now.boottime + 500
        for parameters in [
            #"{"passphrase":"correct horse"}"#, #"{"passphrase":""}"#,
            #"{"recovery_code":"x"}"#,
        ] {
            for milliseconds: Int64 in [0, 1, 498] {
                let before = desk.now
                wait(desk, milliseconds: milliseconds)
                let answer = desk.begin("Unlock", parameters)
                #expect(answer.kind == .waitUntil(end))
                desk.now = before
            }
        }
        wait(desk, milliseconds: 500)
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
    }

    @Test("nobody else waits, and nothing else does")
    func others() throws {
        let desk = try Desk.standing(.shut)
        for delay: Int64 in [500, 1000, 2000] {
            try wrong(desk, delay, next: Int(2 * delay))
            wait(desk, milliseconds: delay)
        }
        try wrong(desk, 4000, next: 8000)
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(try desk.call("Unlock").text == Reply.locked)
        #expect(try desk.call("Verify").text == Reply.findings([MethodTests.isLocked]))
        desk.uid = 0
        try wrong(desk, 500, next: 1000)
        wait(desk, milliseconds: 500)
        // What root has opened the other may use; its own penalty stays.
        #expect(try desk.unlock(passphrase: Desk.passphrase).text == Reply.ok())
        desk.uid = 1000
        #expect(try desk.call("GetToken").text == Reply.token)
        #expect(try desk.unlock(passphrase: "wrong").text == Reply.ok())
        #expect(try desk.call("Lock").text == Reply.ok())
        #expect(
            desk.begin("Unlock", #"{"passphrase":"wrong"}"#).kind == .waitUntil(5_007_000 + 500))
        wait(desk, milliseconds: 3500)
        try wrong(desk, 8000, next: 10_000)
    }

    @Test("the right secret is forgiven all that came before it", arguments: [true, false])
    func forgiveness(isPassphrase: Bool) throws {
        let desk = try UnlockTests.shut()
        try wrong(desk, 500, next: 1000)
        wait(desk, milliseconds: 500)
        try wrong(desk, 1000, next: 2000)
        wait(desk, milliseconds: 1000)
        let answer =
            try isPassphrase
            ? desk.unlock(passphrase: Desk.passphrase) : desk.unlock(code: Desk.code)
        #expect(answer.text == Reply.ok())
        #expect(try desk.call("Lock").text == Reply.ok())
        try wrong(desk, 500, next: 1000)
    }

    @Test("a key file that opens the store forgives nobody's guesses")
    func notForgiven() throws {
        let desk = try Desk.standing(.present)
        try desk.add(passphrase: Desk.passphrase, keepingKeyFile: true)
        _ = try desk.call("Lock")
        try wrong(desk, 500, next: 1000)
        #expect(try desk.call("Unlock").text == Reply.ok())
        _ = try desk.call("Lock")
        wait(desk, milliseconds: 500)
        try wrong(desk, 1000, next: 2000)
    }

    @Test("whoever wants no reply is counted all the same")
    func oneway() throws {
        let desk = try UnlockTests.shut()
        let message = Desk.message("Unlock", #"{"passphrase":"wrong"}"#, flag: "oneway")
        let answer = try desk.complete(desk.send(message))
        #expect(answer.kind == .silence)
        #expect(answer.verdict == .wrongKey)
        #expect(desk.send(message).kind == .waitUntil(desk.now.boottime + 500))
        wait(desk, milliseconds: 500)
        let code = try Self.otherCode(desk)
        let byCode = desk.send(
            Desk.message("Unlock", #"{"recovery_code":"\#(code)"}"#, flag: "oneway"))
        #expect(byCode.kind == .silence)
        #expect(byCode.verdict == .wrongKey)
        #expect(desk.send(message).kind == .waitUntil(desk.now.boottime + 1000))
    }

    @Test("passphrases and codes are counted together")
    func together() throws {
        let desk = try UnlockTests.shut()
        try wrong(desk, 500, next: 1000)
        wait(desk, milliseconds: 500)
        let code = try Self.otherCode(desk)
        #expect(try desk.unlock(code: code).kind == .replyAt(desk.now.boottime + 1000))
        wait(desk, milliseconds: 1000)
        try wrong(desk, 2000, next: 4000)
    }

    @Test("what cannot be a secret, and what the system refuses, is no guess")
    func noGuess() throws {
        let desk = try UnlockTests.shut()
        for parameters in [
            #"{"passphrase":""}"#, #"{"recovery_code":"x"}"#, "{}",
            #"{"recovery_code":"\#(Desk.code.dropLast())R"}"#,
        ] {
            #expect(try desk.call("Unlock", parameters).kind == .reply)
        }
        desk.store.failsAt = .derivation
        #expect(try desk.unlock(passphrase: "wrong").text == Reply.diskIsFull)
        desk.store.failsAt = nil
        try wrong(desk, 500, next: 1000)
    }

    @Test("one attempt is looked at at a time")
    func oneAtATime() throws {
        let desk = try UnlockTests.shut()
        #expect(desk.begin("Unlock", #"{"passphrase":"wrong"}"#).kind == .change)
        for uid: UInt32 in [1000, 0] {
            desk.uid = uid
            for _ in 0..<100 {
                let answer = desk.begin("Unlock", #"{"passphrase":"correct horse"}"#)
                #expect(answer.kind == .wait)
            }
        }
        #expect(try desk.call("GetToken").text == Reply.locked)
        #expect(try desk.call("GetStatus").kind == .reply)
        #expect(try desk.call("ListSlots").kind == .reply)
    }

    private static func otherCode(_ desk: Desk) throws -> String {
        let drawn = try desk.call("NewRecoveryCode").text
        return String(try #require(drawn.split(separator: "\"").first { $0.contains("-") }))
    }
}
