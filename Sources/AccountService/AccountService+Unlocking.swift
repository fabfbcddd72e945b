import JSON
import Sealing
import SecretMemory
import Varlink

extension AccountService {
    /// Begins to open the store.
    ///
    /// - Returns: nil where it is open.
    mutating func beginUnlock(
        _ call: Call, _ text: Span<UInt8>, _ caller: Caller, _ now: Instant
    ) throws(Refusal) -> Outcome? {
        var parameters = Parameters(of: call)
        let passphrase = try parameters.string("passphrase", index, text)
        let code = try parameters.string("recovery_code", index, text)
        try parameters.refuseOthers(besides: ["passphrase", "recovery_code"], index, text)
        if passphrase != nil, code != nil {
            throw .invalidField("recovery_code", "is given beside passphrase; give one of them")
        }
        if masterKey != nil, case .damaged(let what) = standing { throw .storeDamaged(what) }
        guard masterKey == nil, standing != .empty else { return nil }

        var change = PendingChange(method: .unlock, isOneway: call.oneway, stage: .unlockReads)
        change.caller = caller.uid
        let next: StoreChange
        if passphrase == nil, code == nil {
            change.opensByItself = true
            next = .read(try roomForKeys(&change))
        } else {
            guard let slots else { throw refusalWithoutSlots }
            let time = penalties.end(of: caller.uid)
            guard time <= now.boottime else {
                return Outcome(action: .waitUntil(time), method: .unlock, verdict: .answered)
            }
            if let passphrase {
                next = try attempt(&change, passphrase: passphrase, slots.slots, text)
            } else if let code {
                next = try attempt(&change, code: code, slots.slots, text, now)
            } else {
                throw Self.confused
            }
        }
        pending = consume change
        return Outcome(action: .change(next), method: .unlock, verdict: .answered)
    }

    private var refusalWithoutSlots: Refusal {
        if case .damaged(let what) = standing { return .storeDamaged(what) }
        return .locked
    }

    private func attempt(
        _ change: inout PendingChange, passphrase node: JSONIndex.Node, _ slots: KeySlots,
        _ text: Span<UInt8>
    ) throws(Refusal) -> StoreChange {
        let passphrase = try self.passphrase(node, text)
        change.parameters = slots.slots.compactMap(\.passphrase)
        guard let first = change.parameters.popLast() else {
            throw .invalidField("passphrase", "opens nothing: this store has no passphrase")
        }
        change.stage = .unlockDerives
        return .derive(try derivation(&change, passphrase, first))
    }

    private mutating func attempt(
        _ change: inout PendingChange, code node: JSONIndex.Node, _ slots: KeySlots,
        _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> StoreChange {
        let code = try recoveryCode(node, text)
        let isOpened = try open(&change, slots, Self.recoverySeed(code, arena))
        guard isOpened else { throw wrongKey(change.caller, now) }
        penalties.forgive(change.caller)
        return .read(try roomForKeys(&change))
    }

    static func recoverySeed(
        _ code: borrowing SecretBytes, _ arena: SecretArena
    ) throws(Refusal) -> SlotSeed {
        do throws(KeySlotsError) {
            return try code.withBytes { bytes throws(KeySlotsError) in
                try SlotSeed.recovery(bytes, arena: arena)
            }
        } catch { throw refusal(sealingError(error)) }
    }

    /// Counts a wrong secret.
    private mutating func wrongKey(_ uid: UInt32, _ now: Instant) -> Refusal {
        let time = penalties.fail(uid, at: now.boottime)
        return .wrongKey(answeredAt: time, retryAfter: penalties.next(of: uid))
    }

    /// Opens the slots, into the change.
    ///
    /// - Returns: whether it is the right secret.
    private func open(
        _ change: inout PendingChange, _ slots: KeySlots, _ seed: borrowing SlotSeed
    ) throws(Refusal) -> Bool {
        do throws(KeySlotsError) {
            change.masterKey = try slots.unlock(seed: seed, arena: arena)
            return true
        } catch .wrongSecret {
            return false
        } catch .noSuchSlot {
            throw .invalidField("recovery_code", "opens nothing: this store has no recovery code")
        } catch .sealing(.memory(let error)) {
            throw .memory(error)
        } catch {
            throw .storeDamaged("keyslots.plist is damaged: its entries do not belong together")
        }
    }

    mutating func goOnUnlocking(
        _ change: inout PendingChange, _ result: StoreResult, _ now: Instant,
        _ reply: inout SecretBuffer
    ) throws(Refusal) -> StoreChange? {
        switch result {
        case .done:
            return try goOnDerived(&change, now)
        case .contents(let contents):
            try take(&change, contents, now)
            switch standing {
            case .present, .empty: try writeNothing(&reply)
            case .locked: throw .locked
            case .damaged(let what): throw .storeDamaged(what)
            }
            return nil
        case .failed(let failure):
            throw .storeFailed(errno: failure.errno, message: failure.message)
        case .borne:
            throw Self.confused
        }
    }

    /// A seed was made of the passphrase: it is tried, and then the next slot's parameters.
    private mutating func goOnDerived(
        _ change: inout PendingChange, _ now: Instant
    ) throws(Refusal) -> StoreChange? {
        guard let derivation = change.derivation, let slots else { throw Self.confused }
        let seed = try self.seed(of: derivation)
        if try open(&change, slots.slots, seed) {
            penalties.forgive(change.caller)
            change.derivation = nil
            change.stage = .unlockReads
            return .read(try roomForKeys(&change))
        }
        guard let next = change.parameters.popLast() else { throw wrongKey(change.caller, now) }
        derivation.prepare(next)
        return .derive(derivation)
    }

    /// Takes over the store's files as they are now, opened with the key that was had.
    private mutating func take(
        _ change: inout PendingChange, _ contents: StoreContents, _ now: Instant
    ) throws(Refusal) {
        guard let keys = change.keys else { throw Self.confused }
        do throws(SecretMemoryError) {
            let found = try diagnose(
                contents, keys, change.masterKey, byItself: change.opensByItself)
            change.masterKey = nil
            try take(found, contents, at: now)
        } catch { throw .memory(error) }
    }

    // MARK: Secrets of calls

    /// A passphrase as it was typed.
    func passphrase(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> SecretBytes {
        let count = index.decodedCount(of: node, in: text)
        guard count > 0 else { throw .invalidField("passphrase", "is empty") }
        guard count <= PassphraseDerivation.maximumSize else {
            throw .invalidField(
                "passphrase", "is longer than \(PassphraseDerivation.maximumSize) bytes")
        }
        return try secret(node, text)
    }

    /// The bytes of a recovery code that somebody has typed.
    func recoveryCode(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> SecretBytes {
        let typed = try secret(node, text)
        do throws(RecoveryCodeError) {
            return try typed.withBytes { bytes throws(RecoveryCodeError) in
                try RecoveryCode.decode(bytes, arena: arena)
            }
        } catch {
            let reason: String
            switch error {
            case .wrongLength(let count):
                reason =
                    "has \(count) letters and digits; a code has \(RecoveryCode.characterCount)"
            case .badCharacter(let position):
                reason = "has a character that no code has, at place \(position)"
            case .wrongChecksum: reason = "was mistyped somewhere: its checksum is wrong"
            case .memory(let error): throw .memory(error)
            }
            throw .invalidField("recovery_code", reason)
        }
    }

    /// A derivation, kept by the change until its seed was tried.
    func derivation(
        _ change: inout PendingChange, _ passphrase: consuming SecretBytes,
        _ parameters: KeySlot.PassphraseParameters
    ) throws(Refusal) -> PassphraseDerivation {
        do throws(SecretMemoryError) {
            let made = try PassphraseDerivation(passphrase, parameters: parameters, arena: arena)
            change.derivation = made
            return made
        } catch { throw .memory(error) }
    }

    func seed(of derivation: PassphraseDerivation) throws(Refusal) -> SlotSeed {
        let seed: SlotSeed?
        do throws(SecretMemoryError) {
            seed = try derivation.seed(in: arena)
        } catch { throw .memory(error) }
        guard let seed else { throw Self.confused }
        return seed
    }
}
