import AccountService
import Glibc
import LinuxSystem
import Testing

@testable import AccountDaemon

/// Who asked what, how often, and what became of it. docs/PROTOCOL.md, "Access records"
@Suite struct AccessRecordsTests {
    /// A journal that keeps what it gets.
    private final class Journal {
        let folder: StoreFolder
        private var socket: FileDescriptor?

        init() throws {
            folder = try StoreFolder()
            try listen()
        }

        var path: String { folder.root + "/journal" }

        func listen() throws {
            let address = try #require(SocketAddress(path: path))
            let made = try UnixSocket.make(SOCK_DGRAM, nonBlocking: true)
            let number = made.rawValue
            // SAFETY: the address lives for the call.
            try #require(unsafe address.with { unsafe bind(number, $0, $1) } == 0)
            socket = consume made
        }

        func stop() throws {
            socket = nil
            try Files.unlink(path)
        }

        /// The messages of the records that have come.
        func messages() throws -> [String] {
            try records().map { record in
                String(
                    record.split(separator: "\n").first { $0.hasPrefix("MESSAGE=") }?.dropFirst(8)
                        ?? "no message")
            }
        }

        func records() throws -> [String] {
            var records: [String] = []
            var room = [UInt8](repeating: 0, count: 65_536)
            while let count = try next(&room) {
                records.append(String(decoding: room[..<count], as: UTF8.self))
            }
            return records
        }

        private func next(_ room: inout [UInt8]) throws -> Int? {
            let number: Int32
            switch socket {
            case .some(let socket): number = socket.rawValue
            case .none: return nil
            }
            var span = room.mutableSpan
            return try UnixSocket.receive(fd: number, into: &span)
        }
    }

    private func connection(pid: Int32 = getpid(), uid: UInt32 = 7) throws -> Connection {
        Connection(
            try Files.open("/dev/null", .readOnly),
            peer: PeerCredentials(pid: pid, uid: uid, gid: uid), role: .reader, generation: 1,
            user: nil)
    }

    private func line(
        _ method: String, _ verdict: String, _ count: Int, pid: Int32 = getpid()
    ) throws -> String {
        let executable = try Files.readLink("/proc/self/exe")
        return "access: uid=7 pid=\(pid) exe=\(executable) method=\(method) "
            + "verdict=\(verdict) count=\(count)"
    }

    private let getToken = "org.accountd.Account.GetToken"

    @Test("calls alike are counted, and written once a second")
    func counted() throws {
        let journal = try Journal()
        var records = AccessRecords(journal: try JournalSocket(path: journal.path))
        let one = try connection()
        for time: Int64 in 100..<105 { records.note(.getToken, .answered, one, at: time) }
        #expect(records.deadline == 100 + AccessRecords.interval)
        #expect(try journal.messages().isEmpty)
        records.flush()
        #expect(try journal.messages() == [line(getToken, "answered", 5)])
        #expect(records.deadline == nil)
        records.flush()
        #expect(try journal.messages().isEmpty)
        records.note(.getToken, .answered, one, at: 2000)
        #expect(records.deadline == 2000 + AccessRecords.interval)
        records.flush()
        #expect(try journal.messages() == [line(getToken, "answered", 1)])
    }

    @Test("calls in turn are counted each by itself, in the order of the first")
    func turns() throws {
        let journal = try Journal()
        var records = AccessRecords(journal: try JournalSocket(path: journal.path))
        let one = try connection()
        for _ in 0..<1000 {
            records.note(.getToken, .answered, one, at: 0)
            records.note(.getToken, .expired, one, at: 0)
        }
        #expect(try journal.messages().isEmpty)
        records.flush()
        #expect(
            try journal.messages() == [
                line(getToken, "answered", 1000), line(getToken, "expired", 1000),
            ])
    }

    @Test("another method or another verdict has a count of its own")
    func changes() throws {
        let journal = try Journal()
        var records = AccessRecords(journal: try JournalSocket(path: journal.path))
        let one = try connection()
        records.note(.getToken, .answered, one, at: 0)
        records.note(.getToken, .answered, one, at: 0)
        records.note(.getToken, .expired, one, at: 0)
        records.note(.login, .accountExists, one, at: 0)
        records.note(nil, .malformed, one, at: 0)
        records.close(one)
        #expect(
            try journal.messages() == [
                line(getToken, "answered", 2), line(getToken, "expired", 1),
                line("org.accountd.Account.Login", "account-exists", 1),
                line("unknown", "malformed", 1),
            ])
        records.flush()
        #expect(try journal.messages().isEmpty)
    }

    @Test("a record has a field for each thing that can be asked for")
    func fields() throws {
        let journal = try Journal()
        var records = AccessRecords(journal: try JournalSocket(path: journal.path))
        let one = try connection()
        records.note(.getToken, .answered, one, at: 0)
        records.close(one)
        let executable = try Files.readLink("/proc/self/exe")
        let message = try line(getToken, "answered", 1)
        #expect(
            try journal.records() == [
                """
                MESSAGE=\(message)
                PRIORITY=6
                SYSLOG_IDENTIFIER=accountd
                ACCOUNTD_UID=7
                ACCOUNTD_PID=\(getpid())
                ACCOUNTD_EXE=\(executable)
                ACCOUNTD_METHOD=\(getToken)
                ACCOUNTD_VERDICT=answered
                ACCOUNTD_COUNT=1

                """
            ])
    }

    @Test("a program that cannot be told is a question mark")
    func unknownProgram() throws {
        let journal = try Journal()
        var records = AccessRecords(journal: try JournalSocket(path: journal.path))
        let one = try connection(pid: .max)
        records.note(.getStatus, .answered, one, at: 0)
        records.close(one)
        let message = try #require(try journal.messages().first)
        #expect(message.contains(" exe=? "))
    }

    @Test("records that could not be written are counted, and that is written")
    func dropped() throws {
        let journal = try Journal()
        var records = AccessRecords(journal: try JournalSocket(path: journal.path))
        try journal.stop()
        for _ in 0..<3 {
            let one = try connection()
            records.note(.getToken, .answered, one, at: 0)
            records.close(one)
        }
        records.flush()
        try journal.listen()
        records.flush()
        #expect(try journal.messages() == ["access: 3 records could not be written"])
        records.flush()
        #expect(try journal.messages().isEmpty)
    }

    @Test("whoever asks for a change that the end waits for is recorded too")
    func lastChange() throws {
        let journal = try Journal()
        let loop = try Loop(
            records: AccessRecords(journal: try JournalSocket(path: journal.path)))
        let client = try loop.connect()
        try client.send(Message.call("GetToken") + Message.login)
        try loop.server.turn(1000)
        raise(SIGTERM)
        #expect(try loop.server.run() == 0)
        let messages = try journal.messages()
        #expect(messages.count == 2)
        #expect(messages.first?.contains("GetToken verdict=no-account count=1") == true)
        #expect(messages.last?.contains("Login verdict=answered count=1") == true)
    }

    @Test("whoever asks for a change and goes is recorded")
    func askerGone() throws {
        let journal = try Journal()
        let loop = try Loop(
            records: AccessRecords(journal: try JournalSocket(path: journal.path)))
        let client = try loop.connect()
        try client.send(Message.login)
        try loop.server.turn(1000)
        loop.server.close(client.connection)
        try loop.work()
        let messages = try journal.messages()
        #expect(messages.count == 1)
        #expect(messages.first?.contains("Login verdict=answered count=1") == true)
    }

    @Test("where no records are kept nothing is written")
    func off() throws {
        var records = AccessRecords()
        #expect(records.isOn == false)
        let one = try connection()
        records.close(one)
        #expect(records.deadline == nil)
    }
}

@Suite struct GroupNamesTests {
    @Test("groups are found by name and by number, and none is none")
    func found() throws {
        #expect(try !GroupNames(readers: nil, observers: nil).policy().usesGroups)
        let policy = try GroupNames(readers: "root", observers: "4711").policy()
        #expect(policy.role(uid: geteuid() + 1, groups: [0]) == .reader)
        #expect(policy.role(uid: geteuid() + 1, groups: [4711]) == .observer)
        #expect(policy.role(uid: geteuid() + 1, groups: [4712]) == .stranger)
        #expect(policy.isOwner(uid: geteuid()))
    }

    @Test("a group that is not there is named, and which option asked for it")
    func missing() {
        for (names, option) in [
            (GroupNames(readers: "no such group", observers: nil), "--readers"),
            (GroupNames(readers: nil, observers: "no such group"), "--observers"),
        ] {
            do throws(StartError) {
                _ = try names.policy()
                Issue.record("it was found")
            } catch {
                #expect(
                    error.message == "there is no group no such group, which \(option) names")
            }
        }
    }
}
