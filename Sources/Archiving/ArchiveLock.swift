import LinuxSystem

/// The right to replace one archive: no other writer has it at the same time.
///
/// While it is held no master key is forgotten either. It ends with its owner, be it by a kill.
struct ArchiveLock: ~Copyable {
    let store: Directory
    let archives: Directory
    private let ownRange: RangeLock
    private let rotation: FileLock

    /// Has the names of files reach the disk.
    ///
    /// - Parameter state: what is said of the archive where that fails.
    borrowing func sync(_ name: ArchiveName, _ state: String) throws(ArchiveError) {
        do throws(Errno) { try archives.sync() } catch {
            throw .system(
                "the archive \(name.text) in \(store.path) \(state): cannot write the directory"
                    + " to the disk", errno: error.rawValue)
        }
    }

    /// Takes it, waiting for as long as the store's patience lasts.
    ///
    /// - Parameter create: whether the directory of archives is made where it is missing.
    /// - Returns: nil when there is no directory of archives.
    static func acquire(
        _ name: ArchiveName, in store: ArchiveStore, create: Bool
    ) throws(ArchiveError) -> ArchiveLock? {
        let directory = try store.open()
        guard let archives = try store.archives(in: directory, create: create) else { return nil }
        return try acquire(name, store, directory, archives)
    }

    private static func acquire(
        _ name: ArchiveName, _ store: ArchiveStore, _ directory: consuming Directory,
        _ archives: consuming Directory
    ) throws(ArchiveError) -> ArchiveLock {
        let patience = Int64(store.patience) * 1000
        do throws(Errno) {
            // First, so that nobody who only waits for another writer holds up a rotation.
            guard
                let range = try RangeLock.acquire(
                    name.lockNumber, of: ArchiveStore.writersLock, in: archives,
                    timeoutMilliseconds: patience)
            else { throw Errno.timedOut }
            var rotation = try FileLock(ArchiveStore.rotationLock, in: directory)
            guard try rotation.acquire(shared: true, timeoutMilliseconds: patience) else {
                throw Errno.timedOut
            }
            return ArchiveLock(
                store: directory, archives: archives, ownRange: range, rotation: rotation)
        } catch {
            if error == .timedOut { throw .busy(archive: name.text) }
            throw .system(
                "cannot lock the archive \(name.text) in \(store.path)", errno: error.rawValue)
        }
    }
}

/// The right to give the files of archives their names, and second ones on the way there.
///
/// Any number may have it, and nobody tidies those away meanwhile.
struct ArchiveNaming: ~Copyable {
    private let range: RangeLock

    /// Takes it, waiting for whoever tidies up for as long as the store's patience lasts.
    static func begin(
        _ name: ArchiveName, in archives: borrowing Directory, _ store: ArchiveStore
    ) throws(ArchiveError) -> ArchiveNaming {
        do throws(Errno) {
            guard
                let range = try RangeLock.acquire(
                    ArchiveStore.namesPlace, of: ArchiveStore.writersLock, in: archives,
                    shared: true, timeoutMilliseconds: Int64(store.patience) * 1000)
            else { throw Errno.timedOut }
            return ArchiveNaming(range: range)
        } catch {
            if error == .timedOut { throw .busy(archive: name.text) }
            throw .system(
                "cannot lock the archive \(name.text) in \(store.path)", errno: error.rawValue)
        }
    }

    /// Removes what killed writers have left, unless somebody has that right.
    static func tidy(_ archives: borrowing Directory) {
        do throws(Errno) {
            let range = try RangeLock.acquire(
                ArchiveStore.namesPlace, of: ArchiveStore.writersLock, in: archives,
                timeoutMilliseconds: 0)
            switch consume range {
            case .none: return
            case .some(let range):
                try PendingFile.removeAbandoned(in: archives)
                withExtendedLifetime(range) {}
            }
        } catch {
            // The next writer tries again.
        }
    }
}
