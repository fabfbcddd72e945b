import LinuxSystem
import Sealing
import SecretMemory

/// Writes an archive of any size, part by part.
///
/// What was appended becomes the archive when `commit` returns, and not before: a writer that is
/// dropped, or killed, leaves the archive as it was. No other writer of the same archive gets in
/// between. The memory that it takes does not grow with the archive.
public struct ArchiveWriter: ~Copyable {
    private let name: ArchiveName
    private let store: ArchiveStore
    private var file: PendingFile
    private var sealing: SealedFileWriter
    // After the file in the order of destruction or not: what is left of the file has a temporary name.
    private let lock: ArchiveLock

    private init(
        _ name: ArchiveName, _ store: ArchiveStore, _ file: consuming PendingFile,
        _ sealing: consuming SealedFileWriter, _ lock: consuming ArchiveLock
    ) {
        self.name = name
        self.store = store
        self.file = file
        self.sealing = sealing
        self.lock = lock
    }

    /// Begins to write an archive.
    static func begin(
        _ name: ArchiveName, _ lock: consuming ArchiveLock, _ envelope: ArchiveEnvelope,
        in store: ArchiveStore
    ) throws(ArchiveError) -> ArchiveWriter {
        let sealing = try sealing(name, lock, store)
        let file = try file(name, lock, store)
        var writer = ArchiveWriter(name, store, file, sealing, lock)
        try writer.begin(envelope)
        return writer
    }

    private static func sealing(
        _ name: ArchiveName, _ lock: borrowing ArchiveLock, _ store: ArchiveStore
    ) throws(ArchiveError) -> SealedFileWriter {
        let arena = try ArchiveStore.arena()
        let key = try key(of: name, lock, store, arena)
        do throws(SealingError) {
            return try SealedFileWriter(under: key.bytes, keyID: key.id, arena: arena)
        } catch { throw ArchiveError(error, of: name) }
    }

    private static func file(
        _ name: ArchiveName, _ lock: borrowing ArchiveLock, _ store: ArchiveStore
    ) throws(ArchiveError) -> PendingFile {
        ArchiveNaming.tidy(lock.archives)
        do throws(AtomicFileError) {
            return try PendingFile.make(in: lock.archives)
        } catch { throw failure(error, name, store.path) }
    }

    private mutating func begin(_ envelope: ArchiveEnvelope) throws(ArchiveError) {
        do throws(AtomicFileError) {
            try file.append(sealing.header.span)
        } catch { throw Self.failure(error, name, store.path) }
        try append(envelope.bytes.span)
    }

    private static func key(
        of name: ArchiveName, _ lock: borrowing ArchiveLock, _ store: ArchiveStore,
        _ arena: SecretArena
    ) throws(ArchiveError) -> ArchiveKey {
        let key = try store.keys.key(of: name, under: nil, in: lock.store, arena: arena)
        guard let key else { throw .noKey(store: store.path) }
        // Whoever gave the key may have another store; what it seals would never be opened here.
        guard try SlotKeySource.slots(of: lock.store, arena).holds(key.id) else {
            throw .daemon(
                "the daemon that was asked for the key holds another store than \(store.path)")
        }
        return key
    }

    /// Adds bytes to its end.
    public mutating func append(_ bytes: Span<UInt8>) throws(ArchiveError) {
        do throws(AtomicFileError) {
            try Self.append(bytes, to: file, with: &sealing)
        } catch { throw Self.failure(error, name, store.path) }
    }

    // Static, so that each part of the writer is accessed by itself.
    private static func append(
        _ bytes: Span<UInt8>, to file: borrowing PendingFile, with sealing: inout SealedFileWriter
    ) throws(AtomicFileError) {
        try sealing.append(bytes) { chunk throws(AtomicFileError) in try file.append(chunk) }
    }

    /// Puts it in its place, durably; what was there becomes the previous generation.
    ///
    /// - Throws: `.system`. The archive is then as it was; but where the directory alone did not
    ///   reach the disk, it is the new one, and a power cut may bring back the one before.
    public consuming func commit() throws(ArchiveError) {
        let name = self.name
        try commit(as: name.fileName, keepingPrevious: name.previousFileName)
    }

    /// Puts it in the place of one of the archive's files.
    consuming func commit(
        as fileName: String, keepingPrevious previous: String?
    ) throws(ArchiveError) {
        let (name, store) = (self.name, self.store)
        let naming = try ArchiveNaming.begin(name, in: lock.archives, store)
        do throws(AtomicFileError) {
            try Self.finish(sealing, file)
            try file.commit(as: fileName, keepingPrevious: previous)
        } catch { throw Self.failure(error, name, store.path) }
        withExtendedLifetime(naming) {}
    }

    private static func finish(
        _ sealing: consuming SealedFileWriter, _ file: borrowing PendingFile
    ) throws(AtomicFileError) {
        try sealing.finish { chunk throws(AtomicFileError) in try file.append(chunk) }
    }

    static func failure(
        _ error: AtomicFileError, _ name: ArchiveName, _ path: String
    ) -> ArchiveError {
        let state =
            error.inPlace
            ? "is written, but a power cut may bring back the one before" : "is as it was"
        return .system(
            "the archive \(name.text) in \(path) \(state): \(error.action)",
            errno: error.errno.rawValue)
    }
}
