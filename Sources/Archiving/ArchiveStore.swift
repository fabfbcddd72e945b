import Glibc
import LinuxSystem
import Sealing
package import SecretMemory

/// A store of account's: the directory beside the account in which archives are kept, and who gives
/// their keys.
///
/// The keys come from the daemon of that store, which is found by the socket in its directory. Where
/// none runs they come from the key file or the credential that opens the store by itself; a store that
/// a passphrase alone opens is locked then.
public struct ArchiveStore: Sendable {
    static let archives = "archives"
    /// Locked shared by whoever writes, exclusively by whoever forgets a master key.
    static let rotationLock = "archives.lock"
    /// The file whose places stand for the archives, among them.
    static let writersLock = "lock"
    /// The place in it, behind those of all archives, of `ArchiveNaming`.
    static let namesPlace: Int64 = 1 << 62

    /// The state directory, absolute.
    public let path: String
    /// Seconds that another writer of the same archive is waited for.
    public var patience: Int
    let keys: any ArchiveKeySource

    /// Names a store.
    ///
    /// - Parameters:
    ///   - path: the state directory; nil: `$ACCOUNT_STATE_DIR`, else `$XDG_STATE_HOME/account`, else
    ///     `~/.local/state/account`.
    ///   - keyFile: what opens it where no daemon runs; nil: `$XDG_CONFIG_HOME/account/key`, else
    ///     `~/.config/account/key`.
    /// - Throws: `.system` where no path is given and there is no home directory.
    public init(path: String? = nil, keyFile: String? = nil) throws(ArchiveError) {
        let given: String
        if let path { given = path } else { given = try Self.usualPath() }
        self.init(path: try Self.absolute(given), keys: DaemonKeySource(keyFile: keyFile))
    }

    /// Names a store whose keys come from elsewhere.
    package init(path: String, keys: any ArchiveKeySource, patience: Int = 30) {
        self.path = path
        self.keys = keys
        self.patience = patience
    }

    private static func usualPath() throws(ArchiveError) -> String {
        do throws(NotUTF8) {
            if let chosen = try Environment.path("ACCOUNT_STATE_DIR") { return chosen }
            if let state = try Environment.absolutePath("XDG_STATE_HOME") {
                return state + "/account"
            }
            if let home = try Users.homeDirectory() { return home + "/.local/state/account" }
        } catch { throw .storeDamaged("\(error.what) is not UTF-8, as paths have to be") }
        throw .system("there is no home directory: name the store's path", errno: ENOENT)
    }

    private static func absolute(_ path: String) throws(ArchiveError) -> String {
        if Files.isAbsolute(path) { return Files.withoutTrailingSlashes(path) }
        do throws(Errno) {
            return Files.withoutTrailingSlashes(
                "\(try Files.readLink("/proc/self/cwd"))/\(path)")
        } catch { throw .system("the working directory cannot be told", errno: error.rawValue) }
    }

    /// Opens the state directory, which must be this user's alone.
    func open() throws(ArchiveError) -> Directory {
        do throws(DirectoryError) {
            return try Directory.open(path, create: false)
        } catch {
            if case .missing = error { throw .noKey(store: path) }
            throw Self.failure(error)
        }
    }

    /// Opens the directory of archives; nil when there is none yet.
    func archives(
        in store: borrowing Directory, create: Bool
    ) throws(ArchiveError) -> Directory? {
        do throws(DirectoryError) {
            return try store.openDirectory(Self.archives, create: create)
        } catch {
            if case .missing = error { return nil }
            throw Self.failure(error)
        }
    }

    /// Lends the directory of archives; nil where there is none, or no store at all.
    func withArchives<R: ~Copyable>(
        _ body: (
            _ archives: borrowing Directory, _ store: borrowing Directory
        ) throws(ArchiveError) -> R?
    ) throws(ArchiveError) -> R? {
        let directory: Directory
        do throws(ArchiveError) {
            directory = try open()
        } catch {
            // Without a store there is no archive.
            if case .noKey = error { return nil }
            throw error
        }
        switch try archives(in: directory, create: false) {
        case .none: return nil
        case .some(let archives): return try body(archives, directory)
        }
    }

    /// The names of the files in the directory of archives, in no order.
    func fileNames() throws(ArchiveError) -> [String] {
        try withArchives { archives, _ throws(ArchiveError) in
            do throws(Errno) { return try archives.entries() } catch {
                throw .system("cannot read \(archives.path)", errno: error.rawValue)
            }
        } ?? []
    }

    static func failure(_ error: DirectoryError) -> ArchiveError {
        if case .system(let path, let errno) = error {
            return .system("cannot open \(path)", errno: errno.rawValue)
        }
        return .storeDamaged(error.message)
    }

    /// Room for the keys of an archive, and for one chunk of it.
    static func arena() throws(ArchiveError) -> SecretArena { try arena(1 << 18) }

    /// Room for what an archive holds.
    ///
    /// It may be more than may be locked in memory; it stays out of core dumps, and is wiped, all the
    /// same.
    package static func buffer(_ size: Int) throws(ArchiveError) -> SecretBuffer {
        let arena = try arena(max(1, size))
        do {
            return try SecretBuffer(arena: arena, capacity: max(1, size))
        } catch { throw ArchiveError(error) }
    }

    /// Memory for the content of archives.
    package static func arena(_ size: Int) throws(ArchiveError) -> SecretArena {
        do {
            return try SecretArena(capacity: size, preferring: .lockedPages)
        } catch { throw ArchiveError(error) }
    }
}

extension ArchiveStore {
    /// How often an archive that is sealed anew meanwhile is opened again.
    private static let attempts = 4

    /// Opens an archive for reading.
    ///
    /// - Parameter isPrevious: whether the generation before the present one is meant.
    /// - Returns: nil when there is none of that name.
    func reader(
        of name: ArchiveName, isPrevious: Bool = false
    ) throws(ArchiveError) -> ArchiveReader? {
        let fileName = isPrevious ? name.previousFileName : name.fileName
        return try withArchives { archives, store throws(ArchiveError) in
            try reader(of: name, fileName, archives, store)
        }
    }

    /// Opens one of an archive's files for reading.
    func reader(
        of name: ArchiveName, _ fileName: String, _ archives: borrowing Directory,
        _ directory: borrowing Directory
    ) throws(ArchiveError) -> ArchiveReader? {
        for _ in 0..<Self.attempts {
            guard let file = try ArchiveFile.open(fileName, name, in: archives) else { return nil }
            let keyID = file.keyID
            let arena = try Self.arena()
            if let key = try keys.key(of: name, under: keyID, in: directory, arena: arena) {
                return try ArchiveReader(name, file, key, arena)
            }
            // It may just have been sealed anew, and its key forgotten.
            if file.isStill(fileName, in: archives) {
                throw ArchiveError(.unknownKey(keyID), of: name)
            }
        }
        throw .busy(archive: name.text)
    }
}
