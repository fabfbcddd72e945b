import Accounts
import PropertyList
import Sealing
package import SecretMemory

extension AccountService {
    /// The longest account that is decoded, in bytes of padded plaintext: the longest tokens, names
    /// and the rest with room to spare.
    static let maximumPlaintext = 65_536

    /// Takes over what the store's files hold, in place of whatever was held.
    ///
    /// - Throws: when secret memory is full; what was held is held still.
    package mutating func load(
        _ contents: StoreContents, _ keys: StoreKeys, at now: Instant
    ) throws(SecretMemoryError) {
        try take(try diagnose(contents, keys, masterKey), contents, at: now)
    }

    /// Takes over what was found.
    mutating func take(
        _ diagnosis: consuming Diagnosis, _ contents: StoreContents, at now: Instant
    ) throws(SecretMemoryError) {
        var found = diagnosis
        var next: HeldAccount?
        if let account = found.account.take(), case .bytes(let file) = contents.account {
            next = try HeldAccount(account, file: file, arena: arena)
        }
        hold(next, at: now)
        standing = found.standing
        slots = found.slots
        if let key = found.masterKey.take() {
            opened(with: key, at: now)
        } else {
            masterKey = nil
        }
        let mendings = found.unfinished(at: now.realtime)
        unfinished = mendings.isEmpty ? nil : .mend(mendings)
    }

    /// What keeps the store from serving; nil when nothing does.
    ///
    /// A sentence.
    package var trouble: String? {
        switch standing {
        case .empty, .present: nil
        case .locked:
            switch slots?.slots.protection.first {
            case "keyfile": "locked: \(surroundings.keyFilePath) does not open the store"
            case "credential": "locked: the credential accountd.key does not open the store"
            default: "locked until `account unlock`"
            }
        case .damaged(let what): what
        }
    }

    /// Judges the store's files.
    ///
    /// - Parameters:
    ///   - masterKey: one that is held, or was just had from a passphrase.
    ///   - sparingHeld: whether the account that is held counts as the best spare.
    ///   - byItself: whether what opens the store by itself does so even though the store was locked
    ///     on purpose.
    ///
    /// - Throws: when secret memory is full, which says nothing about the files.
    func diagnose(
        _ contents: StoreContents, _ keys: StoreKeys, _ masterKey: borrowing MasterKey?,
        sparingHeld: Bool = false, byItself: Bool = false
    ) throws(SecretMemoryError) -> Diagnosis {
        var found = Diagnosis(findings: contents.findings)
        guard let usable = try judgeSlots(contents, &found) else { return found }
        found.slots = usable
        try open(usable.slots, with: masterKey, &found)
        // Another store may have come into the place of the one that was locked.
        if byItself || !isLockedOnPurpose || usable.slots.cannotBeLocked {
            try openByItself(usable.slots, keys, &found)
        }
        guard found.masterKey != nil else {
            found.staysLocked(usable.slots)
            return found
        }
        found.lists(retired: usable.slots.retired.count)
        try judgeAccount(contents, usable.slots, sparingHeld ? held : nil, &found)
        return found
    }

    /// Chooses the slots to open the store with; nil where there are none.
    private func judgeSlots(
        _ contents: StoreContents, _ found: inout Diagnosis
    ) throws(SecretMemoryError) -> StoredSlots? {
        let parsed = try parse(contents.slots)
        if let next = try judgeNextSlots(contents, parsed, &found) { return next }
        let copy = try parse(contents.slotsCopy)
        switch (parsed, copy) {
        case (.good(let slots, let bytes), let copy):
            let stored = StoredSlots(slots: slots, bytes: bytes, isInPlace: true)
            if case .good(_, bytes) = copy { return stored }
            let how =
                switch copy {
                case .absent: "is missing"
                case .bad(let reason): reason
                case .good: "differs from keyslots.plist"
                }
            found.findings.append(
                "keyslots.plist~ \(how); `account doctor --repair` makes it again")
            found.mend(.slotsCopy, with: bytes, settingAside: false)
            return stored
        case (.bad(let reason), .good(let slots, let bytes)):
            found.damaged(
                "keyslots.plist \(reason); `account doctor --repair` brings it back from its copy")
            found.mend(.slots, with: bytes, settingAside: true)
            return StoredSlots(slots: slots, bytes: bytes, isInPlace: false)
        case (.absent, .good(let slots, let bytes)):
            // A first login that did not finish leaves the copy alone, and nothing sealed.
            guard contents.hasSealedFiles else { return nil }
            found.damaged(
                "keyslots.plist is missing; `account doctor --repair` brings it back from its copy")
            found.mend(.slots, with: bytes, settingAside: false)
            return StoredSlots(slots: slots, bytes: bytes, isInPlace: false)
        case (.bad(let reason), _):
            found.damaged(
                "keyslots.plist \(reason), and there is no good copy: "
                    + "`account login --replace` begins anew and keeps it aside")
        case (.absent, _):
            guard contents.hasSealedFiles else { return nil }
            found.damaged(
                "keyslots.plist is missing, and there is no good copy, though sealed files are "
                    + "there: put it back, or `account login --replace` begins anew")
        }
        return nil
    }

    /// The slots of a store that was begun anew, where its account stands already.
    ///
    /// What decides is the account's own header: its rename is the moment at which the new store
    /// takes the place of the old one. docs/FORMAT.md, "Writing"
    private func judgeNextSlots(
        _ contents: StoreContents, _ slots: Diagnosis.Slots, _ found: inout Diagnosis
    ) throws(SecretMemoryError) -> StoredSlots? {
        guard case .bytes = contents.nextSlots else { return nil }
        let next = try parse(contents.nextSlots)
        let id: MasterKeyID?
        switch contents.account {
        case .absent: id = nil
        case .bytes(let file): id = try? SealedFile.header(of: file.span).keyID
        // It may be the one that they open.
        case .unreadable: return nil
        }
        switch (next, slots) {
        case (.good(let next, let bytes), _) where next.current == id:
            found.finish(.adoption(of: bytes))
            // Whoever stores an account finishes this first: see `SaveRequest.expectedSlots`.
            return StoredSlots(slots: next, bytes: bytes, isInPlace: true)
        case (.good, _): found.finish(.slotsOfNoAccount)
        case (_, .good(let slots, _)) where id.map(slots.holds) ?? true:
            found.finish(.slotsOfNoAccount)
        // Damaged, and perhaps all that could have opened the account.
        default: break
        }
        return nil
    }

    private func parse(
        _ file: StoreContents.File
    ) throws(SecretMemoryError) -> Diagnosis.Slots {
        switch file {
        case .absent: return .absent
        case .unreadable(let why): return .bad(why)
        case .bytes(let bytes):
            do throws(KeySlotsError) {
                return .good(try KeySlots.parse(bytes.span, arena: arena), bytes)
            } catch .sealing(.memory(let error)) {
                throw error
            } catch .sealing(.unsupportedVersion) {
                return .bad("was written by a later version of accountd")
            } catch {
                return .bad("is damaged")
            }
        }
    }

    /// Opens the slots with a master key that is known already, if it is theirs.
    private func open(
        _ slots: KeySlots, with masterKey: borrowing MasterKey?, _ found: inout Diagnosis
    ) throws(SecretMemoryError) {
        switch masterKey {
        case .none: return
        case .some(let masterKey):
            do throws(KeySlotsError) {
                try slots.verify(under: masterKey, arena: arena)
            } catch .sealing(.memory(let error)) {
                throw error
            } catch .sealing {
                // Another store stands there now.
                return
            } catch {
                found.damaged("keyslots.plist is damaged: its entries do not belong together")
                return
            }
            found.masterKey = try masterKey.copy(in: arena)
        }
    }

    /// Opens the slots with what needs nobody, and says why that does not open them.
    private func openByItself(
        _ slots: KeySlots, _ keys: StoreKeys, _ found: inout Diagnosis
    ) throws(SecretMemoryError) {
        let kinds = slots.slots.map(\.kind)
        if kinds.contains(.credential) {
            try open(slots, .credential, keys.credential, "the credential accountd.key", &found)
        }
        if kinds.contains(.keyfile) {
            let name = "the key file \(surroundings.keyFilePath)"
            try open(slots, .keyfile, keys.keyFile, name, &found)
        }
    }

    private func open(
        _ slots: KeySlots, _ kind: KeySlot.Kind, _ key: KeyFileReading, _ name: String,
        _ found: inout Diagnosis
    ) throws(SecretMemoryError) {
        switch key.finding {
        case .absent:
            found.findings.append(
                kind == .keyfile
                    ? "\(name) is missing; put it back"
                    : "\(name) was not passed to the daemon; see "
                        + "LoadCredentialEncrypted= in its unit"
            )
        case .unusable(_, let why):
            found.findings.append(why)
        case .read:
            do throws(KeySlotsError) {
                let seed = try key.withBytes { bytes throws(KeySlotsError) in
                    kind == .credential
                        ? try SlotSeed.credential(bytes, arena: arena)
                        : try SlotSeed.keyfile(bytes, arena: arena)
                }
                let masterKey = try slots.unlock(seed: seed, arena: arena)
                if found.masterKey == nil { found.masterKey = consume masterKey }
            } catch .wrongSecret {
                found.findings.append("\(name) is not the one that opens this store")
            } catch .sealing(.memory(let error)) {
                throw error
            } catch {
                found.damaged("keyslots.plist is damaged: its entries do not belong together")
            }
        }
    }

    private func judgeAccount(
        _ contents: StoreContents, _ slots: KeySlots, _ held: HeldAccount?,
        _ found: inout Diagnosis
    ) throws(SecretMemoryError) {
        guard let masterKey = found.masterKey.take() else { return }
        let previous = try open(
            found.isAdopting ? .absent : contents.previousAccount, "account.plist.sealed~",
            masterKey, slots)
        let current = try open(contents.account, "account.plist.sealed", masterKey, slots)
        found.masterKey = consume masterKey
        var spare: String?
        var spareBytes: [UInt8]?
        var spareUID: String?
        switch consume previous {
        case .absent: break
        case .bad(let why):
            found.findings.append("\(why); it is a spare, and the next login replaces it")
        case .good(let account):
            spare =
                "the previous generation, of uid \(account.uid), whose token expires "
                + CivilTime.rfc3339(account.expiry.expiresAt)
            if case .bytes(let bytes) = contents.previousAccount { spareBytes = bytes }
            spareUID = account.uid
        }
        // What the daemon holds is newer than any spare, and its file opens as it did.
        if let held, !contents.isReplaced, isSealed(held.file, underOneOf: slots) {
            spare =
                "the account that the daemon holds, of uid \(held.profile.uid), whose token expires "
                + CivilTime.rfc3339(held.profile.expiry.expiresAt)
            spareBytes = held.file
        }
        let fault: String
        switch consume current {
        case .good(let account):
            if let spareUID, spareUID != account.uid { found.finish(.spareOfAnotherUser) }
            if found.standing == .empty {
                found.account = consume account
                found.standing = .present
            }
            return
        case .absent:
            guard spare != nil else { return }
            fault = "account.plist.sealed is missing"
        case .bad(let why):
            fault = why
        }
        if let spare, let spareBytes {
            found.damaged("\(fault); `account doctor --repair` brings back \(spare)")
            found.mend(.account, with: spareBytes, settingAside: contents.account != .absent)
        } else {
            found.damaged(
                "\(fault), and there is no previous generation: "
                    + "log in again with `account login --replace`")
        }
    }

    private func isSealed(_ file: [UInt8], underOneOf slots: KeySlots) -> Bool {
        (try? SealedFile.header(of: file.span).keyID).map(slots.holds) ?? false
    }

    private enum Opened: ~Copyable {
        case absent
        case good(UserAccount)
        case bad(String)
    }

    private func open(
        _ file: StoreContents.File, _ name: String, _ masterKey: borrowing MasterKey,
        _ slots: KeySlots
    ) throws(SecretMemoryError) -> Opened {
        let bytes: [UInt8]
        switch file {
        case .absent: return .absent
        case .unreadable(let why): return .bad("\(name) \(why)")
        case .bytes(let read): bytes = read
        }
        do throws(SealingError) {
            let id = try SealedFile.header(of: bytes.span).keyID
            var plaintext: SecretBuffer
            do throws(SecretMemoryError) {
                plaintext = try SecretBuffer(
                    arena: arena, capacity: min(bytes.count, Self.maximumPlaintext))
            } catch { throw .memory(error) }
            if id == masterKey.id {
                try SealedFile.open(
                    bytes.span, under: masterKey.accountKey(in: arena), keyID: id, into: &plaintext,
                    arena: arena)
            } else {
                let retired = try Self.retiredKey(id, slots, masterKey, arena)
                try SealedFile.open(
                    bytes.span, under: retired.accountKey(in: arena), keyID: id, into: &plaintext,
                    arena: arena)
            }
            do throws(AccountError) {
                return .good(
                    try plaintext.withBytes { content throws(AccountError) in
                        try UserAccount.decode(content, arena: arena)
                    })
            } catch .memory(let error) {
                throw .memory(error)
            } catch .unsupportedSchema {
                return .bad("\(name) was written by a later version of accountd")
            } catch {
                return .bad("\(name) holds no account")
            }
        } catch .unknownKey {
            return .bad("\(name) is sealed by a key that this store does not hold")
        } catch .unsupportedVersion, .unsupportedSuite {
            return .bad("\(name) was written by a later version of accountd")
        } catch .memory(let error) {
            throw error
        } catch {
            return .bad("\(name) is damaged")
        }
    }

    private static func retiredKey(
        _ id: MasterKeyID, _ slots: KeySlots, _ masterKey: borrowing MasterKey,
        _ arena: SecretArena
    ) throws(SealingError) -> MasterKey {
        do throws(KeySlotsError) {
            return try slots.retiredKey(id, under: masterKey, arena: arena)
        } catch .sealing(let error) {
            throw error
        } catch {
            throw .unknownKey(id)
        }
    }
}
