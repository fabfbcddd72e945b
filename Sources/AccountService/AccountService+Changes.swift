import Accounts
import JSON
package import SecretMemory
import Varlink

extension AccountService {
    /// Begins a change.
    ///
    /// - Returns: nil where there is nothing to change, which `writeUnchanged` answers.
    mutating func begin(
        _ method: Method, _ call: Call, _ text: Span<UInt8>, _ caller: Caller, _ now: Instant
    ) throws(Refusal) -> Outcome? {
        switch method {
        case .login: try beginLogin(call, text, now)
        case .updateProfile: try beginProfile(call, text, now)
        case .logout: try beginLogout(call, text, now)
        case .unlock: try beginUnlock(call, text, caller, now)
        case .addSlot: try beginAdding(call, text, now)
        case .removeSlot: try beginRemoving(call, text, now)
        case .rotate: try beginRotation(call, text, now)
        case .finishRotation: try beginFinishing(call, text, now)
        default: try beginReading(method, call, text)
        }
    }

    /// The reply of a change where there is nothing to change.
    func writeUnchanged(_ method: Method, _ reply: inout SecretBuffer) throws(Refusal) {
        if method == .finishRotation {
            try writeRotation(&reply)
        } else {
            try writeNothing(&reply)
        }
    }

    /// Goes on with the change in hand.
    ///
    /// - Returns: the reply to whoever began it, or the next change. To be called once for each
    ///   change that was handed out.
    package mutating func finish(
        _ result: StoreResult, at now: Instant, reply: inout SecretBuffer
    ) -> Outcome {
        guard var change = pending.take() else {
            return Outcome(action: .silence, method: nil, verdict: .failed)
        }
        let method = change.method
        let isOneway = change.isOneway
        do throws(Refusal) {
            if let next = try goOn(&change, result, now, &reply) {
                pending = consume change
                return Outcome(action: .change(next), method: method, verdict: .answered)
            }
            usedAt = now.boottime
            lockIfAsked(at: now)
            if isOneway { reply.removeAll() }
            return Outcome(
                action: isOneway ? .silence : .reply, method: method, verdict: .answered)
        } catch {
            lockIfAsked(at: now)
            return end(method, isOneway, with: error, &reply)
        }
    }

    private func end(
        _ method: Method, _ isOneway: Bool, with refusal: Refusal, _ reply: inout SecretBuffer
    ) -> Outcome {
        reply.removeAll()
        guard !isOneway else {
            return Outcome(action: .silence, method: method, verdict: refusal.verdict)
        }
        do throws(SecretMemoryError) {
            try refusal.writeOwn(&reply)
        } catch {
            reply.removeAll()
            return Outcome(action: .close, method: method, verdict: .failed)
        }
        var action = Outcome.Action.reply
        if case .wrongKey(let time, _) = refusal { action = .replyAt(time) }
        return Outcome(action: action, method: method, verdict: refusal.verdict)
    }

    private mutating func goOn(
        _ change: inout PendingChange, _ result: StoreResult, _ now: Instant,
        _ reply: inout SecretBuffer
    ) throws(Refusal) -> StoreChange? {
        switch (change.stage, result) {
        case (.unlockDerives, _), (.unlockReads, .contents):
            return try goOnUnlocking(&change, result, now, &reply)
        case (.slotsRead, .contents), (.slotsDerive, _), (.slotsSave, _), (.reseals, _),
            (.retiredDrop, _), (.keyFileRemoval, _):
            return try goOnWithSlots(&change, result, now, &reply)
        case (.loginReads, .contents(let contents)):
            guard let keys = change.keys else { throw Self.confused }
            try reload(contents, keys, now)
            let request = try seal(&change, keys, now)
            change.keys = nil
            return .save(request)
        case (.saves, .done):
            install(&change, now)
            try replyWithStored(now, &reply)
        case (.saves, .failed(let failure)):
            if failure.isInPlace { install(&change, now) }
            throw .storeFailed(errno: failure.errno, message: failure.message)
        case (.removes, .done):
            let couldBeOpened = standing == .present
            forget(now)
            if !couldBeOpened, let room = try? roomForKeys(&change) {
                change.stage = .removesReadsAgain
                return .read(room)
            }
            try writeUID(change.uid, &reply)
        case (.removesReadsAgain, let result):
            // The account is gone in any case: what the files say is the next one's concern.
            if case .contents(let contents) = result, let keys = change.keys {
                try? reload(contents, keys, now)
            }
            try writeUID(change.uid, &reply)
        case (.removes, .failed(let failure)):
            if failure.isInPlace { forget(now) }
            throw .storeFailed(errno: failure.errno, message: failure.message)
        case (.verifies, .contents(let contents)):
            guard let keys = change.keys else { throw Self.confused }
            try writeFindings(try examine(contents, keys).findings, &reply)
            if contents.isReplaced { try reload(contents, keys, now) }
        case (.repairReads, .contents(let contents)):
            guard let keys = change.keys else { throw Self.confused }
            let mendings = try examine(contents, keys).mendings(at: now.realtime)
            // That it is another store is said once.
            if contents.isReplaced { try reload(contents, keys, now) }
            guard !mendings.isEmpty else {
                try reload(contents, keys, now)
                try replyWithRepaired(now, &reply)
                return nil
            }
            change.stage = .repairMends
            return .mend(mendings)
        case (.repairMends, .done):
            change.stage = .repairReadsAgain
            return .read(try roomForKeys(&change))
        case (.repairReadsAgain, .contents(let contents)):
            guard let keys = change.keys else { throw Self.confused }
            try reload(contents, keys, now)
            try replyWithRepaired(now, &reply)
        case (_, .failed(let failure)):
            throw .storeFailed(errno: failure.errno, message: failure.message)
        default:
            throw Self.confused
        }
        return nil
    }

    /// Room for what opens the store by itself, kept by the change until the store was read.
    func roomForKeys(_ change: inout PendingChange) throws(Refusal) -> StoreKeys {
        do throws(SecretMemoryError) {
            let room = try StoreKeys(arena: arena)
            change.keys = room
            return room
        } catch { throw .memory(error) }
    }

    private mutating func beginReading(
        _ method: Method, _ call: Call, _ text: Span<UInt8>
    ) throws(Refusal) -> Outcome {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        var change = PendingChange(
            method: method, isOneway: call.oneway,
            stage: method == .verify ? .verifies : .repairReads)
        let room = try roomForKeys(&change)
        pending = consume change
        return Outcome(action: .change(.read(room)), method: method, verdict: .answered)
    }

    private mutating func beginLogout(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> Outcome {
        var parameters = Parameters(of: call)
        let wanted = try parameters.string("if_uid", index, text)
        try parameters.refuseOthers(besides: ["if_uid"], index, text)
        switch standing {
        case .empty: throw .noAccount
        case .present: break
        case .locked: if wanted != nil { throw .locked }
        case .damaged(let what): if wanted != nil { throw .storeDamaged(what) }
        }
        var change = PendingChange(method: .logout, isOneway: call.oneway, stage: .removes)
        if let uid = held?.profile.uid {
            if let wanted, !index.string(wanted, equals: uid.utf8.span, in: text) {
                throw .accountExists(uid)
            }
            change.uid = uid
        }
        pending = consume change
        return Outcome(action: .change(.remove), method: .logout, verdict: .answered)
    }

    /// What was saved takes effect.
    private mutating func install(_ change: inout PendingChange, _ now: Instant) {
        hold(change.next.take(), at: now)
        if let key = change.masterKey.take() { opened(with: key, at: now) }
        if let written = change.slots { slots = written }
        standing = .present
    }

    /// What was removed takes effect.
    ///
    /// Slots and key stay: the next login uses them.
    private mutating func forget(_ now: Instant) {
        hold(nil, at: now)
        switch standing {
        case .present, .empty: standing = .empty
        // What stood in the way of the account may stand in the way of the next one too.
        case .locked: break
        case .damaged: if masterKey != nil, slots?.isInPlace == true { standing = .empty }
        }
    }

    mutating func reload(
        _ contents: StoreContents, _ keys: StoreKeys, _ now: Instant
    ) throws(Refusal) {
        do throws(SecretMemoryError) {
            try load(contents, keys, at: now)
        } catch { throw .memory(error) }
    }

    private func examine(
        _ contents: StoreContents, _ keys: StoreKeys
    ) throws(Refusal) -> Diagnosis {
        do throws(SecretMemoryError) {
            return try diagnose(contents, keys, masterKey, sparingHeld: true)
        } catch { throw .memory(error) }
    }

    /// The account that has just become durable: where the reply does not fit, that is said too.
    private mutating func replyWithStored(
        _ now: Instant, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        do throws(Refusal) {
            try replyWithAccount(now, &reply)
        } catch {
            guard case .memory = error else { throw error }
            throw .storeFailed(
                errno: Refusal.outOfMemory,
                message: "the account is stored, but the daemon's secret memory has no room for "
                    + "the reply")
        }
    }

    private func writeUID(
        _ uid: String?, _ out: inout SecretBuffer
    ) throws(Refusal) {
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&out)
            try writer.field("uid", optional: uid, &out)
            try writer.end(&out)
        } catch { throw .memory(error) }
    }

    private func writeFindings(
        _ findings: [String], _ out: inout SecretBuffer
    ) throws(Refusal) {
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&out)
            try writer.field("findings", findings, &out)
            try writer.end(&out)
        } catch { throw .memory(error) }
    }

    private mutating func replyWithRepaired(
        _ now: Instant, _ out: inout SecretBuffer
    ) throws(Refusal) {
        switch standing {
        case .present: try replyWithAccount(now, &out)
        case .empty: try writeNothing(&out)
        case .locked: throw .locked
        case .damaged(let what): throw .storeDamaged(what)
        }
    }

    /// A result that does not fit the change: a fault of the program, answered and survived.
    static var confused: Refusal {
        .storeFailed(errno: 5, message: "the store's worker gave an answer that was not asked for")
    }
}
