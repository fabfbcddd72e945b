package import LinuxSystem
package import Sealing
package import SecretMemory

/// Keys straight from the key slots, for programs that run where no daemon does.
///
/// Only what opens the store by itself is tried: the key file and the service manager's credential.
/// Nobody is asked for a passphrase. docs/FORMAT.md, "Key slots"
package struct SlotKeySource: ArchiveKeySource {
    private static let slots = "keyslots.plist"
    private static let slotsCopy = "keyslots.plist~"

    /// The key file; nil: the usual one.
    private let keyFile: String?

    /// Names the key file.
    package init(keyFile: String? = nil) { self.keyFile = keyFile }

    /// Opens the store by what opens it without anybody; see `ArchiveKeySource`.
    package func key(
        of name: ArchiveName, under id: MasterKeyID?, in store: borrowing Directory,
        arena: SecretArena
    ) throws(ArchiveError) -> ArchiveKey? {
        let slots = try Self.slots(of: store, arena)
        if let id, !slots.holds(id) { return nil }
        let current = try masterKey(slots, store.path, arena)
        do throws(KeySlotsError) {
            if let id, id != current.id {
                let retired = try slots.retiredKey(id, under: current, arena: arena)
                return try Self.derived(from: retired, name, arena)
            }
            return try Self.derived(from: current, name, arena)
        } catch { throw Self.damaged(error, store.path) }
    }

    private static func derived(
        from masterKey: borrowing MasterKey, _ name: ArchiveName, _ arena: SecretArena
    ) throws(KeySlotsError) -> ArchiveKey {
        do throws(SealingError) {
            return ArchiveKey(
                bytes: try masterKey.archiveKey(named: name.text, in: arena), id: masterKey.id)
        } catch { throw .sealing(error) }
    }

    /// Reads the slots, or their copy where they are missing or damaged.
    static func slots(
        of store: borrowing Directory, _ arena: SecretArena
    ) throws(ArchiveError) -> KeySlots {
        do throws(ArchiveError) {
            return try read(slots, in: store, arena)
        } catch {
            switch error {
            case .noKey, .storeDamaged:
                if let copy = try? read(slotsCopy, in: store, arena) { return copy }
                throw error
            default: throw error
            }
        }
    }

    private static func read(
        _ name: String, in store: borrowing Directory, _ arena: SecretArena
    ) throws(ArchiveError) -> KeySlots {
        let file: [UInt8]
        do throws(Errno) {
            file = try store.read(name: name, limit: KeySlots.maximumFileSize)
        } catch {
            guard error != .notFound else { throw .noKey(store: store.path) }
            throw .system("cannot read \(store.path)/\(name)", errno: error.rawValue)
        }
        do throws(KeySlotsError) {
            return try KeySlots.parse(file.span, arena: arena)
        } catch { throw damaged(error, store.path) }
    }

    private static func damaged(_ error: KeySlotsError, _ path: String) -> ArchiveError {
        switch error {
        case .sealing(.memory(let error)): ArchiveError(error)
        case .sealing(.unsupportedVersion(let version)):
            .storeDamaged(
                "\(path)/\(slots) has the format \(version), which a later version wrote")
        default: .storeDamaged("\(path)/\(slots) is damaged; `account doctor` says what is left")
        }
    }

    private func masterKey(
        _ slots: KeySlots, _ path: String, _ arena: SecretArena
    ) throws(ArchiveError) -> MasterKey {
        var failure = ArchiveError.locked(store: path)
        if slots.slots.contains(where: { $0.kind == .credential }),
            let credentials = try Self.named("CREDENTIALS_DIRECTORY")
        {
            do throws(ArchiveError) {
                return try open(slots, "\(credentials)/accountd.key", isCredential: true, arena)
            } catch { failure = error }
        }
        if slots.slots.contains(where: { $0.kind == .keyfile }), let file = try usualKeyFile() {
            do throws(ArchiveError) {
                return try open(slots, file, isCredential: false, arena)
            } catch { failure = error }
        }
        throw failure
    }

    private func usualKeyFile() throws(ArchiveError) -> String? {
        if let keyFile { return keyFile }
        if let config = try Self.named("XDG_CONFIG_HOME") { return config + "/account/key" }
        do {
            return try Users.homeDirectory().map { $0 + "/.config/account/key" }
        } catch { throw .storeDamaged("HOME is not UTF-8, as paths have to be") }
    }

    private static func named(_ variable: String) throws(ArchiveError) -> String? {
        do {
            return try Environment.absolutePath(variable).map(Files.withoutTrailingSlashes)
        } catch { throw .storeDamaged("\(variable) is not UTF-8, as paths have to be") }
    }

    private func open(
        _ slots: KeySlots, _ path: String, isCredential: Bool, _ arena: SecretArena
    ) throws(ArchiveError) -> MasterKey {
        var contents: SecretBytes
        do { contents = try arena.allocate(SecretFile.size) } catch { throw ArchiveError(error) }
        let finding: SecretFile.Finding
        do throws(Errno) {
            finding = try contents.withMutableBytes { room throws(Errno) in
                try SecretFile.read(path, isCredential: isCredential, into: &room)
            }
        } catch { throw .system("cannot read the key \(path)", errno: error.rawValue) }
        if case .unusable(let why) = finding { throw .notPermitted("the key \(path) \(why)") }
        do throws(KeySlotsError) {
            let seed = try contents.withBytes { bytes throws(KeySlotsError) in
                isCredential
                    ? try SlotSeed.credential(bytes, arena: arena)
                    : try SlotSeed.keyfile(bytes, arena: arena)
            }
            return try slots.unlock(seed: seed, arena: arena)
        } catch {
            if error == .wrongSecret {
                throw .notPermitted("the key \(path) does not open the store")
            }
            throw Self.damaged(error, path)
        }
    }
}
