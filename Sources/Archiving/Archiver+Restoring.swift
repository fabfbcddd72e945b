import LinuxSystem

extension Archiver {
    /// Puts the generation before in the place of the present one, which becomes the one before: so a
    /// second call takes it back.
    ///
    /// All of the earlier one is read first: a damaged one takes nobody's place.
    ///
    /// - Returns: whether there was a generation before.
    @discardableResult
    public func restorePrevious(named name: String) throws(ArchiveError) -> Bool {
        let name = try ArchiveName(name)
        switch try ArchiveLock.acquire(name, in: store, create: false) {
        case .none: return false
        case .some(let lock): return try restore(name, lock)
        }
    }

    private func restore(
        _ name: ArchiveName, _ lock: borrowing ArchiveLock
    ) throws(ArchiveError) -> Bool {
        let opened = try store.reader(of: name, name.previousFileName, lock.archives, lock.store)
        switch consume opened {
        case .none: return false
        case .some(let reader): try Self.readThrough(reader)
        }
        let naming = try ArchiveNaming.begin(name, in: lock.archives, store)
        do throws(Errno) {
            try lock.archives.exchange(name.fileName, name.previousFileName)
            withExtendedLifetime(naming) {}
        } catch {
            throw .system(
                "cannot bring back the archive \(name.text) in \(store.path)",
                errno: error.rawValue)
        }
        try lock.sync(name, "is brought back, but a power cut may bring back the other one")
        return true
    }

    private static func readThrough(_ opened: consuming ArchiveReader) throws(ArchiveError) {
        var reader = opened
        while try reader.next({ _ in }) {}
    }
}
