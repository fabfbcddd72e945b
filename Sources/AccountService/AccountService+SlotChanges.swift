import Sealing
import SecretMemory

// A change of the slots, step by step. Each step is durable before the next begins, and the store opens
// after each as it did: new slots keep the earlier master key, wrapped, until nothing is sealed by it.
//
//     read → (derive) → save the slots → seal the account anew → forget earlier keys → remove the key
//     file
extension AccountService {
    mutating func goOnWithSlots(
        _ change: inout PendingChange, _ result: StoreResult, _ now: Instant,
        _ reply: inout SecretBuffer
    ) throws(Refusal) -> StoreChange? {
        if case .failed(let failure) = result { throw failed(&change, failure, now) }
        do throws(Refusal) {
            if let next = try step(&change, result, now) { return next }
            try writeSlotReply(change, &reply)
            return nil
        } catch {
            guard change.slotChange.isInEffect, case .memory = error else { throw error }
            throw .storeFailed(
                errno: Refusal.outOfMemory,
                message: "the slots are changed, but the daemon's secret memory has no room for "
                    + "the rest; `account doctor` says what is left to do")
        }
    }

    private mutating func step(
        _ change: inout PendingChange, _ result: StoreResult, _ now: Instant
    ) throws(Refusal) -> StoreChange? {
        let next: StoreChange?
        switch (change.stage, result) {
        case (.slotsRead, .contents(let contents)):
            try takeOver(contents, change, now)
            next = try begin(&change, now)
        case (.slotsDerive, .done):
            guard let derivation = change.derivation else { throw Self.confused }
            change.derivation = nil
            let seed = try self.seed(of: derivation)
            next = try save(&change, seed, nil, now)
        case (.slotsSave, .done):
            installSlots(&change, now)
            next = try afterSlots(&change, now)
        case (.reseals, .done):
            installResealed(&change, now)
            next = try dropRetired(&change, now)
        case (.retiredDrop, .borne(let borne)):
            next = try afterBorne(&change, borne, now)
        case (.retiredDrop, .done):
            if let written = change.slots { slots = written }
            if !change.slotChange.makesRoom { change.slotChange.isInEffect = true }
            next = try afterDropping(&change, now)
        case (.keyFileRemoval, .done):
            next = nil
        default:
            throw Self.confused
        }
        return next
    }

    /// The store was read for what opens it by itself.
    ///
    /// It may be another one by now, or one where there was none.
    private mutating func takeOver(
        _ contents: StoreContents, _ change: borrowing PendingChange, _ now: Instant
    ) throws(Refusal) {
        guard contents.isReplaced || masterKey == nil else { return }
        guard let keys = change.keys else { throw Self.confused }
        try reload(contents, keys, now)
        try requireOpen(orEmpty: true)
    }

    /// What opens the store by itself is known now.
    private mutating func begin(
        _ change: inout PendingChange, _ now: Instant
    ) throws(Refusal) -> StoreChange? {
        guard let kind = change.slotChange.kind, let keys = change.keys else {
            throw Self.confused
        }
        switch kind {
        case .passphrase:
            guard let derivation = change.derivation else { throw Self.confused }
            if !change.slotChange.keepsKeyFile { try replaceKeyFiles(&change, keys) }
            change.stage = .slotsDerive
            return .derive(derivation)
        case .recovery:
            guard let code = change.recoveryCode.take() else { throw Self.confused }
            let seed = try Self.recoverySeed(code, arena)
            // A code that opened two slots would go on opening the store when one of them is removed.
            if slots?.slots.slots.contains(where: { seed.opens($0) }) == true {
                throw .invalidField("recovery_code", "opens the store already")
            }
            return try save(&change, seed, nil, now)
        case .credential, .keyfile:
            if kind == .credential, keys.credential.finding == .absent {
                throw .invalidField(
                    "kind", "is credential, and the service manager passed none named accountd.key")
            }
            var made: SecretLoan?
            let seed = try ownSeed(kind, keys, &made)
            if slots?.slots.slots.contains(where: { seed.opens($0) }) == true {
                throw .invalidField("kind", "is \(kind.rawValue), and a slot for it is there")
            }
            return try save(&change, seed, made, now)
        }
    }

    /// A passphrase takes the place of key files; the daemon's own is removed at the end.
    private func replaceKeyFiles(
        _ change: inout PendingChange, _ keys: StoreKeys
    ) throws(Refusal) {
        let replaced = slots?.slots.slots.filter { $0.kind == .keyfile } ?? []
        change.slotChange.removed = replaced
        change.slotChange.rotates = !replaced.isEmpty
        guard !replaced.isEmpty, keys.keyFile.finding == .read else { return }
        var made: SecretLoan?
        let seed = try ownSeed(.keyfile, keys, &made)
        change.slotChange.removesKeyFile = replaced.contains { seed.opens($0) }
    }

    private mutating func save(
        _ change: inout PendingChange, _ seed: consuming SlotSeed, _ keyFile: SecretLoan?,
        _ now: Instant
    ) throws(Refusal) -> StoreChange {
        change.keys = nil
        change.stage = .slotsSave
        var request: SlotsRequest
        if let slots {
            request = try changedSlots(&change, slots, seed, now)
        } else {
            request = try firstSlots(&change, seed, now)
        }
        request.keyFile = keyFile
        return .saveSlots(request)
    }

    /// The slots of a store in which nothing is stored yet.
    private func firstSlots(
        _ change: inout PendingChange, _ seed: consuming SlotSeed, _ now: Instant
    ) throws(Refusal) -> SlotsRequest {
        do throws(SealingError) {
            let masterKey = try MasterKey.random(in: arena)
            let slots = try Self.slots(for: masterKey, seed, now, arena)
            let bytes = try Self.serialized(slots, arena)
            change.slots = StoredSlots(slots: slots, bytes: bytes, isInPlace: true)
            change.masterKey = consume masterKey
            change.slotChange.added = slots.slots.first
            return SlotsRequest(expected: nil, slots: bytes, time: now.realtime)
        } catch { throw Self.refusal(error) }
    }

    /// The slots with what the change adds and removes, under another master key where it rotates.
    func changedSlots(
        _ change: inout PendingChange, _ stored: StoredSlots, _ seed: consuming SlotSeed?,
        _ now: Instant
    ) throws(Refusal) -> SlotsRequest {
        guard stored.isInPlace else { throw Self.confused }
        var list = stored.slots
        switch masterKey {
        case .none: throw .locked
        case .some(let masterKey):
            do throws(KeySlotsError) {
                if let seed {
                    let id = try list.addSlot(
                        seed: seed, created: Self.creation(now), masterKey: masterKey,
                        arena: arena)
                    change.slotChange.added = list.slots.first { $0.id == id }
                }
                for slot in change.slotChange.removed {
                    try list.removeSlot(slot.id, masterKey: masterKey, arena: arena)
                }
                if change.slotChange.rotates {
                    change.masterKey = try Self.rotated(&list, from: masterKey, arena)
                }
            } catch { throw Self.refusal(of: error) }
        }
        let bytes: [UInt8]
        do throws(SealingError) {
            bytes = try Self.serialized(list, arena)
        } catch { throw Self.refusal(error) }
        change.slots = StoredSlots(slots: list, bytes: bytes, isInPlace: true)
        return SlotsRequest(expected: stored.bytes, slots: bytes, time: now.realtime)
    }

    private static func rotated(
        _ list: inout KeySlots, from masterKey: borrowing MasterKey, _ arena: SecretArena
    ) throws(KeySlotsError) -> MasterKey {
        let next: MasterKey
        do throws(SealingError) {
            next = try MasterKey.random(in: arena)
        } catch { throw .sealing(error) }
        try list.rotate(from: masterKey, to: next, arena: arena)
        return next
    }

    static func refusal(of error: KeySlotsError) -> Refusal {
        switch error {
        case .lastSlot: .lastSlot
        case .tooManySlots: .tooManySlots
        case .tooManyRetiredKeys: .tooManyRetiredKeys
        case .sealing(.memory(let error)): .memory(error)
        case .noSuchSlot, .wrongSecret, .damaged, .sealing:
            .storeDamaged("keyslots.plist is damaged: its entries do not belong together")
        }
    }

    // MARK: What was written takes effect

    private mutating func installSlots(_ change: inout PendingChange, _ now: Instant) {
        change.slotChange.isInEffect = true
        if let written = change.slots { slots = written }
        if let key = change.masterKey.take() { opened(with: key, at: now) }
    }

    private mutating func installResealed(_ change: inout PendingChange, _ now: Instant) {
        hold(change.next.take(), at: now)
    }

    mutating func afterSlots(
        _ change: inout PendingChange, _ now: Instant
    ) throws(Refusal) -> StoreChange? {
        // What an earlier change has left to do is done with this one.
        guard let held, change.slotChange.rotates || !isSealedByCurrent(held.file) else {
            return try dropRetired(&change, now)
        }
        return try reseal(&change, now)
    }

    private mutating func reseal(
        _ change: inout PendingChange, _ now: Instant
    ) throws(Refusal) -> StoreChange {
        // It goes with that.
        change.slotChange.removesSpare = false
        change.stage = .reseals
        return .save(try resealed(&change, now))
    }

    /// Files are sealed by earlier master keys.
    private mutating func afterBorne(
        _ change: inout PendingChange, _ borne: BorneKeys, _ now: Instant
    ) throws(Refusal) -> StoreChange? {
        guard held != nil, change.slotChange.removesSpare, borne.bySpare else {
            return try dropRetired(&change, now, besides: borne.ids)
        }
        // A rotation was cut off after it had sealed the account anew, and before it had removed the
        // spare: with the account the step is done again.
        change.slotChange.droppable = []
        return try reseal(&change, now)
    }

    private func isSealedByCurrent(_ file: [UInt8]) -> Bool {
        (try? SealedFile.header(of: file.span).keyID) == slots?.slots.current
    }

    /// The account sealed by the new master key; its previous generation goes.
    private func resealed(
        _ change: inout PendingChange, _ now: Instant
    ) throws(Refusal) -> SaveRequest {
        do throws(SecretMemoryError) {
            change.candidate = try held?.copyAccount(arena: arena)
        } catch { throw .memory(error) }
        var request = SaveRequest(account: [], previous: nil, time: now.realtime)
        request.expectedSlots = slots?.bytes
        request.account = try sealed(change.candidate, nil)
        change.next = try hold(change.candidate.take(), request.account)
        return request
    }

    /// Forgets the earlier master keys that nothing is sealed by, as far as the worker does not say
    /// otherwise.
    private mutating func dropRetired(
        _ change: inout PendingChange, _ now: Instant, besides borne: [MasterKeyID] = []
    ) throws(Refusal) -> StoreChange? {
        guard let stored = slots else { throw Self.confused }
        let before = change.slotChange.droppable
        let candidates = before.isEmpty ? stored.slots.retired.map(\.id) : before
        let ids = candidates.filter { !borne.contains($0) }
        // Each answer names at least one of them, so that this comes to an end.
        guard !ids.isEmpty, before.isEmpty || ids.count < before.count else {
            return try afterDropping(&change, now)
        }
        change.stage = .retiredDrop
        change.slotChange.droppable = ids
        var list = stored.slots
        switch masterKey {
        case .none: throw .locked
        case .some(let masterKey):
            do throws(KeySlotsError) {
                for id in ids {
                    try list.dropRetiredKey(id, masterKey: masterKey, arena: arena)
                }
            } catch { throw Self.refusal(of: error) }
        }
        let bytes: [UInt8]
        do throws(SealingError) {
            bytes = try Self.serialized(list, arena)
        } catch { throw Self.refusal(error) }
        change.slots = StoredSlots(slots: list, bytes: bytes, isInPlace: true)
        return .dropRetiredKeys(
            RetiredKeysRequest(
                ids: ids, expected: stored.bytes, slots: bytes, time: now.realtime))
    }

    /// What could be forgotten is.
    private mutating func afterDropping(
        _ change: inout PendingChange, _ now: Instant
    ) throws(Refusal) -> StoreChange? {
        guard change.slotChange.makesRoom else { return removeKeyFile(&change) }
        guard let slots else { throw Self.confused }
        change.slotChange.makesRoom = false
        change.slotChange.droppable = []
        change.stage = .slotsSave
        return .saveSlots(try changedSlots(&change, slots, nil, now))
    }

    /// A rotation where there are as many earlier master keys as there may be: those of them that
    /// nothing is sealed by are forgotten first.
    mutating func makeRoom(
        _ change: inout PendingChange, _ now: Instant
    ) throws(Refusal) -> StoreChange {
        change.slotChange.makesRoom = true
        guard let next = try afterSlots(&change, now) else { throw Self.confused }
        return next
    }

    private func removeKeyFile(_ change: inout PendingChange) -> StoreChange? {
        guard change.slotChange.removesKeyFile else { return nil }
        change.slotChange.removesKeyFile = false
        change.stage = .keyFileRemoval
        return .removeKeyFile
    }

    /// A step failed: what stands is in effect, and the answer says what is left to do.
    private mutating func failed(
        _ change: inout PendingChange, _ failure: StoreFailure, _ now: Instant
    ) -> Refusal {
        let left: String
        switch change.stage {
        case .slotsSave:
            guard failure.isInPlace else {
                return .storeFailed(errno: failure.errno, message: failure.message)
            }
            installSlots(&change, now)
            left = "the slots are changed, but a power cut may bring back those before"
        case .reseals:
            if failure.isInPlace { installResealed(&change, now) }
            if !change.slotChange.isInEffect {
                return .storeFailed(errno: failure.errno, message: failure.message)
            }
            left = "the slots are changed; `account key rotate` seals the account anew"
        case .retiredDrop:
            if failure.isInPlace, let written = change.slots { slots = written }
            if !change.slotChange.isInEffect {
                return .storeFailed(errno: failure.errno, message: failure.message)
            }
            left = "the slots are changed; `account key rotate` forgets the earlier master key"
        case .keyFileRemoval:
            left = "the slots are changed; the key file opens nothing any more"
        default:
            return .storeFailed(errno: failure.errno, message: failure.message)
        }
        return .storeFailed(errno: failure.errno, message: "\(failure.message); \(left)")
    }
}
