import AccountService
import Glibc
import LinuxSystem
import Sealing

// Changes of the key slots. docs/FORMAT.md, "Rotation"
extension StoreFiles {
    /// Writers of archives hold it shared, whoever forgets a master key exclusively.
    static let archivesLock = "archives.lock"
    /// Milliseconds that writers of archives are waited for.
    private static let writersPatience: Int64 = 2000

    /// Writes key slots, the copy first, and before them the key file that they need.
    func save(_ request: SlotsRequest) throws(StoreFailure) {
        if let expected = request.expected {
            try confirmSlots(expected, at: request.time)
        } else {
            try refuseOtherSlots()
        }
        if let loan = request.keyFile { try keyFile.create(loan) }
        try replaceSlots(request.expected, with: request.slots)
    }

    /// The first slots of a store take nobody's place.
    private func refuseOtherSlots() throws(StoreFailure) {
        for name in [Self.slots, Self.account, Self.nextSlots]
        where (try? directory.contains(name)) ?? true {
            throw StoreFailure(
                errno: ESTALE,
                message: "\(path)/\(name) was not there when the store was read: `account doctor` "
                    + "reads it; nothing was changed", isInPlace: false)
        }
    }

    private func replaceSlots(_ old: [UInt8]?, with new: [UInt8]) throws(StoreFailure) {
        do throws(StoreFailure) {
            try writeSlots(new, settingAsideAt: nil)
        } catch {
            // The slots decide, not their copy.
            let isInPlace = holds(new, Self.slots)
            if !isInPlace, let old { try? write(old, to: Self.slotsCopy) }
            throw StoreFailure(
                errno: error.errno, message: error.message, isInPlace: isInPlace)
        }
    }

    /// Forgets earlier master keys, unless a file is sealed by one of them.
    ///
    /// No archive can be written meanwhile: whoever writes one holds the lock from before it takes
    /// the key until the file has its name.
    ///
    /// - Returns: the keys by which files are sealed, or may be: then nothing was written.
    func drop(_ request: RetiredKeysRequest) throws(StoreFailure) -> BorneKeys? {
        var lock = try archivesLock()
        let kept: BorneKeys?
        do throws(Errno) {
            guard try lock.acquire(timeoutMilliseconds: Self.writersPatience) else {
                return BorneKeys(request.ids)
            }
            removeDeadTemporaries()
            kept = try borne(of: request.ids)
        } catch { throw cannotTell(error) }
        if kept == nil {
            try confirmSlots(request.expected, at: request.time)
            try replaceSlots(request.expected, with: request.slots)
        }
        // Held until the slots are written.
        lock.release()
        return kept
    }

    /// Whoever was writing an archive held the lock: what has a temporary name still was left by one
    /// that was killed, and would keep its key for good.
    private func removeDeadTemporaries() {
        guard let archives = try? directory.openDirectory(Self.archives, create: false) else {
            return
        }
        _ = try? AtomicFile.removeTemporaries(in: archives)
    }

    private func borne(of ids: [MasterKeyID]) throws(Errno) -> BorneKeys? {
        guard let sealing = try sealingKeys() else { return BorneKeys(ids) }
        let kept = ids.filter(sealing.contains)
        guard !kept.isEmpty else { return nil }
        var ofSpare = Set<MasterKeyID>()
        _ = try note(Self.previousAccount, in: directory, &ofSpare)
        return BorneKeys(kept, bySpare: kept.contains(where: ofSpare.contains))
    }

    private func archivesLock() throws(StoreFailure) -> FileLock {
        do throws(Errno) {
            return try FileLock(Self.archivesLock, in: directory)
        } catch { throw cannotTell(error) }
    }

    private func cannotTell(_ error: Errno) -> StoreFailure {
        StoreFailure(
            errno: error.rawValue,
            message: "whether a file of \(path) is sealed by an earlier master key cannot be told: "
                + error.description, isInPlace: false)
    }

    /// The master keys by which any file of the store is sealed; nil where a file cannot be looked
    /// into, and so may be sealed by any.
    private func sealingKeys() throws(Errno) -> Set<MasterKeyID>? {
        var ids = Set<MasterKeyID>()
        for name in try directory.entries()
        where name.hasPrefix(Self.account) || name.hasPrefix(Self.appKey) {
            guard try note(name, in: directory, &ids) else { return nil }
        }
        let archives: Directory
        do throws(DirectoryError) {
            archives = try directory.openDirectory(Self.archives, create: false)
        } catch {
            if case .missing = error { return ids }
            return nil
        }
        for name in try archives.entries() {
            guard try note(name, in: archives, &ids) else { return nil }
        }
        return ids
    }

    /// Notes by which key a file says that it is sealed.
    ///
    /// - Returns: false where nobody can tell.
    private func note(
        _ name: String, in place: borrowing Directory, _ ids: inout Set<MasterKeyID>
    ) throws(Errno) -> Bool {
        let file: FileDescriptor
        do throws(Errno) {
            let kind = try place.status(of: name).kind
            // A link is not followed; somebody may have moved an archive elsewhere.
            guard kind == .regular else { return kind != .symlink }
            file = try place.openFile(name, [.readOnly, .nonBlocking])
        } catch {
            // It was removed meanwhile.
            return error == .notFound
        }
        var start = [UInt8](repeating: 0, count: SealedFile.headerSize)
        var room = start.mutableSpan
        var count = 0
        while count < room.count {
            let read = try Files.read(file.rawValue, into: &room, from: count)
            if read == 0 { break }
            count += read
        }
        do throws(SealingError) {
            ids.insert(try SealedFile.header(of: start.span.extracting(0..<count)).keyID)
            return true
        } catch {
            switch error {
            // A later version sealed it, by whichever key.
            case .unsupportedVersion, .unsupportedSuite: return false
            // What is no sealed file, or a damaged one, is opened by no key.
            default: return true
            }
        }
    }
}
