import JSON
import LinuxSystem
package import SecretMemory
import TestStore
import Varlink

@testable import AccountService
@testable import Accounts
@testable import Sealing

/// What the daemon decides, over a whole life: calls of every role, the store's results, damage to its
/// files, a restart, memory that runs out, time in both directions.
///
/// An input is a row of records, each ended by NUL. One that begins with a control character is an
/// event, any other a message.
package final class ServiceBody: FuzzBody {
    package static let name = "service"
    package static let maximumSize = 2048

    package let arena: SecretArena
    private let surroundings = AccountService.Surroundings(
        version: "9.8.7", memory: "locked", lockedBytes: 4096, keyFilePath: "/k/key",
        lockTimes: LockTimes(afterIdle: 86_400, after: 864_000))

    package init() throws { arena = try SecretArena(capacity: 1 << 19, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let life = try ServiceLife(arena, surroundings)
        for record in input.array.split(separator: 0) {
            var rest = FuzzInput(Array(record.dropFirst()))
            switch record.first {
            case 0x01: life.become(rest.byte())
            case 0x02: life.pass(Int64(rest.restAsText()) ?? 0)
            case 0x03: try life.work()
            case 0x04: try life.work(failingAt: Int(rest.byte()))
            case 0x05: try life.work(confusedBy: rest.byte())
            case 0x06: life.damage(&rest)
            case 0x07: try life.restart()
            case 0x08: life.moveKey()
            case 0x0B: try life.lock()
            case 0x0E: life.takeMemory(Int(rest.byte()))
            case 0x0F: life.giveMemoryBack()
            case 0x10: life.bearKey()
            default: try life.send(Array(record))
            }
        }
        try life.end()
    }
}

/// One daemon's service with its store and its clocks.
private final class ServiceLife {
    private static let start = Instant(realtime: 1_700_000_000, boottime: 5_000_000)
    // Tokens that are shorter may stand anywhere by chance.
    private static let shortestToken = 8
    private static let roles = [Role.owner, .reader, .observer, .stranger]

    private let arena: SecretArena
    private let surroundings: AccountService.Surroundings
    private var service: AccountService
    private var store = FakeStore()
    private var index = JSONIndex()
    private var reply: SecretBuffer
    private var now = ServiceLife.start
    private var role = Role.owner
    /// Whether an owner is the daemon's own user, and not root.
    private var isOwnUser = true
    private var change: StoreChange?
    private var ballast: [Ballast] = []
    /// Whether the store holds what the service has written, and nothing else.
    private var isUntouched = true
    private var keptKey: FakeStore.Key?

    private final class Ballast {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    init(_ arena: SecretArena, _ surroundings: AccountService.Surroundings) throws {
        self.arena = arena
        self.surroundings = surroundings
        service = AccountService(arena: arena, surroundings: surroundings)
        reply = try SecretBuffer(arena: arena, capacity: 512, limit: 65_536)
        store.derive = { $0.run(opslimit: 1, memlimit: 8192) }
    }

    func become(_ number: UInt8) {
        role = Self.roles[Int(number) % Self.roles.count]
        isOwnUser = number < 0x80 && role == .owner
    }

    /// An archive is sealed by the present master key, or all that were are gone.
    func bearKey() {
        if let id = service.slots?.slots.current, !store.archiveKeys.contains(id) {
            store.archiveKeys.append(id)
        } else {
            store.archiveKeys = []
        }
    }

    /// Lets time pass; a clock that is set back does not turn boot time back.
    func pass(_ seconds: Int64) {
        let bounded = min(max(seconds, -1 << 40), 1 << 40)
        now = Instant(
            realtime: now.realtime + bounded, boottime: now.boottime + max(1, bounded) * 1000)
    }

    func moveKey() {
        isUntouched = false
        if let kept = keptKey {
            store.key = kept
            keptKey = nil
        } else {
            keptKey = store.key
            store.key = .absent
        }
    }

    /// A signal: nothing that was held is held then, unless a change is in hand.
    func lock() throws {
        let locking = service.lock()
        try require((locking == .later) == (service.pending != nil), "a lock that does not wait")
        if locking == .done {
            try require(service.held == nil, "an account is held in a locked store")
            try require(service.standing != .present, "a locked store is open")
        }
    }

    func takeMemory(_ order: Int) {
        guard let bytes = try? arena.allocate(64 << min(order, 13)) else { return }
        ballast.append(Ballast(bytes))
    }

    func giveMemoryBack() { ballast = [] }

    func damage(_ choices: inout FuzzInput) {
        isUntouched = false
        func edit(_ file: inout StoreContents.File, _ choices: inout FuzzInput) {
            guard case .bytes(let bytes) = file else {
                file = .bytes(choices.rest())
                return
            }
            file = choices.isAtEnd ? .absent : .bytes(choices.edit(bytes))
        }
        switch choices.byte() % 6 {
        case 0: edit(&store.account, &choices)
        case 1: edit(&store.previousAccount, &choices)
        case 2: edit(&store.slots, &choices)
        case 3: edit(&store.slotsCopy, &choices)
        case 4: (store.account, store.previousAccount) = (store.previousAccount, store.account)
        default: store.isReplaced.toggle()
        }
    }

    func restart() throws {
        change = nil
        service = AccountService(arena: arena, surroundings: surroundings)
        let keys: StoreKeys
        do throws(SecretMemoryError) {
            keys = try StoreKeys(arena: arena)
            store.read(into: keys)
            try service.load(store.contents, keys, at: now)
        } catch { isUntouched = false }
    }

    func send(_ text: [UInt8]) throws {
        service.lockIfDue(at: now)
        let wasPending = service.pending != nil
        let isPlain = service.answersPlainly(text.span, from: role, at: now)
        let caller = AccountService.Caller(role: role, connections: 3, isOwnUser: isOwnUser)
        let outcome = service.handle(text.span, from: caller, at: now, reply: &reply)
        if isPlain {
            guard case .tokenReply = outcome.action else {
                throw Violation(description: "a plain query has another answer")
            }
        }
        if let method = outcome.method, role < method.requiredRole {
            try require(outcome.verdict != .answered, "\(role) is answered \(method)")
        }
        if outcome.method == .deriveArchiveKey, outcome.verdict == .answered {
            try require(isOwnUser, "an archive's key goes to somebody else")
            try require(
                service.standing == .present || service.standing == .empty,
                "a key of a store that is shut")
        }
        if case .wait = outcome.action { try require(wasPending, "a call waits for nothing") }
        if case .change = outcome.action {
            try require(!wasPending, "a second change beside the first")
            try require(role == .owner, "\(role) changes the store")
        } else {
            try require((service.pending != nil) == wasPending, "a change came or went")
        }
        try visit(outcome, to: text)
    }

    func work() throws {
        guard let change else { return }
        self.change = nil
        try finish(store.perform(change))
    }

    func work(failingAt step: Int) throws {
        let steps = FakeStore.Step.allCases
        store.failsAt = steps[step % steps.count]
        isUntouched = false
        try work()
        store.failsAt = nil
    }

    /// A worker that answers something else than it was asked.
    func work(confusedBy kind: UInt8) throws {
        guard change != nil else { return }
        change = nil
        isUntouched = false
        switch kind % 3 {
        case 0: try finish(kind > 200 ? .borne(BorneKeys([], bySpare: kind > 225)) : .done)
        case 1: try finish(.contents(store.contents))
        default:
            try finish(.failed(StoreFailure(errno: 5, message: "/s: I/O", isInPlace: kind > 99)))
        }
    }

    private func finish(_ result: StoreResult) throws {
        let outcome = service.finish(result, at: now, reply: &reply)
        if case .change = outcome.action {
        } else {
            try require(service.pending == nil, "a change that has ended is still in hand")
        }
        try visit(outcome, to: [])
    }

    /// Whatever comes of a call is one thing: a message, the ready one, or nothing.
    private func visit(_ outcome: Outcome, to text: [UInt8]) throws {
        let written = reply.array()
        reply.removeAll()
        switch outcome.action {
        case .reply, .replyAt:
            try requireMessage(written)
            try requireNoToken(written, outcome.method, text)
            return
        case .tokenReply:
            try require(role >= .reader, "\(role) gets the token")
            try require((service.watch?.remaining(at: now) ?? 0) > 0, "an expired token is given")
            var ready: [UInt8] = []
            service.lendTokenReply { ready = $0.array }
            try requireMessage(ready)
        case .change(let next):
            try require(service.pending != nil, "a change that nobody waits for")
            change = next
        case .silence, .wait, .waitUntil, .close: break
        }
        try require(written.isEmpty, "something is written that is not sent")
    }

    private func requireMessage(_ bytes: [UInt8]) throws {
        try require(bytes.last == 0, "a message without its end")
        try require(!bytes.dropLast().contains(0), "a message of two")
        let text = Array(bytes.dropLast())
        let read: ClientReply
        do throws(ClientReplyError) {
            read = try ClientReply(reading: text.span, with: &index)
        } catch { throw Violation(description: "a reply that is none: \(error)") }
        try require(!read.continues, "a reply that goes on")
        guard let error = read.error else { return }
        let name = String(decoding: text[index.range(of: error)], as: UTF8.self)
        try require(
            ["org.accountd.Account.", "org.accountd.Keys.", "org.varlink.service."].contains {
                name.hasPrefix($0)
            },
            "an error of nobody: \(name)")
    }

    /// The token stands in the two replies that are there for it and nowhere else.
    private func requireNoToken(_ text: [UInt8], _ method: Method?, _ call: [UInt8]) throws {
        guard let held = service.held, method != .export || role < .owner else { return }
        guard let token = try? held.copyToken(arena: arena), token.count >= Self.shortestToken
        else {
            return
        }
        let secret = token.array()
        // A token may read as a time does.
        let expiry = held.profile.expiry
        let profile =
            "\(held.profile.uid) \(held.profile.screenName ?? "") "
            + "\(held.profile.avatarLarge ?? "") \(CivilTime.rfc3339(expiry.expiresAt)) "
            + "\(expiry.expiresAt) \(expiry.issuedAt ?? 0)"
        guard !call.span.contains(secret), !Array(profile.utf8).span.contains(secret) else {
            return
        }
        try require(!text.span.contains(secret), "the token is in a reply to \(method as Any)")
    }

    /// What was written by whole changes is what the next daemon reads.
    func end() throws {
        ballast = []
        guard isUntouched, service.pending == nil, let held = service.held else { return }
        let (uid, file, expiry) = (held.profile.uid, held.file, held.profile.expiry)
        let name = held.profile.screenName
        let opensByItself = service.slots?.slots.opensByItself == true
        try restart()
        guard opensByItself else {
            try require(service.standing == .locked, "a store that asks somebody is open")
            return
        }
        guard let read = service.held else {
            throw Violation(description: "what was stored is not read: \(service.trouble ?? "")")
        }
        try require(
            read.profile.uid == uid && read.file == file && read.profile.expiry == expiry
                && read.profile.screenName == name, "what was stored is read otherwise")
    }
}
