import AccountService
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// Connections that nobody is at the other end of.
private func descriptor() throws -> FileDescriptor { try Files.open("/dev/null", .readOnly) }

private func peer(_ uid: UInt32) -> PeerCredentials { PeerCredentials(pid: 1, uid: uid, gid: uid) }

@Suite struct ConnectionQueueTests {
    private func connections(_ count: Int) throws -> [Connection] {
        try (0..<count).map { number in
            Connection(
                try descriptor(), peer: peer(1), role: .owner, generation: UInt32(number),
                user: nil)
        }
    }

    @Test("the first to come is the first whose time is over")
    func order() throws {
        let all = try connections(3)
        var queue = ConnectionQueue(.halfSent, patience: 100)
        #expect(queue.deadline == nil)
        for (number, connection) in all.enumerated() { queue.append(connection, at: Int64(number)) }
        #expect(queue.first === all[0])
        #expect(queue.deadline == 100)
        #expect(all.allSatisfy { $0.limit == .halfSent })
        queue.remove(all[0])
        #expect(all[0].limit == .none)
        #expect(queue.first === all[1])
        #expect(queue.deadline == 101)
    }

    @Test("connections leave from anywhere and may come back", arguments: 1...6)
    func anywhere(seed: Int) throws {
        let all = try connections(8)
        var queue = ConnectionQueue(.unread, patience: 10)
        var model: [Connection] = []
        var random = SeededNumbers(state: UInt64(seed))
        for time in 0..<500 {
            let connection = all[random.below(all.count)]
            if let place = model.firstIndex(where: { $0 === connection }) {
                queue.remove(connection)
                model.remove(at: place)
            } else {
                queue.append(connection, at: Int64(time))
                model.append(connection)
            }
            var listed: [Connection] = []
            var next = queue.first
            while let connection = next {
                listed.append(connection)
                next = connection.next
            }
            #expect(listed.map(\.generation) == model.map(\.generation))
            #expect(queue.deadline == model.first?.deadline)
        }
    }
}

/// The same numbers for the same seed.
struct SeededNumbers {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}

@Suite struct ConnectionTableTests {
    @Test("the limits are the protocol's")
    func limits() {
        #expect(ConnectionTable.maximum == 4096)
        #expect(ConnectionTable.reservedForOwner == 64)
        #expect(ConnectionTable.maximumForeign == 128)
        #expect(ConnectionTable.foreignBudget == 256 * 1024)
        #expect(ConnectionTable(maximum: 5000).maximum == 4096)
        #expect(ConnectionTable(maximum: 100).maximum == 100)
    }

    @Test("another user has 128 connections, each user for itself")
    func foreigners() throws {
        var table = ConnectionTable()
        for uid in [7, 8] as [UInt32] {
            var last: Connection?
            for _ in 0..<128 {
                last = table.insert(try descriptor(), peer: peer(uid), role: .reader)
                #expect(last != nil)
            }
            let oneTooMany = table.insert(try descriptor(), peer: peer(uid), role: .reader)
            #expect(oneTooMany == nil)
            let gone = try #require(last)
            table.remove(gone)
            let next = table.insert(try descriptor(), peer: peer(uid), role: .observer)
            #expect(next != nil)
        }
        #expect(table.count == 256)
        // Strangers are users, too.
        let stranger = table.insert(try descriptor(), peer: peer(7), role: .stranger)
        #expect(stranger == nil)
    }

    @Test("the last connections are the owner's, and root's")
    func reserve() throws {
        // A quarter of so small a table.
        var table = ConnectionTable(maximum: 200)
        for number in 0..<150 {
            let uid = UInt32(100 + number % 2)
            let connection = table.insert(try descriptor(), peer: peer(uid), role: .reader)
            #expect(connection != nil)
        }
        let foreign = table.insert(try descriptor(), peer: peer(900), role: .reader)
        #expect(foreign == nil)
        for _ in 0..<50 {
            let own = table.insert(try descriptor(), peer: peer(0), role: .owner)
            #expect(own != nil)
        }
        let oneTooMany = table.insert(try descriptor(), peer: peer(0), role: .owner)
        #expect(oneTooMany == nil)
        #expect(table.count == 200)
        #expect(table.all().count == 200)
    }

    @Test("those who are not permitted have a quarter of the connections, whoever they are")
    func strangers() throws {
        var table = ConnectionTable(maximum: 200)
        var last: Connection?
        for uid: UInt32 in 0..<50 {
            last = table.insert(try descriptor(), peer: peer(500 + uid), role: .stranger)
            #expect(last != nil)
        }
        let oneTooMany = table.insert(try descriptor(), peer: peer(900), role: .stranger)
        #expect(oneTooMany == nil)
        let reader = table.insert(try descriptor(), peer: peer(900), role: .reader)
        #expect(reader != nil)
        table.remove(try #require(last))
        let next = table.insert(try descriptor(), peer: peer(901), role: .stranger)
        #expect(next != nil)
    }

    @Test("the owner may have all the connections")
    func owner() throws {
        var table = ConnectionTable(maximum: 64)
        for _ in 0..<64 {
            let own = table.insert(try descriptor(), peer: peer(1000), role: .owner)
            #expect(own?.user == nil)
        }
        #expect(table.count == 64)
    }

    @Test("a token finds its connection and none that came after it")
    func tokens() throws {
        var table = ConnectionTable()
        let first = try #require(
            table.insert(try descriptor(), peer: peer(1), role: .owner))
        let token = ConnectionTable.token(of: first)
        #expect(table.find(token) === first)
        let fd = first.fd
        table.remove(first)
        #expect(first.isClosed)
        #expect(table.find(token) == nil)
        table.remove(first)
        #expect(table.count == 0)
        // The same number once more, if nobody else took it.
        let second = try #require(
            table.insert(try descriptor(), peer: peer(1), role: .owner))
        #expect(ConnectionTable.token(of: second) != token)
        if second.fd == fd { #expect(table.find(token) == nil) }
        #expect(table.find(UInt64(1) << 32 | 99_999) == nil)
        // What stands for the daemon's own descriptors is no connection's.
        for token in [
            Server.Token.listener, Server.Token.signals, Server.Token.worker,
            Server.Token.socketFile,
        ] {
            #expect(table.find(token) == nil)
        }
    }

    @Test("users share a budget within everybody's, as long as one of their connections lasts")
    func budgets() throws {
        var table = ConnectionTable(foreignBudget: 1000)
        let one = try #require(table.insert(try descriptor(), peer: peer(7), role: .reader))
        let two = try #require(table.insert(try descriptor(), peer: peer(7), role: .reader))
        let other = try #require(table.insert(try descriptor(), peer: peer(8), role: .reader))
        #expect(one.user === two.user)
        #expect(one.user !== other.user)
        #expect(one.user?.budget.limit == 500)
        #expect(one.user?.budget.hasRoom(for: 501) == false)
        let arena = try SecretArena.forTest(capacity: 4096)
        let held = try SecretBuffer(arena: arena, capacity: 256, budget: one.user?.budget)
        let more = try SecretBuffer(arena: arena, capacity: 512, budget: nil)
        #expect(other.user?.budget.hasRoom(for: 500) == true)
        #expect(other.user?.budget.hasRoom(for: 501) == false)
        #expect(held.footprint + more.footprint == 768)
    }

    @Test("a closed connection gives back what it had in hand")
    func closing() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        var table = ConnectionTable()
        let connection = try #require(
            table.insert(try descriptor(), peer: peer(7), role: .reader))
        let bytes = Connection.Bytes()
        bytes.input = try SecretBuffer(
            arena: arena, capacity: 64, budget: connection.user?.budget)
        bytes.output = try SecretBuffer(
            arena: arena, capacity: 64, budget: connection.user?.budget)
        connection.bytes = bytes
        #expect(connection.hasOutput)
        #expect(!connection.hasInput)
        #expect(connection.user?.budget.used == 128)
        connection.bytes = nil
        table.remove(connection)
        #expect(connection.user?.budget.used == 128)
        _ = consume bytes
        #expect(!connection.hasOutput)
    }
}
