import LinuxSystem
import Sealing
import SecretMemory

extension Archiver {
    /// What became of the archives when they were sealed anew.
    package struct Resealing: Equatable, Sendable {
        /// Files that bear the current key now and did not before.
        package var sealed = 0
        /// Files that bore it already.
        package var upToDate = 0
        /// Those that could not be, each with its name.
        package var failures: [Failure] = []

        /// One that could not be sealed anew.
        package struct Failure: Equatable, Sendable {
            /// The archive's name.
            package let archive: String
            /// Whether it is the generation before.
            package let isPrevious: Bool
            /// Why.
            package let error: ArchiveError
        }
    }

    /// Seals all archives, and the generations before, under the current master key.
    ///
    /// Run after a rotation, and again if it was cut off: what is sealed under the current key stays.
    /// One that cannot be opened does not keep the others from it.
    ///
    /// - Parameter progress: is passed how many files are done, and how many there are.
    /// - Throws: what concerns all of them: `.locked`, `.notPermitted`, `.noKey` and the like.
    package func sealAnew(
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(ArchiveError) -> Resealing {
        // They bear the id of an earlier master key, which would be kept for them.
        _ = try store.withArchives { archives, _ in ArchiveNaming.tidy(archives) }
        let names = try namesWithFiles()
        var result = Resealing()
        guard !names.isEmpty else { return result }
        let current = try currentKeyID(of: names[0])
        for (position, name) in names.enumerated() {
            progress(position, names.count)
            for isPrevious in [true, false] {
                do throws(ArchiveError) {
                    switch try sealAnew(name, isPrevious: isPrevious, current) {
                    case .none: break
                    case .some(true): result.sealed += 1
                    case .some(false): result.upToDate += 1
                    }
                } catch {
                    if error.concernsAll { throw error }
                    let isBusy = error.isBusy
                    result.failures.append(
                        Resealing.Failure(
                            archive: name.text, isPrevious: isPrevious && !isBusy, error: error))
                    // Whoever writes it has both, and was waited for.
                    if isBusy { break }
                }
            }
        }
        progress(names.count, names.count)
        return result
    }

    // An archive whose present file is missing may have one of the generation before.
    private func namesWithFiles() throws(ArchiveError) -> [ArchiveName] {
        var names = Set<ArchiveName>()
        for fileName in try store.fileNames() {
            let present = fileName.last == "~" ? String(fileName.dropLast()) : fileName
            if let name = ArchiveName(fileName: present) { names.insert(name) }
        }
        return names.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }

    private func currentKeyID(of name: ArchiveName) throws(ArchiveError) -> MasterKeyID {
        let directory = try store.open()
        let arena = try ArchiveStore.arena()
        guard let key = try store.keys.key(of: name, under: nil, in: directory, arena: arena)
        else { throw .noKey(store: store.path) }
        return key.id
    }

    /// Seals one file anew.
    ///
    /// - Returns: whether that was needed; nil when there is no such file.
    private func sealAnew(
        _ name: ArchiveName, isPrevious: Bool, _ current: MasterKeyID
    ) throws(ArchiveError) -> Bool? {
        let lock = try lock(name)
        let fileName = isPrevious ? name.previousFileName : name.fileName
        switch try ArchiveFile.open(fileName, name, in: lock.archives) {
        case .none: return nil
        case .some(let file):
            if file.keyID == current { return false }
        }
        let reader = try store.reader(of: name, fileName, lock.archives, lock.store)
        switch consume reader {
        case .none: return nil
        case .some(let reader):
            try Self.copy(reader, name, lock, as: fileName, store)
            return true
        }
    }

    private static func copy(
        _ opened: consuming ArchiveReader, _ name: ArchiveName, _ lock: consuming ArchiveLock,
        as fileName: String, _ store: ArchiveStore
    ) throws(ArchiveError) {
        var reader = opened
        let envelope = try ArchiveEnvelope(reader.kind, reader.typeName, of: name)
        var writer = try ArchiveWriter.begin(name, lock, envelope, in: store)
        while try reader.next({ bytes throws(ArchiveError) in try writer.append(bytes) }) {}
        // It is the same generation still.
        try writer.commit(as: fileName, keepingPrevious: nil)
    }
}

extension ArchiveError {
    /// Whether somebody else is writing it.
    package var isBusy: Bool {
        if case .busy = self { true } else { false }
    }

    /// Whether the next archive would fail just so.
    fileprivate var concernsAll: Bool {
        switch self {
        case .noKey, .locked, .notPermitted, .daemon, .storeDamaged: true
        default: false
        }
    }
}
