import AccountService
import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// The loop over a store of its own, turned by hand, and clients whose credentials are made up.
final class Loop {
    static let signals = [SIGTERM, SIGUSR1, SIGUSR2]

    let folder: StoreFolder
    let arena: SecretArena
    var server: Server

    init(
        arenaCapacity: Int = 1 << 20, maximumConnections: Int = ConnectionTable.maximum,
        records: consuming AccessRecords = AccessRecords(), lockTimes: LockTimes = LockTimes(),
        ownUID: UInt32 = geteuid()
    ) throws {
        folder = try StoreFolder()
        arena = try SecretArena.forTest(capacity: arenaCapacity)
        let root = folder.root
        let directory = try Directory.open(root + "/served", create: true)
        var lock = try FileLock(StoreFiles.lockName, in: directory)
        let isHeld = try lock.tryAcquire()
        try #require(isHeld == true)
        let files = StoreFiles(
            path: root + "/served", keyFile: KeyFilePath(path: root + "/key", isDefault: false),
            directory: directory, lock: lock)
        let service = AccountService(
            arena: arena,
            surroundings: AccountService.Surroundings(
                version: "1", memory: "locked", lockedBytes: 0, keyFilePath: "/k",
                lockTimes: lockTimes))
        server = try Server(
            arena: arena, listener: try Listener(at: root + "/socket"),
            policy: AccessPolicy(ownUID: ownUID),
            groups: GroupNames(readers: nil, observers: nil), worker: try StoreWorker(files),
            signals: try SignalDescriptor(Self.signals), service: service,
            records: records, maximumConnections: maximumConnections)
        server.now = Server.readInstant()
    }

    // The thread is another test's afterwards.
    deinit {
        var set = sigset_t()
        // SAFETY: the set is this function's own.
        unsafe sigemptyset(&set)
        for signal in Self.signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Lets somebody in, as if by the socket.
    func connect(uid: UInt32 = 1000, as role: Role = .owner) throws -> Client {
        let pair = try UnixSocket.pair()
        let peer = PeerCredentials(pid: getpid(), uid: uid, gid: uid)
        let inserted = server.connections.insert(pair.first, peer: peer, role: role)
        let connection = try #require(inserted)
        try server.poller.add(
            fd: connection.fd, events: .readable, token: ConnectionTable.token(of: connection))
        if role == .stranger { server.strangers.append(connection, at: server.milliseconds) }
        return Client(pair.second, connection, self)
    }

    /// Lets somebody in by the socket.
    func dial() throws -> FileDescriptor {
        try UnixSocket.connect(to: folder.root + "/socket", timeoutMilliseconds: 1000)
    }

    /// Turns the loop until there is nothing to do.
    func settle() throws {
        for _ in 0..<4 { try server.turn(0) }
    }

    /// Turns the loop until the worker has nothing in hand.
    func work() throws {
        try settle()
        let end = Clock.monotonicMilliseconds() + 10_000
        while server.change != nil, Clock.monotonicMilliseconds() < end { try server.turn(20) }
        try settle()
    }

    /// Turns the loop until nothing that was asked for has to be done by the worker.
    func workAll() throws {
        repeat { try work() } while server.change != nil
    }

    /// Lets time pass without waiting for it.
    func pass(milliseconds: Int64) {
        server.now = Instant(
            realtime: server.now.realtime + milliseconds / 1000,
            boottime: server.now.boottime + milliseconds)
        server.meetDeadlines()
    }
}

/// The other end of one connection.
final class Client {
    let connection: Connection
    private let descriptor: FileDescriptor
    private unowned let loop: Loop

    init(_ descriptor: consuming FileDescriptor, _ connection: Connection, _ loop: Loop) {
        self.descriptor = descriptor
        self.connection = connection
        self.loop = loop
    }

    var isClosed: Bool { connection.isClosed }

    /// Sends bytes as they are; nothing is answered yet.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let part = Array(bytes[sent...])
            sent += try UnixSocket.send(fd: descriptor.rawValue, part.span) ?? 0
            if sent < bytes.count { try loop.server.turn(0) }
        }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Will send no more. shutdown(2)
    func end() { shutdown(descriptor.rawValue, Int32(SHUT_WR)) }

    /// What has come, terminators as line ends.
    func received() throws -> String {
        var all: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while let count = try? next(&room), count > 0 { all += room[..<count] }
        return String(decoding: all.map { $0 == 0 ? UInt8(ascii: "\n") : $0 }, as: UTF8.self)
    }

    private func next(_ room: inout [UInt8]) throws -> Int? {
        var span = room.mutableSpan
        return try UnixSocket.receive(fd: descriptor.rawValue, into: &span)
    }

    /// Sends calls and gives back what came of them.
    func ask(_ text: String) throws -> String {
        try send(text)
        try loop.settle()
        return try received()
    }
}

/// Calls and what a store without an account answers.
enum Message {
    static func call(_ method: String, _ parameters: String = "{}") -> String {
        "{\"method\":\"org.accountd.Account.\(method)\",\"parameters\":\(parameters)}\0"
    }

    static func keys(_ method: String, _ parameters: String = "{}") -> String {
        "{\"method\":\"org.accountd.Keys.\(method)\",\"parameters\":\(parameters)}\0"
    }

    static let login = call(
        "Login", #"{"access_token":"2.00abc","uid":"7","expires_at":4000000000}"#)
    static let noAccount = "{\"error\":\"org.accountd.Account.NoAccount\",\"parameters\":{}}\n"
    static let denied = "{\"error\":\"org.varlink.service.PermissionDenied\",\"parameters\":{}}\n"
    static let token =
        "{\"parameters\":{\"access_token\":\"2.00abc\",\"uid\":\"7\",\"expires_at\":4000000000}}\n"

    /// A query of so many bytes, its terminator left out.
    static func query(ofBytes count: Int) -> String {
        let call = #"{"method":"org.accountd.Account.GetToken"}"#
        return call + String(repeating: " ", count: count - call.utf8.count)
    }
}
