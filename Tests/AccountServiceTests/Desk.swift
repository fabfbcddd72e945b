import AccountService
@testable import Sealing
import SecretMemory
import TestSupport
import TestStore
import Testing

/// What a call came to.
struct Answer: Equatable {
    enum Kind: Equatable {
        case reply, tokenReply, silence, wait, change, close
        /// At a point of boot time, in milliseconds.
        case waitUntil(Int64)
        case replyAt(Int64)
    }

    let kind: Kind
    /// The reply without its terminator; empty when there is none.
    var text = ""
    let method: Method?
    let verdict: Verdict

    /// The reply with what is drawn at random described.
    var shape: String {
        text.replacing(/"[0-9a-f]{16}"/, with: #""16 digits""#)
            .replacing(/"[0-9a-f]{32}"/, with: #""32 digits""#)
            .replacing(/"[0-9a-f]{64}"/, with: #""64 digits""#)
            .replacing(/"([0-9A-Z]{4}-){8}[0-9A-Z]{4}"/, with: #""a code""#)
    }
}

/// A service with its store and its clocks, called as a client would.
final class Desk {
    static let start = Instant(realtime: 1_700_000_000, boottime: 5_000_000)

    let arena: SecretArena
    private let surroundings: AccountService.Surroundings
    var service: AccountService
    var store: FakeStore
    var now = Desk.start
    /// Of whoever calls.
    var uid: UInt32 = 1000
    /// Whether that is the daemon's own user.
    var isOwnUser = true
    /// The change that the worker has in hand.
    private(set) var change: StoreChange?
    fileprivate var reply: SecretBuffer
    fileprivate let replyCapacity: Int

    init(
        _ store: FakeStore = FakeStore(), arena: SecretArena? = nil, replyCapacity: Int = 4096,
        lockTimes: LockTimes = LockTimes()
    ) throws {
        let arena = try arena ?? SecretArena.forTest(capacity: 512 << 10)
        self.arena = arena
        self.store = store
        self.store.derive = { $0.run(opslimit: 1, memlimit: 8192) }
        surroundings = AccountService.Surroundings(
            version: "9.8.7", memory: "locked", lockedBytes: 4096, keyFilePath: "/k/key",
            lockTimes: lockTimes)
        service = AccountService(arena: arena, surroundings: surroundings)
        self.replyCapacity = replyCapacity
        reply = try SecretBuffer(arena: arena, capacity: replyCapacity, limit: 65_536)
        try load()
    }

    /// Reads the store as a daemon does that starts.
    func load() throws {
        service = AccountService(arena: arena, surroundings: surroundings)
        let keys = try StoreKeys(arena: arena)
        store.read(into: keys)
        try service.load(store.contents, keys, at: now)
        if let change = service.unfinished { _ = store.perform(change) }
    }

    /// Lets time pass.
    func pass(seconds: Int64) {
        now = Instant(
            realtime: now.realtime + seconds, boottime: now.boottime + seconds * 1000)
    }

    /// Hands in one message, and does nothing of what the service then wants done.
    func send(_ message: [UInt8], as role: Role = .owner, connections: Int = 3) -> Answer {
        let caller = AccountService.Caller(
            role: role, connections: connections, uid: uid, isOwnUser: isOwnUser)
        let outcome = service.handle(message.span, from: caller, at: now, reply: &reply)
        return answer(to: outcome)
    }

    /// Hands in one message as text.
    func send(_ message: String, as role: Role = .owner) -> Answer {
        send(Array(message.utf8), as: role)
    }

    /// Begins a call of one of the account's methods.
    func begin(
        _ method: String, _ parameters: String = "{}", as role: Role = .owner
    ) -> Answer {
        send(Self.message(method, parameters), as: role)
    }

    /// The full name of one of the account's methods, or of the keys'.
    static func name(_ method: String) -> String {
        let keys = [
            "ListSlots", "AddSlot", "RemoveSlot", "Rotate", "NewRecoveryCode", "DeriveArchiveKey",
            "FinishRotation",
        ]
        let interface = keys.contains(method) ? "Keys" : "Account"
        return method.contains(".") ? method : "org.accountd.\(interface).\(method)"
    }

    /// `flag`: of the call, which is set.
    static func message(_ method: String, _ parameters: String, flag: String? = nil) -> String {
        let flags = flag.map { #","\#($0)":true"# } ?? ""
        return #"{"method":"\#(name(method))","parameters":\#(parameters)\#(flags)}"#
    }

    /// Has the store do what is to be done, once.
    func work() throws -> Answer {
        let change = try #require(change)
        let result = store.perform(change)
        self.change = nil
        return finish(result)
    }

    func finish(_ result: StoreResult) -> Answer {
        answer(to: service.finish(result, at: now, reply: &reply))
    }

    /// Gives the service a result of its own.
    func work(with result: StoreResult) throws -> Answer {
        _ = try #require(change)
        change = nil
        return finish(result)
    }

    /// A call to its end.
    func call(
        _ method: String, _ parameters: String = "{}", as role: Role = .owner
    ) throws -> Answer {
        try complete(begin(method, parameters, as: role))
    }

    /// Has the store do all that is to be done.
    func complete(_ begun: Answer) throws -> Answer {
        var answer = begun
        while answer.kind == .change { answer = try work() }
        return answer
    }

    private func answer(to outcome: Outcome) -> Answer {
        var text = reply.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        reply.removeAll()
        let kind: Answer.Kind
        switch outcome.action {
        case .reply:
            kind = .reply
            text = Self.withoutTerminator(text)
        case .tokenReply:
            kind = .tokenReply
            #expect(text.isEmpty)
            text = "no token"
            service.lendTokenReply { bytes in
                text = Self.withoutTerminator(
                    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self))
            }
        case .replyAt(let time):
            text = Self.withoutTerminator(text)
            return Answer(
                kind: .replyAt(time), text: text, method: outcome.method, verdict: outcome.verdict)
        case .waitUntil(let time): kind = .waitUntil(time)
        case .silence: kind = .silence
        case .wait: kind = .wait
        case .close: kind = .close
        case .change(let next):
            kind = .change
            change = next
        }
        if kind != .reply, kind != .tokenReply { #expect(text.isEmpty) }
        return Answer(kind: kind, text: text, method: outcome.method, verdict: outcome.verdict)
    }

    private static func withoutTerminator(_ text: String) -> String {
        #expect(text.utf8.last == 0)
        #expect(text.utf8.dropLast().allSatisfy { $0 != 0 })
        return String(text.dropLast())
    }
}

extension Desk {
    /// Gives back what the replies' buffer has grown by.
    func renewReply() {
        guard
            let fresh = try? SecretBuffer(arena: arena, capacity: replyCapacity, limit: 65_536)
        else { return }
        reply = fresh
    }

    /// What a stranger gets, terminator included.
    func refusalOfStrangers() -> String? {
        guard var out = try? SecretBuffer(arena: arena, capacity: 256),
            (try? AccountService.refuseStranger(&out)) != nil
        else { return nil }
        return out.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }
}
