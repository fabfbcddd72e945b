import Accounts
import JSON
import Sealing
import SecretMemory
import Varlink

extension AccountService {
    mutating func beginLogin(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> Outcome {
        var parameters = Parameters(of: call)
        let token = try parameters.string("access_token", index, text)
        let uid = try parameters.string("uid", index, text)
        let refreshToken = try parameters.string("refresh_token", index, text)
        let screenName = try parameters.string("screen_name", index, text)
        let avatar = try parameters.string("avatar_large", index, text)
        let expiresIn = try parameters.integer("expires_in", index, text)
        let issuedAt = try parameters.integer("issued_at", index, text)
        let expiresAt = try parameters.integer("expires_at", index, text)
        let replaces = try parameters.boolean("replace", index, text) ?? false
        try parameters.refuseOthers(
            besides: [
                "access_token", "uid", "refresh_token", "screen_name", "avatar_large",
                "expires_in", "issued_at", "expires_at", "replace",
            ], index, text)
        guard let token else { throw .invalidParameter("access_token") }
        guard let uid else { throw .invalidParameter("uid") }

        var account = UserAccount(
            accessToken: try self.token("access_token", token, text),
            uid: try string("uid", uid, text) { AccountField.check(uid: $0) },
            expiry: try expiry(expiresIn, issuedAt, expiresAt, now))
        if let refreshToken {
            account.refreshToken = try self.token("refresh_token", refreshToken, text)
        }
        try setProfile(&account, screenName, avatar, text)

        var change = PendingChange(method: .login, isOneway: call.oneway, stage: .loginReads)
        change.replaces = replaces
        change.keepsScreenName = screenName == nil
        change.keepsAvatar = avatar == nil
        change.candidate = consume account
        let next: StoreChange
        if masterKey == nil {
            // The key may have come, or come back, since the store was read.
            next = .read(try roomForKeys(&change))
        } else {
            next = .save(try seal(&change, nil, now))
        }
        pending = consume change
        return Outcome(action: .change(next), method: .login, verdict: .answered)
    }

    mutating func beginProfile(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> Outcome {
        var parameters = Parameters(of: call)
        let screenName = try parameters.string("screen_name", index, text)
        let avatar = try parameters.string("avatar_large", index, text)
        try parameters.refuseOthers(besides: ["screen_name", "avatar_large"], index, text)
        _ = try remaining(at: now)
        var change = PendingChange(method: .updateProfile, isOneway: call.oneway, stage: .saves)
        do throws(SecretMemoryError) {
            change.candidate = try held?.copyAccount(arena: arena)
        } catch { throw .memory(error) }
        guard var account = change.candidate.take() else { throw .noAccount }
        try setProfile(&account, screenName, avatar, text)
        change.candidate = consume account
        let request = try seal(&change, nil, now)
        pending = consume change
        return Outcome(action: .change(.save(request)), method: .updateProfile, verdict: .answered)
    }

    /// Decides whether the account in hand may take the place of what is stored, and seals it.
    ///
    /// - Parameter keys: what opens the store by itself, where the store was read for this login.
    func seal(
        _ change: inout PendingChange, _ keys: StoreKeys?, _ now: Instant
    ) throws(Refusal) -> SaveRequest {
        let keepsPrevious = try mayReplace(change.candidate?.uid, change.replaces)
        if change.method == .login, keepsPrevious, !change.replaces,
            let expiry = change.candidate?.expiry
        {
            try refuseExpired(expiry, now)
        }
        if keepsPrevious, let held {
            // A token response seldom names the user, who is the same all the same.
            if change.keepsScreenName { change.candidate?.screenName = held.profile.screenName }
            if change.keepsAvatar { change.candidate?.avatarLarge = held.profile.avatarLarge }
        }
        change.stage = .saves
        var request = SaveRequest(
            account: [], previous: keepsPrevious ? held?.file : nil, time: now.realtime)
        if masterKey == nil {
            guard let keys else { throw Self.confused }
            try makeKey(&change, &request, keys, now)
        } else if let slots {
            if slots.isInPlace {
                request.expectedSlots = slots.bytes
            } else {
                // They come from their copy; without them the account would be shut after a restart.
                request.setsSlotsAsideAt = now.realtime
                request.slots = slots.bytes
                change.slots = slots.written
            }
        }
        request.account = try sealed(change.candidate, change.masterKey)
        change.next = try hold(change.candidate.take(), request.account)
        return request
    }

    /// Whether an account may take the place of what is stored; throws where it may not.
    ///
    /// - Returns: whether what is stored stays as the previous generation.
    private func mayReplace(_ uid: String?, _ replaces: Bool) throws(Refusal) -> Bool {
        switch standing {
        case .empty: return false
        case .present:
            let stored = heldUID ?? ""
            if stored == uid { return true }
            guard replaces else { throw .accountExists(stored) }
        case .locked: guard replaces else { throw .locked }
        case .damaged(let what): guard replaces else { throw .storeDamaged(what) }
        }
        return false
    }

    /// A token that has expired takes no good one's place unasked: it comes from a response that lay
    /// about, more often than not.
    private func refuseExpired(_ expiry: Expiry, _ now: Instant) throws(Refusal) {
        guard expiry.isExpired(at: now.realtime), let held,
            !held.profile.expiry.isExpired(at: now.realtime)
        else { return }
        throw .invalidField(
            "expires_at",
            "has passed, and the token that is stored is still good (with replace it is stored all "
                + "the same)")
    }

    func sealed(
        _ account: borrowing UserAccount?, _ made: borrowing MasterKey?
    ) throws(Refusal) -> [UInt8] {
        do throws(SealingError) {
            let key = try sealingKey(made)
            switch account {
            case .some(let account): return try Self.seal(account, key.bytes, key.id, arena)
            case .none: throw .cannotOpen
            }
        } catch { throw Self.refusal(error) }
    }

    func hold(
        _ account: consuming UserAccount?, _ file: [UInt8]
    ) throws(Refusal) -> HeldAccount {
        guard let account else { throw Self.confused }
        do throws(SecretMemoryError) {
            return try HeldAccount(account, file: file, arena: arena)
        } catch { throw .memory(error) }
    }

    private struct SealingKey: ~Copyable {
        let bytes: SecretBytes
        let id: MasterKeyID
    }

    /// The account key of a master key that was just made, else of the store's own.
    private func sealingKey(
        _ made: borrowing MasterKey?
    ) throws(SealingError) -> SealingKey {
        switch made {
        case .some(let made):
            return SealingKey(bytes: try made.accountKey(in: arena), id: made.id)
        case .none: break
        }
        switch masterKey {
        case .some(let own): return SealingKey(bytes: try own.accountKey(in: arena), id: own.id)
        case .none: throw .cannotOpen
        }
    }

    private static func seal(
        _ account: borrowing UserAccount, _ key: borrowing SecretBytes, _ id: MasterKeyID,
        _ arena: SecretArena
    ) throws(SealingError) -> [UInt8] {
        let plaintext: SecretBuffer
        do throws(AccountError) {
            plaintext = try account.encode(arena: arena)
        } catch {
            // The values were checked: nothing but room can have been missing.
            throw .memory(.exhausted)
        }
        return try plaintext.withBytes { bytes throws(SealingError) in
            try SealedFile.seal(bytes, under: key, keyID: id, arena: arena)
        }
    }

    /// A new master key with one slot, for the service manager's credential where there is one, else
    /// for the key file, which is made if there is none.
    private func makeKey(
        _ change: inout PendingChange, _ request: inout SaveRequest, _ keys: StoreKeys,
        _ now: Instant
    ) throws(Refusal) {
        let kind: KeySlot.Kind = keys.credential.finding == .absent ? .keyfile : .credential
        let seed = try ownSeed(kind, keys, &request.keyFile)
        do throws(SealingError) {
            let masterKey = try MasterKey.random(in: arena)
            let slots = try Self.slots(for: masterKey, seed, now, arena)
            let bytes = try Self.serialized(slots, arena)
            if standing == .empty {
                request.slots = bytes
            } else {
                // Those that stand there count until the account does.
                request.nextSlots = bytes
            }
            change.slots = StoredSlots(slots: slots, bytes: bytes, isInPlace: true)
            change.masterKey = consume masterKey
        } catch { throw Self.refusal(error) }
    }

    /// The seed of what opens the store by itself.
    ///
    /// - Parameter made: gets a key file that is not there yet.
    func ownSeed(
        _ kind: KeySlot.Kind, _ keys: StoreKeys, _ made: inout SecretLoan?
    ) throws(Refusal) -> SlotSeed {
        let key = kind == .credential ? keys.credential : keys.keyFile
        if case .unusable(let errno, let reason) = key.finding {
            throw .storeFailed(errno: errno, message: reason)
        }
        do throws(SealingError) {
            if key.finding == .absent {
                let fresh = try Self.randomKeyFile(arena)
                key.fill { room in
                    fresh.withBytes { room.copy(from: $0) }
                    return .read
                }
                made = SecretLoan(fresh)
            }
            return try Self.seed(kind, key, arena)
        } catch { throw Self.refusal(error) }
    }

    private static func seed(
        _ kind: KeySlot.Kind, _ key: KeyFileReading, _ arena: SecretArena
    ) throws(SealingError) -> SlotSeed {
        do throws(KeySlotsError) {
            return try key.withBytes { bytes throws(KeySlotsError) in
                kind == .credential
                    ? try SlotSeed.credential(bytes, arena: arena)
                    : try SlotSeed.keyfile(bytes, arena: arena)
            }
        } catch { throw Self.sealingError(error) }
    }

    static func slots(
        for masterKey: borrowing MasterKey, _ seed: borrowing SlotSeed, _ now: Instant,
        _ arena: SecretArena
    ) throws(SealingError) -> KeySlots {
        do throws(KeySlotsError) {
            return try KeySlots.create(
                masterKey: masterKey, seed: seed, created: creation(now), arena: arena)
        } catch { throw Self.sealingError(error) }
    }

    /// When a slot is made now: a clock that stands where no date can be written must not shut the
    /// store.
    static func creation(_ now: Instant) -> Int64 {
        min(max(0, now.realtime), AccountField.latestTime)
    }

    static func serialized(
        _ slots: KeySlots, _ arena: SecretArena
    ) throws(SealingError) -> [UInt8] {
        do throws(KeySlotsError) {
            return try slots.serialize(arena: arena)
        } catch { throw Self.sealingError(error) }
    }

    private static func randomKeyFile(
        _ arena: SecretArena
    ) throws(SealingError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes.random(KeyFileReading.size, in: arena)
        } catch { throw .memory(error) }
    }

    static func sealingError(_ error: KeySlotsError) -> SealingError {
        if case .sealing(let inner) = error { return inner }
        return .cannotOpen
    }

    static func refusal(_ error: SealingError) -> Refusal {
        if case .memory(let inner) = error { return .memory(inner) }
        return .storeFailed(errno: 5, message: "the account could not be sealed")
    }
}
