import AccountService
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// Answers to wrong secrets, which are held back, and calls that wait for that.
@Suite struct ServerHoldingBackTests {
    private static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-BNCQ"
    // Well made, and not the one.
    private static let wrongCode = "0000-0000-0000-0000-0000-0000-0000-0000-5QT0"
    private static let right = Message.call("Unlock", #"{"recovery_code":"\#(code)"}"#)
    private static let wrong = Message.call("Unlock", #"{"recovery_code":"\#(wrongCode)"}"#)
    private static let nothing = "{\"parameters\":{}}\n"
    private static let locked =
        "{\"error\":\"org.accountd.Account.Locked\",\"parameters\":{}}\n"

    private static func wrongKey(_ milliseconds: Int) -> String {
        "{\"error\":\"org.accountd.Account.WrongKey\",\"parameters\":"
            + "{\"retry_after_ms\":\(milliseconds)}}\n"
    }

    /// A loop whose store a recovery code opens, locked.
    private func shut() throws -> Loop {
        let loop = try Loop()
        let client = try loop.connect()
        try client.send(
            Message.login
                + Message.keys("AddSlot", #"{"kind":"recovery","recovery_code":"\#(Self.code)"}"#)
                + Message.call("Lock"))
        try loop.workAll()
        let replies = try client.received()
        try #require(replies.split(separator: "\n").count == 3, "\(replies)")
        #expect(replies.hasSuffix(Self.nothing))
        #expect(try client.ask(Message.call("GetToken")) == Self.locked)
        loop.server.close(client.connection)
        return loop
    }

    @Test("the answer to a wrong secret is held back, and nobody else's is")
    func heldBack() throws {
        let loop = try shut()
        let idle = loop.arena.used
        let client = try loop.connect()
        let other = try loop.connect(uid: 7, as: .reader)
        try client.send(Self.wrong)
        // Whatever else the loop does meanwhile.
        for _ in 0..<5 {
            #expect(try other.ask(Message.call("GetToken")) == Self.locked)
            #expect(try client.received().isEmpty)
        }
        #expect(loop.server.heldBack.count == 1)
        loop.server.now = Server.readInstant()
        loop.pass(milliseconds: 300)
        #expect(try client.received().isEmpty || loop.server.heldBack.isEmpty)
        loop.pass(milliseconds: 300)
        #expect(try client.received() == Self.wrongKey(1000))
        #expect(loop.server.heldBack.isEmpty)
        #expect(!client.isClosed)
        #expect(try client.ask(Message.call("GetToken")) == Self.locked)
        #expect(loop.arena.used == idle)
    }

    @Test("it is not sent before its time, by the clock")
    func time() throws {
        let loop = try shut()
        let client = try loop.connect()
        let start = Clock.boottimeMilliseconds()
        try client.send(Self.wrong)
        var answered: Int64?
        while answered == nil, Clock.boottimeMilliseconds() < start + 10_000 {
            try loop.server.turn(10)
            if try !client.received().isEmpty { answered = Clock.boottimeMilliseconds() }
        }
        #expect(try #require(answered) >= start + 500)
    }

    @Test("calls behind a wrong secret come after it, and a second one is held back for longer")
    func pipelined() throws {
        let loop = try shut()
        let client = try loop.connect()
        try client.send(
            Self.wrong + Message.call("GetToken") + Self.wrong + Self.wrong
                + Message.call("GetToken") + Self.right + Message.call("GetToken"))
        try loop.settle()
        #expect(try client.received().isEmpty)
        loop.pass(milliseconds: 500)
        #expect(try client.received() == Self.wrongKey(1000) + Self.locked)
        // The loop finds no reason to send what is held back.
        try loop.settle()
        #expect(try client.received().isEmpty)
        #expect(client.connection.limit == .none)
        loop.pass(milliseconds: 1500)
        #expect(try client.received() == Self.wrongKey(2000))
        try loop.settle()
        #expect(try client.received().isEmpty)
        loop.pass(milliseconds: 3500)
        #expect(try client.received() == Self.wrongKey(4000) + Self.locked)
        try loop.workAll()
        #expect(try client.received() == Self.nothing + Message.token)
        #expect(client.connection.bytes == nil)
    }

    @Test("the next attempt of the same user waits on any connection, in the order of their coming")
    func sameUser() throws {
        let loop = try shut()
        let clients = try (0..<4).map { _ in try loop.connect() }
        for client in clients {
            try client.send(client === clients.last ? Self.right : Self.wrong)
            try loop.server.turn(0)
        }
        let root = try loop.connect(uid: 0)
        try root.send(Self.wrong)
        try loop.settle()
        #expect(loop.server.heldBack.count == 5)
        for client in clients + [root] { #expect(try client.received().isEmpty) }
        loop.pass(milliseconds: 600)
        #expect(try clients[0].received() == Self.wrongKey(1000))
        #expect(try root.received() == Self.wrongKey(1000))
        #expect(try clients[1].received().isEmpty)
        loop.pass(milliseconds: 1000)
        #expect(try clients[1].received() == Self.wrongKey(2000))
        #expect(try clients[2].received().isEmpty)
        loop.pass(milliseconds: 2000)
        #expect(try clients[2].received() == Self.wrongKey(4000))
        #expect(try clients[3].received().isEmpty)
        loop.pass(milliseconds: 4000)
        try loop.workAll()
        #expect(try clients[3].received() == Self.nothing)
        #expect(loop.server.heldBack.isEmpty)
        #expect(try root.ask(Message.call("GetToken")) == Message.token)
    }

    @Test("another user's secret is looked at meanwhile, and what it opens serves all")
    func otherUser() throws {
        let loop = try shut()
        let client = try loop.connect()
        try client.send(Self.wrong + Self.wrong)
        try loop.settle()
        let root = try loop.connect(uid: 0)
        try root.send(Self.right)
        try loop.workAll()
        #expect(try root.received() == Self.nothing)
        #expect(try client.received().isEmpty)
        loop.pass(milliseconds: 600)
        // It is open: nothing is looked at any more.
        #expect(try client.received() == Self.wrongKey(1000) + Self.nothing)
    }

    @Test("whoever hangs up is forgotten, whether it waits for an answer or to be heard")
    func hangUp() throws {
        let loop = try shut()
        let idle = loop.arena.used
        let connections = loop.server.connections.count
        do {
            let held = try loop.connect()
            try held.send(Self.wrong)
            try loop.settle()
            let waiting = try loop.connect()
            try waiting.send(Self.wrong)
            try loop.settle()
            #expect(loop.server.heldBack.count == 2)
        }
        try loop.settle()
        #expect(loop.server.connections.count == connections)
        #expect(loop.arena.used == idle)
        loop.pass(milliseconds: 10_000)
        #expect(loop.server.heldBack.isEmpty)
        #expect(loop.arena.used == idle)
        // What nobody heard was no attempt.
        let client = try loop.connect()
        try client.send(Self.wrong)
        loop.server.now = Server.readInstant()
        try loop.settle()
        // It may have to wait to be heard before.
        loop.pass(milliseconds: 1000)
        loop.pass(milliseconds: 2000)
        #expect(try client.received() == Self.wrongKey(2000))
    }

    @Test("whoever will send no more still gets the answer, and is closed then")
    func ended() throws {
        let loop = try shut()
        let client = try loop.connect()
        let waiting = try loop.connect()
        try client.send(Self.wrong)
        client.end()
        try loop.settle()
        try waiting.send(Self.right)
        waiting.end()
        try loop.settle()
        #expect(try client.received().isEmpty)
        #expect(!client.isClosed)
        #expect(!waiting.isClosed)
        loop.pass(milliseconds: 600)
        #expect(try client.received() == Self.wrongKey(1000))
        try loop.workAll()
        #expect(try waiting.received() == Self.nothing)
        try loop.settle()
        #expect(client.isClosed)
        #expect(waiting.isClosed)
    }

    @Test("a daemon that is told to end waits for nobody who is held back")
    func ending() throws {
        let loop = try shut()
        let held = try loop.connect()
        let waiting = try loop.connect()
        for client in [held, waiting] {
            try client.send(Self.wrong)
            try loop.settle()
        }
        raise(SIGTERM)
        let start = Clock.monotonicMilliseconds()
        let status = try loop.server.run()
        #expect(status == 0)
        let took = Clock.monotonicMilliseconds() - start
        #expect(took < 400)
        #expect(held.isClosed)
        #expect(waiting.isClosed)
        #expect(loop.server.connections.count == 0)
    }

    @Test("a passphrase that is looked at when the daemon is told to end is answered at once")
    func endingWhileDeriving() throws {
        let loop = try Loop()
        let client = try loop.connect()
        try client.send(
            Message.keys("AddSlot", #"{"kind":"passphrase","passphrase":"p"}"#)
                + Message.call("Lock"))
        try loop.workAll()
        #expect(try client.received().hasSuffix(Self.nothing))
        try client.send(Message.call("Unlock", #"{"passphrase":"wrong"}"#))
        try loop.server.turn(1000)
        #expect(loop.server.change != nil)
        raise(SIGTERM)
        let status = try loop.server.run()
        #expect(status == 0)
        #expect(try client.received() == Self.wrongKey(1000))
    }

    @Test("a store is locked by its time though nobody asks anything, and told by a signal")
    func timer() throws {
        let loop = try Loop(lockTimes: LockTimes(after: 1))
        let client = try loop.connect()
        try client.send(
            Message.login
                + Message.keys("AddSlot", #"{"kind":"recovery","recovery_code":"\#(Self.code)"}"#))
        try loop.workAll()
        let made = loop.server.service.lockDeadline
        let deadline = try #require(made)
        // The loop begins like this; whatever opened the store may have happened before.
        try loop.server.makeLockTimer()
        #expect(loop.server.lockTimerTime == deadline)
        var turns = 0
        while loop.server.service.lockDeadline != nil, turns < 20 {
            // Nothing but the timer wakes it up.
            try loop.server.turn(5000)
            turns += 1
        }
        #expect(Clock.boottimeMilliseconds() >= deadline)
        #expect(Clock.boottimeMilliseconds() < deadline + 4000)
        _ = try client.received()
        #expect(try client.ask(Message.call("GetToken")) == Self.locked)
        #expect(loop.server.lockTimerTime == nil)

        try client.send(Self.right)
        try loop.workAll()
        #expect(try client.received() == Self.nothing)
        raise(SIGUSR1)
        try loop.settle()
        #expect(try client.ask(Message.call("GetToken")) == Self.locked)
        raise(SIGUSR1)
        try loop.settle()
        #expect(!client.isClosed)
    }
}
