import Accounts
import JSON
import Sealing
package import SecretMemory
import Varlink

/// What the daemon decides: who may ask what, what the answer is, and what must be written.
///
/// It does no I/O. Calls come in as the text of a message, with the role of whoever sent it and the
/// time; replies go out into a buffer of secret memory; what must be read from or written to the
/// store goes out as a `StoreChange`, whose result comes in later. So every rule can be tested
/// without a socket, a file or a clock. It belongs to one thread.
///
/// Changes go one at a time. A change in hand answers nobody else's queries differently: the account
/// that was held is served until the new one is durable.
package struct AccountService: ~Copyable {
    /// What the daemon knows of itself and the status reports.
    package struct Surroundings: Sendable {
        /// The program's version.
        package let version: String
        /// `Status.memory`.
        package let memory: String
        /// `Status.locked_bytes`.
        package let lockedBytes: Int64
        /// Name of the key file in sentences for people.
        package let keyFilePath: String
        /// When the store is locked by itself.
        package let lockTimes: LockTimes

        /// Describes a daemon.
        package init(
            version: String, memory: String, lockedBytes: Int64, keyFilePath: String,
            lockTimes: LockTimes = LockTimes()
        ) {
            self.version = version
            self.memory = memory
            self.lockedBytes = lockedBytes
            self.keyFilePath = keyFilePath
            self.lockTimes = lockTimes
        }
    }

    /// Who calls, and among how many.
    package struct Caller: Sendable {
        /// What the peer may do.
        package let role: Role
        /// Open connections, the caller's own included.
        package let connections: Int
        /// The peer's uid: wrong passphrases are counted for each.
        package let uid: UInt32
        /// Whether it is the daemon's own user: root is an owner too, and may less.
        package let isOwnUser: Bool

        /// Describes a caller.
        package init(role: Role, connections: Int, uid: UInt32 = 0, isOwnUser: Bool = false) {
            self.role = role
            self.connections = connections
            self.uid = uid
            self.isOwnUser = isOwnUser
        }

        /// Whether it may call a method.
        func may(call method: Method) -> Bool {
            role >= method.requiredRole && (isOwnUser || !method.isForOwnUserAlone)
        }
    }

    /// How the store stands. org.accountd.Account, `Status.state`
    enum Standing: Equatable {
        case empty
        case present
        case locked
        case damaged(String)

        var name: String {
            switch self {
            case .empty: "empty"
            case .present: "present"
            case .locked: "locked"
            case .damaged: "damaged"
            }
        }
    }

    /// The description of `org.accountd.Account`, as embedded from the one source.
    package static var interfaceDescription: String {
        String(decoding: PackageResources.org_accountd_Account_varlink, as: UTF8.self)
    }

    /// The description of `org.accountd.Keys`, likewise.
    package static var keysDescription: String {
        String(decoding: PackageResources.org_accountd_Keys_varlink, as: UTF8.self)
    }

    let arena: SecretArena
    let surroundings: Surroundings
    let interfaces: ServiceInterface
    var index = JSONIndex()
    var standing = Standing.empty
    private(set) var held: HeldAccount?
    /// Whether the held account's token has expired.
    var watch: ExpiryWatch?
    var masterKey: MasterKey?
    var slots: StoredSlots?
    var pending: PendingChange?
    /// Whether the owner, or a time, has locked the store: then what opens it by itself does not,
    /// until it is unlocked.
    var isLockedOnPurpose = false
    /// What is known of the end of the token that was held when the store was locked.
    var lockedWatch: ExpiryWatch?
    var penalties = KeyPenalties()
    /// When the store was opened, and when it was used last, in milliseconds of boot time.
    var openedAt: Int64 = 0
    var usedAt: Int64 = 0
    /// To be locked as soon as the change in hand is done.
    var locksWhenDone = false
    /// What a change that was cut off has left to do, before the daemon serves.
    ///
    /// The store is whole without it, too.
    package internal(set) var unfinished: StoreChange?

    /// Makes a service with an empty store.
    package init(arena: SecretArena, surroundings: Surroundings) {
        self.arena = arena
        self.surroundings = surroundings
        interfaces = ServiceInterface(
            vendor: "accountd", product: "accountd", version: surroundings.version,
            url: "",
            interfaces: [
                ServiceInterface.Description(
                    name: "org.accountd.Account", text: Self.interfaceDescription),
                ServiceInterface.Description(
                    name: "org.accountd.Keys", text: Self.keysDescription),
            ])
    }

    /// Serves an account from now on, or none.
    ///
    /// What is known of the end of the one before holds for the next one too, if it ends at the same
    /// time: a token that has expired does not come to life by being stored or read again.
    mutating func hold(_ account: HeldAccount?, at now: Instant) {
        let earlier = watch ?? lockedWatch
        held = account
        watch = account.map { ExpiryWatch($0.profile.expiry) }
        if let earlier { watch?.learn(from: earlier) }
        _ = watch?.remaining(at: now)
    }

    /// Holds no account any more.
    mutating func forgetAccount() {
        held = nil
        watch = nil
    }

    /// Answers one call.
    ///
    /// - Parameters:
    ///   - text: the message without its terminator; it stays the caller's and is not kept.
    ///   - reply: where the reply is written; it must be empty, and holds a whole message when the
    ///     action is `reply`.
    package mutating func handle(
        _ text: Span<UInt8>, from caller: Caller, at now: Instant, reply: inout SecretBuffer
    ) -> Outcome {
        let call: Call
        do throws(MessageError) {
            call = try Call(reading: text, with: &index)
        } catch {
            return Outcome(action: .close, method: nil, verdict: .malformed)
        }
        let method = Method.find(call.method, index, text)
        do throws(SecretMemoryError) {
            return try answer(call, method, text, caller, now, &reply)
        } catch {
            // Not even the error fitted: an honest end of the connection is left.
            reply.removeAll()
            return Outcome(action: .close, method: method, verdict: .failed)
        }
    }

    private mutating func answer(
        _ call: Call, _ method: Method?, _ text: Span<UInt8>, _ caller: Caller, _ now: Instant,
        _ reply: inout SecretBuffer
    ) throws(SecretMemoryError) -> Outcome {
        do throws(Refusal) {
            guard let method else {
                do throws(SecretMemoryError) {
                    try StandardError.notFound(
                        method: call.method,
                        interfaceIsServed: interfaces.servesInterface(
                            ofMethod: call.method, index, text), index, text, &reply)
                } catch { throw .memory(error) }
                return written(.unknownMethod, call, nil, &reply)
            }
            if !caller.may(call: method) { throw .permissionDenied }
            if call.upgrade { throw .invalidParameter("upgrade") }
            switch method {
            case .getToken:
                return try getToken(call, text, now, &reply)
            case .checkExpiry:
                try checkExpiry(call, text, now, &reply)
            case .getStatus:
                try getStatus(call, text, caller, now, &reply)
            case .getAccount:
                try getAccount(call, text, now, &reply)
            case .export:
                try export(call, text, now, &reply)
            case .getInfo, .getInterfaceDescription:
                return try describe(method, call, text, &reply)
            case .listSlots:
                try listSlots(call, text, &reply)
            case .newRecoveryCode:
                try newRecoveryCode(call, text, &reply)
            case .deriveArchiveKey:
                try deriveArchiveKey(call, text, now, &reply)
            case .login, .updateProfile, .logout, .verify, .repair, .lock, .unlock, .addSlot,
                .removeSlot, .rotate, .finishRotation:
                if pending != nil {
                    return Outcome(action: .wait, method: method, verdict: .answered)
                }
                if method == .lock {
                    try lock(call, text, now, &reply)
                } else if let outcome = try begin(method, call, text, caller, now) {
                    if case .change = outcome.action { usedAt = now.boottime }
                    return outcome
                } else {
                    try writeUnchanged(method, &reply)
                }
            }
            return written(.answered, call, method, &reply)
        } catch {
            reply.removeAll()
            try error.told(to: caller.role).write(index, text, &reply)
            if case .wrongKey(let time, _) = error, !call.oneway {
                return Outcome(action: .replyAt(time), method: method, verdict: error.verdict)
            }
            return written(error.verdict, call, method, &reply)
        }
    }

    /// A reply stands in the buffer: it is sent, unless the caller wanted none.
    private func written(
        _ verdict: Verdict, _ call: Call, _ method: Method?, _ reply: inout SecretBuffer
    ) -> Outcome {
        if call.oneway { reply.removeAll() }
        return Outcome(action: call.oneway ? .silence : .reply, method: method, verdict: verdict)
    }

    private mutating func getToken(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) -> Outcome {
        let minimum = try minimumValidity(call, text)
        let remaining = try self.remaining(at: now)
        guard remaining > 0, remaining >= minimum else {
            throw .tokenExpired(
                expiresAt: held?.profile.expiry.expiresAt ?? 0, remaining: remaining)
        }
        usedAt = now.boottime
        return Outcome(
            action: call.oneway ? .silence : .tokenReply, method: .getToken, verdict: .answered)
    }

    private func describe(
        _ method: Method, _ call: Call, _ text: Span<UInt8>, _ reply: inout SecretBuffer
    ) throws(Refusal) -> Outcome {
        let isInfo = method == .getInfo
        do throws(SecretMemoryError) {
            let answered = try interfaces.answer(
                isInfo ? .getInfo : .getInterfaceDescription, call, index, text, &reply)
            return written(answered ? .answered : .invalid, call, method, &reply)
        } catch { throw .memory(error) }
    }

    /// Whose account is held.
    var heldUID: String? {
        held?.profile.uid
    }

    /// Whether a message is a plain query for the token that is answered with the ready-made reply.
    ///
    /// `handle` gives the same answer; this one costs less. False says nothing of the message.
    package mutating func answersPlainly(
        _ text: Span<UInt8>, from role: Role, at now: Instant
    ) -> Bool {
        guard role >= .reader, let call = PlainCall(to: Method.getToken.name, text),
            let remaining = watch?.remaining(at: now)
        else { return false }
        guard remaining > 0, remaining >= call.minimum else { return false }
        usedAt = now.boottime
        return true
    }

    /// Lends the ready-made reply to GetToken, if there is one.
    ///
    /// It changes nothing; but a value of this size that is passed to be read is copied first.
    package mutating func lendTokenReply(_ body: (Span<UInt8>) -> Void) {
        held?.reply.lend(body)
    }

    /// Refuses a stranger's first call, whatever it is.
    package static func refuseStranger(
        _ reply: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try StandardError.permissionDenied(&reply)
    }
}
