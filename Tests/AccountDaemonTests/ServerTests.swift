import AccountService
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// Messages on a connection. docs/PROTOCOL.md
@Suite struct ServerTests {
    @Test("pipelined calls are answered in their order")
    func pipelined() throws {
        let loop = try Loop()
        let client = try loop.connect()
        let other = "{\"method\":\"org.accountd.Account.Nope\"}\0"
        let replies = try client.ask(
            Message.call("GetToken") + other + Message.call("GetAccount") + other)
        let notFound =
            "{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":"
            + "{\"method\":\"org.accountd.Account.Nope\"}}\n"
        #expect(replies == Message.noAccount + notFound + Message.noAccount + notFound)
        #expect(!client.isClosed)
    }

    @Test("a message may come in any pieces", arguments: [1, 2, 7, 50])
    func pieces(size: Int) throws {
        let loop = try Loop()
        let client = try loop.connect()
        let idle = loop.arena.used
        let bytes = Array((Message.call("GetToken") + Message.call("CheckExpiry")).utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try client.send(Array(bytes[start..<min(start + size, bytes.count)]))
            try loop.settle()
        }
        #expect(try client.received() == Message.noAccount + Message.noAccount)
        #expect(loop.arena.used == idle)
        #expect(client.connection.bytes == nil)
    }

    @Test("what is no call ends the connection", arguments: ["\0", "{}\0", "nonsense\0", "[]\0"])
    func malformed(text: String) throws {
        let loop = try Loop()
        let client = try loop.connect()
        #expect(try client.ask(Message.call("GetToken") + text) == Message.noAccount)
        #expect(client.isClosed)
        #expect(loop.server.connections.count == 0)
    }

    @Test("a call without a reply gets none, and the next one gets its own")
    func oneway() throws {
        let loop = try Loop()
        let client = try loop.connect()
        let oneway = "{\"method\":\"org.accountd.Account.GetToken\",\"oneway\":true}\0"
        #expect(try client.ask(oneway + Message.call("GetToken")) == Message.noAccount)
    }

    static let messageLengths: [(Role, Int, Bool)] = [
        (.owner, 65_536, true), (.owner, 65_537, false), (.owner, 200_000, false),
        (.reader, 4096, true), (.reader, 4097, false), (.reader, 65_536, false),
        (.observer, 4096, true), (.observer, 4097, false),
    ]

    @Test("a message has 64 KiB from the owner and 4 KiB from others", arguments: messageLengths)
    func lengths(role: Role, count: Int, isAnswered: Bool) throws {
        for beforeIt in ["", Message.call("CheckExpiry")] {
            let loop = try Loop()
            let client = try loop.connect(uid: role == .owner ? 1000 : 7, as: role)
            // It may be closed before all of it was sent.
            try? client.send(beforeIt + Message.query(ofBytes: count) + "\0")
            try loop.settle()
            #expect(client.isClosed == !isAnswered)
            let first = beforeIt.isEmpty ? "" : Message.noAccount
            let answer = role == .observer ? Message.denied : Message.noAccount
            if isAnswered {
                #expect(try client.received() == first + answer)
            }
        }
    }

    @Test("a message that is too long is refused before it ends", arguments: [Role.owner, .reader])
    func unterminated(role: Role) throws {
        let loop = try Loop()
        let client = try loop.connect(uid: role == .owner ? 1000 : 7, as: role)
        let idle = loop.arena.used
        let most = role == .owner ? 65_536 : 4096
        try client.send(Message.query(ofBytes: most))
        try loop.settle()
        #expect(!client.isClosed)
        try client.send(" ")
        try loop.settle()
        #expect(client.isClosed)
        #expect(loop.arena.used == idle)
    }

    @Test("a stranger's first call is refused, whatever it is, and then the connection")
    func stranger() throws {
        for text in [Message.call("GetStatus"), "\0", "nonsense\0", Message.login] {
            let loop = try Loop()
            let client = try loop.connect(uid: 9, as: .stranger)
            #expect(try client.ask(text) == Message.denied)
            #expect(client.isClosed)
        }
    }

    @Test("a stranger has a kibibyte and a second")
    func strangerLimits() throws {
        let loop = try Loop()
        let long = try loop.connect(uid: 9, as: .stranger)
        try long.send(String(repeating: "x", count: 1024))
        try loop.settle()
        #expect(!long.isClosed)
        #expect(try long.ask("x") == Message.denied)
        #expect(long.isClosed)

        let slow = try loop.connect(uid: 9, as: .stranger)
        try slow.send("{")
        try loop.settle()
        loop.pass(milliseconds: 500)
        #expect(!slow.isClosed)
        loop.pass(milliseconds: 600)
        #expect(slow.isClosed)
    }

    @Test("a half-sent message has thirty seconds, each for itself")
    func halfSent() throws {
        let loop = try Loop()
        let client = try loop.connect()
        try client.send("{")
        try loop.settle()
        loop.pass(milliseconds: 20_000)
        #expect(!client.isClosed)
        // The rest, and the beginning of another.
        try client.send("}\0".replacing("}", with: #""method":"x"}"#) + "{")
        try loop.settle()
        loop.pass(milliseconds: 20_000)
        #expect(!client.isClosed)
        loop.pass(milliseconds: 11_000)
        #expect(client.isClosed)
    }

    @Test("an idle connection has no limit")
    func idle() throws {
        let loop = try Loop()
        let client = try loop.connect()
        _ = try client.ask(Message.call("GetToken"))
        loop.pass(milliseconds: 10_000_000)
        #expect(!client.isClosed)
        #expect(try client.ask(Message.call("GetToken")) == Message.noAccount)
    }

    @Test("who sends no more is answered and then closed")
    func ended() throws {
        let loop = try Loop()
        let client = try loop.connect()
        try client.send(Message.call("GetToken"))
        client.end()
        try loop.settle()
        #expect(try client.received() == Message.noAccount)
        #expect(client.isClosed)

        let torn = try loop.connect()
        try torn.send("{\"method\":")
        torn.end()
        try loop.settle()
        #expect(torn.isClosed)
    }

    @Test("whoever comes by the socket is known by the kernel's word")
    func accepted() throws {
        let loop = try Loop()
        let client = try loop.dial()
        try loop.settle()
        let connection = try #require(loop.server.connections.all().first)
        #expect(connection.peer.uid == geteuid())
        #expect(connection.peer.pid == getpid())
        #expect(connection.role == .owner)
        let call = Array(Message.call("GetToken").utf8)
        let sent = try UnixSocket.send(fd: client.rawValue, call.span)
        #expect(sent == call.count)
        try loop.settle()
        var room = [UInt8](repeating: 0, count: 200)
        var span = room.mutableSpan
        let count = try UnixSocket.receive(fd: client.rawValue, into: &span)
        #expect(count == Message.noAccount.utf8.count)
    }

    @Test("an archive's key is the daemon's own user's, and not root's")
    func archiveKeys() throws {
        let loop = try Loop(ownUID: 1000)
        let call =
            "{\"method\":\"org.accountd.Keys.DeriveArchiveKey\",\"parameters\":"
            + "{\"name\":\"a\"}}\0"
        let denied =
            "{\"error\":\"org.varlink.service.PermissionDenied\",\"parameters\":{}}\n"
        for (uid, reply) in [(UInt32(1000), Message.noAccount), (0, denied), (1001, denied)] {
            let client = try loop.connect(uid: uid)
            #expect(try client.ask(call) == reply, "\(uid)")
            #expect(!client.isClosed)
        }
    }

    @Test("whoever comes when all the places are taken is closed at once")
    func placesTaken() throws {
        let loop = try Loop(maximumConnections: 2)
        let first = try loop.dial()
        let second = try loop.dial()
        let third = try loop.dial()
        try loop.settle()
        #expect(loop.server.connections.count == 2)
        #expect(try isEnded(third) == true)
        #expect(try isEnded(first) == false)
        #expect(try isEnded(second) == false)
        // A place that is free again is given again.
        let connection = try #require(loop.server.connections.all().first)
        loop.server.close(connection)
        let fourth = try loop.dial()
        try loop.settle()
        #expect(try isEnded(fourth) == false)
    }

    private func isEnded(_ descriptor: borrowing FileDescriptor) throws -> Bool {
        var room = [UInt8](repeating: 0, count: 8)
        var span = room.mutableSpan
        return try UnixSocket.receive(fd: descriptor.rawValue, into: &span) == 0
    }

    private static let describe =
        "{\"method\":\"org.varlink.service.GetInterfaceDescription\",\"parameters\":"
        + "{\"interface\":\"org.accountd.Account\"}}\0"

    @Test("replies that nobody reads are kept, and no more calls answered meanwhile")
    func unread() throws {
        let loop = try Loop()
        let client = try loop.connect()
        let idle = loop.arena.used
        let calls = 200
        try client.send(String(repeating: Self.describe, count: calls))
        try loop.settle()
        #expect(client.connection.hasOutput)
        #expect(loop.arena.used - idle < 3 * Server.maximumMessage)
        // All of them come once they are read.
        var text = ""
        for _ in 0..<2000 where client.connection.hasOutput || client.connection.hasInput {
            text += try client.received()
            try loop.settle()
        }
        text += try client.received()
        let replies = text.split(separator: "\n")
        #expect(replies.count == calls)
        #expect(Set(replies).count == 1)
        #expect(!client.isClosed)
        #expect(loop.arena.used == idle)
    }

    @Test("a reply that nobody reads for thirty seconds ends the connection")
    func neverRead() throws {
        let loop = try Loop()
        let client = try loop.connect()
        let idle = loop.arena.used
        try client.send(String(repeating: Self.describe, count: 200))
        try loop.settle()
        // Real time passes besides, on a busy machine a second.
        loop.pass(milliseconds: 20_000)
        #expect(!client.isClosed)
        loop.pass(milliseconds: 10_100)
        #expect(client.isClosed)
        #expect(loop.arena.used == idle)
    }
}
