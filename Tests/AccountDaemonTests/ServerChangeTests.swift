import AccountService
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// Several connections at once: a change in hand, and memory that they share.
@Suite struct ServerChangeTests {
    private func stored(_ uid: String) -> String { #"{"parameters":{"account":{"uid":"\#(uid)","# }

    @Test("a login is answered once it is stored, and queries are answered meanwhile")
    func login() throws {
        let loop = try Loop()
        let client = try loop.connect()
        let other = try loop.connect(uid: 7, as: .reader)
        try client.send(Message.login + Message.call("GetToken"))
        try loop.server.turn(1000)
        #expect(loop.server.change != nil)
        // The next call of the same connection waits for its turn; others' do not.
        #expect(try client.received().isEmpty)
        try other.send(Message.call("GetToken"))
        try loop.work()
        // Before or after it was stored, whichever the loop came to first.
        #expect([Message.noAccount, Message.token].contains(try other.received()))
        let replies = try client.received().split(separator: "\n")
        #expect(replies.count == 2)
        #expect(replies.first?.hasPrefix(stored("7")) == true)
        #expect(replies.last.map { $0 + "\n" } == Message.token[...])
        #expect(try other.ask(Message.call("GetToken")) == Message.token)
    }

    @Test("changes that wait are made in the order in which they came")
    func order() throws {
        let loop = try Loop()
        let clients = try (0..<5).map { _ in try loop.connect() }
        for (number, client) in clients.enumerated() {
            try client.send(
                Message.call(
                    "Login",
                    #"{"access_token":"t\#(number)","uid":"\#(number)","expires_at":4000000000}"#))
            try loop.server.turn(0)
        }
        try loop.work()
        #expect(try clients[0].received().hasPrefix(stored("0")))
        for client in clients[1...] {
            #expect(
                try client.received()
                    == "{\"error\":\"org.accountd.Account.AccountExists\",\"parameters\":"
                    + "{\"uid\":\"0\"}}\n")
        }
        #expect(loop.server.waiting.isEmpty)
    }

    @Test("a change behind other calls waits with those behind it")
    func pipelinedChanges() throws {
        let loop = try Loop()
        let first = try loop.connect()
        let second = try loop.connect()
        try first.send(Message.login + Message.call("Logout") + Message.call("GetToken"))
        try second.send(
            Message.call("GetToken") + Message.call("Verify") + Message.call("GetToken"))
        try loop.work()
        let replies = try first.received().split(separator: "\n")
        #expect(replies.count == 3)
        #expect(replies.first?.hasPrefix(stored("7")) == true)
        #expect(replies.dropFirst().first == "{\"parameters\":{\"uid\":\"7\"}}")
        #expect(replies.last.map { $0 + "\n" } == Message.noAccount[...])
        let others = try second.received().split(separator: "\n")
        #expect(others.count == 3)
        #expect(others.dropFirst().first == "{\"parameters\":{\"findings\":[]}}")
        #expect(others.last.map { $0 + "\n" } == Message.noAccount[...])
    }

    @Test("changes that somebody pipelines come after those who wait already")
    func fairness() throws {
        // The worker may be done before the other stands in line: then it is tried anew.
        for _ in 0..<50 {
            let loop = try Loop()
            let first = try loop.connect()
            let second = try loop.connect()
            try first.send(Message.login + Message.call("Logout"))
            try loop.server.turn(1000)
            let login = #"{"access_token":"t","uid":"9","expires_at":4000000000}"#
            try second.send(Message.call("Login", login))
            try loop.server.turn(0)
            guard loop.server.change != nil, loop.server.waiting.count == 1,
                loop.server.asker === first.connection
            else { continue }
            try loop.work()
            #expect(
                try second.received()
                    == "{\"error\":\"org.accountd.Account.AccountExists\",\"parameters\":"
                    + "{\"uid\":\"7\"}}\n")
            let replies = try first.received().split(separator: "\n")
            #expect(replies.last == "{\"parameters\":{\"uid\":\"7\"}}")
            return
        }
        Issue.record("the worker was always done too early")
    }

    @Test("a change goes on though whoever asked for it is gone, and the next one too")
    func askerGone() throws {
        let loop = try Loop()
        let asker = try loop.connect()
        let next = try loop.connect()
        let left = try loop.connect()
        try asker.send(Message.login)
        try loop.server.turn(1000)
        for client in [left, next] {
            try client.send(Message.call("UpdateProfile", #"{"screen_name":"n"}"#))
        }
        try loop.server.turn(0)
        loop.server.close(asker.connection)
        loop.server.close(left.connection)
        try loop.work()
        #expect(try next.received().hasPrefix(stored("7")))
        #expect(try next.ask(Message.call("GetToken")) == Message.token)
        #expect(loop.server.connections.count == 1)
    }

    @Test("whoever ends while a change is in hand still gets its reply")
    func endedWhileWaiting() throws {
        let loop = try Loop()
        let client = try loop.connect()
        try client.send(Message.login)
        client.end()
        try loop.work()
        #expect(try client.received().hasPrefix(stored("7")))
        #expect(client.isClosed)
    }

    @Test("a signal ends the loop once the change in hand is answered")
    func signal() throws {
        let loop = try Loop()
        let client = try loop.connect()
        let waiting = try loop.connect()
        let idle = try loop.connect()
        try client.send(Message.login)
        try loop.server.turn(1000)
        try waiting.send(Message.call("Logout"))
        try loop.server.turn(0)
        raise(SIGTERM)
        let status = try loop.server.run()
        #expect(status == 0)
        #expect(try client.received().hasPrefix(stored("7")))
        #expect(idle.isClosed)
        #expect(waiting.isClosed)
        #expect(try waiting.received().isEmpty)
    }

    @Test("a socket that was taken away ends the loop")
    func socketGone() throws {
        let loop = try Loop()
        try Files.unlink(loop.folder.root + "/socket")
        let status = try loop.server.run()
        #expect(status == 1)
    }

    @Test("half-sent messages of others have their part, and the oldest make room for the next")
    func foreignBudget() throws {
        let loop = try Loop()
        let idle = loop.arena.used
        let owner = try loop.connect()
        try owner.send("{")
        var clients: [Client] = []
        // Three users, who could hold 1.5 MiB together.
        for number in 0..<384 {
            let client = try loop.connect(uid: UInt32(100 + number / 128), as: .reader)
            try client.send(String(repeating: " ", count: 4000))
            try loop.settle()
            clients.append(client)
        }
        #expect(loop.arena.used - idle <= ConnectionTable.foreignBudget + 64)
        #expect(!owner.isClosed)
        #expect(clients.last?.isClosed == false)
        let lasting = clients.drop { $0.isClosed }
        #expect(lasting.count >= 32)
        // Whoever came later lasts, by each user.
        for uid in 100..<103 {
            let own = clients.filter { $0.connection.peer.uid == uid }
            let last = own.drop { $0.isClosed }
            #expect(last.allSatisfy { !$0.isClosed })
        }
        // The owner is not held up by any of it.
        #expect(
            try owner.ask(#""method":"org.accountd.Account.GetToken"}"# + "\0")
                == Message.noAccount)
        #expect(
            try clients.last?.ask(Message.call("GetToken")) == Message.noAccount)
    }

    @Test(
        "a message of the owner finds room though others have filled theirs, and the other way round"
    )
    func ownerBudget() throws {
        let loop = try Loop(arenaCapacity: 512 << 10)
        var owners: [Client] = []
        for _ in 0..<12 {
            let owner = try loop.connect()
            try owner.send(String(repeating: " ", count: 60_000))
            try loop.settle()
            owners.append(owner)
        }
        #expect(owners.contains { $0.isClosed })
        #expect(owners.first?.isClosed == false)
        let reader = try loop.connect(uid: 7, as: .reader)
        try reader.send("{")
        try loop.settle()
        #expect(
            try reader.ask(#""method":"org.accountd.Account.GetToken"}"# + "\0")
                == Message.noAccount)
        // And a login finds its room: it is the service's.
        let login = try loop.connect()
        try login.send(Message.login)
        try loop.work()
        #expect(try login.received().hasPrefix(stored("7")))
    }
}
