import LinuxSystem
import SecretMemory

/// Named archives: any Codable value is written under a name and read back by it.
///
///     let archiver = try Archiver()
///     try archiver.write(posts, named: "timeline")
///     let posts = try archiver.read([Post].self, named: "timeline") ?? []
///
/// Each archive is a sealed file of its own. A write is whole or not at all, durable when it returns,
/// and keeps the generation before. Names are any text of 1 to 180 bytes of UTF-8 without a NUL; two
/// that differ in a byte are two.
public struct Archiver: Sendable {
    /// Bytes of the largest value; what is larger is moved by `writer` and `reader`.
    public static let maximumValue = 1 << 26

    /// Where the archives are.
    public let store: ArchiveStore

    /// Archives in a store.
    public init(store: ArchiveStore) { self.store = store }

    /// Archives in the user's own store.
    public init() throws(ArchiveError) { try self.init(store: ArchiveStore()) }

    // MARK: Streams

    /// Begins to write an archive part by part.
    ///
    /// Until the writer goes no other writer of the same archive gets in.
    ///
    /// - Parameters:
    ///   - name: of the archive.
    ///   - kind: what the bytes are.
    ///   - typeName: what a reader is told of their type.
    public func writer(
        named name: String, kind: ArchiveKind = .bytes, typeName: String = ""
    ) throws(ArchiveError) -> ArchiveWriter {
        let name = try ArchiveName(name)
        let envelope = try ArchiveEnvelope(kind, typeName, of: name)
        return try ArchiveWriter.begin(name, lock(name), envelope, in: store)
    }

    /// Begins to read an archive part by part.
    ///
    /// - Parameters:
    ///   - name: of the archive.
    ///   - isPrevious: whether the generation before the present one is meant.
    /// - Returns: nil when there is none of that name.
    public func reader(
        named name: String, isPrevious: Bool = false
    ) throws(ArchiveError) -> ArchiveReader? {
        try store.reader(of: ArchiveName(name), isPrevious: isPrevious)
    }

    // MARK: The directory

    /// Deletes an archive, and the generation before with it, durably.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func delete(named name: String) throws(ArchiveError) -> Bool {
        let name = try ArchiveName(name)
        let isPossible = try store.withArchives { _, _ in true }
        guard isPossible != nil else { return false }
        switch try ArchiveLock.acquire(name, in: store, create: false) {
        case .none: return false
        case .some(let lock): return try Self.delete(name, lock)
        }
    }

    static func delete(
        _ name: ArchiveName, _ lock: borrowing ArchiveLock
    ) throws(ArchiveError) -> Bool {
        let wasThere: Bool
        do throws(Errno) {
            // The one before goes first: it must not outlive what it was replaced by.
            try removeIfThere(name.previousFileName, lock.archives)
            wasThere = try removeIfThere(name.fileName, lock.archives)
        } catch {
            throw .system(
                "cannot delete the archive \(name.text) in \(lock.store.path)",
                errno: error.rawValue)
        }
        try lock.sync(name, "is deleted, but a power cut may bring it back")
        return wasThere
    }

    @discardableResult
    private static func removeIfThere(
        _ fileName: String, _ archives: borrowing Directory
    ) throws(Errno) -> Bool {
        do throws(Errno) {
            try archives.unlink(fileName)
            return true
        } catch {
            guard error == .notFound else { throw error }
            return false
        }
    }

    /// The names of all archives, in the order of their bytes.
    ///
    /// No key is needed: it works when the store is locked.
    public func list() throws(ArchiveError) -> [String] {
        try entries().map(\.name)
    }

    /// What is known of an archive without its key.
    package struct Entry: Equatable, Sendable {
        /// Its name.
        package let name: String
        /// Bytes of the sealed file.
        package let size: Int64
        /// When it was written, seconds since 1970.
        package let modified: Int64
    }

    /// All archives, in the order of their names' bytes.
    package func entries() throws(ArchiveError) -> [Entry] {
        let entries = try store.withArchives { archives, _ throws(ArchiveError) in
            do throws(Errno) { return try Self.entries(archives) } catch {
                throw .system("cannot read \(archives.path)", errno: error.rawValue)
            }
        }
        return entries ?? []
    }

    private static func entries(_ archives: borrowing Directory) throws(Errno) -> [Entry] {
        var found: [Entry] = []
        for fileName in try archives.entries() {
            guard let name = ArchiveName(fileName: fileName),
                let status = try? archives.status(of: fileName)
            else { continue }
            found.append(Entry(name: name.text, size: status.size, modified: status.modifiedAt))
        }
        return found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    func lock(_ name: ArchiveName) throws(ArchiveError) -> ArchiveLock {
        switch try ArchiveLock.acquire(name, in: store, create: true) {
        case .some(let lock): return lock
        case .none: throw .noKey(store: store.path)
        }
    }
}
