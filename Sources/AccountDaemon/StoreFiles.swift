import AccountService
import Glibc
import LinuxSystem
import Sealing

/// The store's directory, and what is done to its files. docs/FORMAT.md, "Files" and "Writing"
///
/// Everything here may wait for a disk: after the start it runs on the worker's thread alone.
struct StoreFiles: ~Copyable, Sendable {
    static let account = "account.plist.sealed"
    static let previousAccount = "account.plist.sealed~"
    static let slots = "keyslots.plist"
    static let slotsCopy = "keyslots.plist~"
    /// Slots of a store that is begun anew, until its account stands.
    static let nextSlots = "keyslots.plist.next"
    static let appKey = "app.plist.sealed"
    static let archives = "archives"
    static let sealedSuffix = ".sealed"
    static let lockName = "lock"
    /// What a file that is set aside is called: its name, this, and a time in seconds.
    static let asideSuffix = ".damaged-"
    /// The longest file that is read, in bytes.
    static let maximumFileSize = 1 << 20

    /// The state directory, as it was given.
    let path: String
    let keyFile: KeyFilePath
    /// Nil where the service manager has passed no credentials.
    let credential: KeyFilePath?
    private(set) var directory: Directory
    private var lock: FileLock
    // Another directory has come to the path since the store was read.
    private var isReplaced = false
    // Where the link that leads to the socket points; nil where the socket itself is in the store.
    private let socket: String?

    /// Takes a directory over that is open and locked.
    init(
        path: String, keyFile: KeyFilePath, credential: KeyFilePath? = nil,
        directory: consuming Directory, lock: consuming FileLock, socket: String? = nil
    ) {
        self.path = path
        self.keyFile = keyFile
        self.credential = credential
        self.directory = directory
        self.lock = lock
        self.socket = socket
    }

    /// The numbers of all that it has open.
    var descriptors: [Int32] { [directory.rawValue] + lock.descriptors }

    /// Does one change.
    mutating func perform(_ change: StoreChange) -> StoreResult {
        if case .derive(let derivation) = change { return Self.run(derivation) }
        do throws(StoreFailure) {
            try followDirectory()
            switch change {
            case .derive: break
            case .save(let request):
                try save(request)
                isReplaced = false
            case .remove:
                if isReplaced { try confirmEmptiness() }
                try remove()
            case .mend(let mendings): try mend(mendings)
            case .saveSlots(let request): try save(request)
            case .dropRetiredKeys(let request):
                if let borne = try drop(request) { return .borne(borne) }
            case .removeKeyFile: try keyFile.remove()
            case .read(let keys):
                try read(into: keys)
                var contents = try readAll()
                contents.isReplaced = isReplaced
                isReplaced = false
                return .contents(contents)
            }
            return .done
        } catch {
            // What was saved is what is held, wherever it stands.
            if error.isInPlace, case .save = change { isReplaced = false }
            return .failed(error)
        }
    }

    /// Reads what opens the store by itself.
    func read(into keys: StoreKeys) throws(StoreFailure) {
        try keyFile.read(into: keys.keyFile)
        try credential?.read(into: keys.credential)
    }

    private static func run(_ derivation: PassphraseDerivation) -> StoreResult {
        if derivation.run() { return .done }
        return .failed(
            StoreFailure(
                errno: ENOMEM,
                message: "there is not enough memory to make a key of the passphrase",
                isInPlace: false))
    }

    /// The directory may have been removed, or another one put in its place: what is written must
    /// be found by the next daemon, so it goes where the path leads now, and only under its lock.
    private mutating func followDirectory() throws(StoreFailure) {
        do throws(Errno) {
            if try directory.isStillAt(path) { return }
        } catch {
            throw StoreFailure(
                errno: error.rawValue,
                message: "\(path) cannot be looked at: \(error.description); nothing was changed",
                isInPlace: false)
        }
        let found: Directory
        do throws(DirectoryError) {
            found = try Directory.open(path, create: true)
        } catch {
            throw StoreFailure(errno: error.errno, message: error.message, isInPlace: false)
        }
        do throws(Errno) {
            var lock = try FileLock(Self.lockName, in: found)
            guard try lock.tryAcquire() else {
                throw Errno.busy
            }
            if let socket { try? found.setSymbolicLink(StorePaths.socketName, to: socket) }
            self.lock = consume lock
            directory = consume found
            isReplaced = true
        } catch {
            let why =
                error == .busy
                ? "another accountd holds it now" : "its lock cannot be taken: \(error.description)"
            throw StoreFailure(
                errno: error.rawValue, message: "\(path) was replaced, and \(why)",
                isInPlace: false)
        }
    }

    /// Whether the account file is what the service holds.
    ///
    /// One that was damaged meanwhile, or put there by somebody else, must not become the spare in
    /// the place of a good one.
    private func accountIs(_ bytes: [UInt8]) -> Bool { holds(bytes, Self.account) }

    func holds(_ bytes: [UInt8], _ name: String) -> Bool {
        (try? directory.read(name: name, limit: Self.maximumFileSize)) == bytes
    }

    // MARK: Writing

    private func save(_ request: SaveRequest) throws(StoreFailure) {
        if let expected = request.expectedSlots { try confirmSlots(expected, at: request.time) }
        if let loan = request.keyFile { try keyFile.create(loan) }
        if let slots = request.slots {
            try writeSlots(slots, settingAsideAt: request.setsSlotsAsideAt)
        }
        if let next = request.nextSlots { try write(next, to: Self.nextSlots) }
        do throws(StoreFailure) {
            try saveAccount(request)
        } catch {
            // Without the account that they open they are of no use. They mislead nobody, either.
            if !error.isInPlace, request.nextSlots != nil { _ = try? removeIfThere(Self.nextSlots) }
            throw error
        }
        if let next = request.nextSlots { try adopt(next, at: request.time) }
    }

    /// The account stands; what is left is to tidy up, and the next start does it too.
    private func adopt(_ next: [UInt8], at time: Int64) throws(StoreFailure) {
        do throws(StoreFailure) {
            try mend(Mending.adopting(next, at: time))
        } catch {
            throw StoreFailure(
                errno: error.errno,
                message: "the account is stored, and opens; its key slots wait in "
                    + "\(path)/\(Self.nextSlots): \(error.message)", isInPlace: true)
        }
    }

    private func saveAccount(_ request: SaveRequest) throws(StoreFailure) {
        var becomesSpare = false
        if let previous = request.previous {
            becomesSpare = accountIs(previous)
            if !becomesSpare { try setAside(Self.account, at: request.time) }
        }
        do throws(AtomicFileError) {
            try AtomicFile.write(
                request.account, to: Self.account, in: directory,
                keepingPrevious: becomesSpare ? Self.previousAccount : nil)
        } catch {
            throw accountFailure(error, request)
        }
        // With new slots `adopt` does it.
        guard request.previous == nil, request.nextSlots == nil else { return }
        do throws(Errno) {
            if try removeIfThere(Self.previousAccount) { try directory.sync() }
        } catch {
            throw StoreFailure(
                errno: error.rawValue,
                message: "the account is stored; the previous one could not be removed from "
                    + "\(path)/\(Self.previousAccount): \(error.description)", isInPlace: true)
        }
    }

    /// An account is of no use without the slots that open it: they may have been removed with the
    /// whole directory, or another store may stand there now.
    func confirmSlots(_ expected: [UInt8], at time: Int64) throws(StoreFailure) {
        let place = "\(path)/\(Self.slots)"
        if holds(expected, Self.nextSlots) {
            try mend(Mending.adopting(expected, at: time))
            return
        }
        let found: [UInt8]
        do throws(Errno) {
            found = try directory.read(name: Self.slots, limit: Self.maximumFileSize)
        } catch {
            if error == .notFound {
                try writeSlots(expected, settingAsideAt: nil)
                return
            }
            throw StoreFailure(
                errno: error.rawValue,
                message: "\(place) cannot be read: \(error.description); nothing was stored",
                isInPlace: false)
        }
        guard found != expected else { return }
        throw StoreFailure(
            errno: ESTALE,
            message: "\(place) is not what it was when the store was read: `account doctor` says "
                + "what is wrong with it; nothing was stored", isInPlace: false)
    }

    func writeSlots(_ slots: [UInt8], settingAsideAt time: Int64?) throws(StoreFailure) {
        // The copy first: it is never older than the slots.
        try mend([
            Mending(place: .slotsCopy, bytes: slots, setsAsideAt: time),
            Mending(place: .slots, bytes: slots, setsAsideAt: time),
        ])
    }

    /// After an error of the last fsync the file is read back, so that the answer can say what
    /// stands there now.
    private func accountFailure(
        _ error: AtomicFileError, _ request: SaveRequest
    ) -> StoreFailure {
        let place = "\(path)/\(Self.account)"
        guard error.inPlace,
            (try? directory.read(name: Self.account, limit: Self.maximumFileSize))
                == request.account
        else {
            let slots =
                request.setsSlotsAsideAt == nil
                ? "" : ", but for \(Self.slots), which is brought back from its copy"
            return StoreFailure(
                errno: error.errno.rawValue,
                message: "\(place): \(error.message); what was stored before is unchanged\(slots)",
                isInPlace: false)
        }
        return StoreFailure(
            errno: error.errno.rawValue,
            message: "\(place): \(error.message); the new account stands there, but a power cut "
                + "may bring back what was stored before", isInPlace: true)
    }

    /// An account that was never read is not the one that is to be removed.
    private func confirmEmptiness() throws(StoreFailure) {
        for name in [Self.account, Self.previousAccount]
        where (try? directory.contains(name)) ?? true {
            throw StoreFailure(
                errno: ESTALE,
                message: "\(path) was replaced, and an account is stored there that was not read "
                    + "yet: `account doctor` reads it; nothing was removed", isInPlace: false)
        }
    }

    private func remove() throws(StoreFailure) {
        var removedCurrent = false
        do throws(Errno) {
            // The previous generation first: a kill in between must not leave it as the only one.
            var removed = try removeIfThere(Self.previousAccount)
            for name in try directory.entries()
            where name.hasPrefix(Self.account + Self.asideSuffix) {
                if try removeIfThere(name) { removed = true }
            }
            if removed { try directory.sync() }
            removedCurrent = try removeIfThere(Self.account)
            try directory.sync()
        } catch {
            let state =
                removedCurrent
                ? "the account is removed, but a power cut may bring it back"
                : "the account is still stored"
            throw StoreFailure(
                errno: error.rawValue, message: "\(path): \(error.description); \(state)",
                isInPlace: removedCurrent)
        }
    }

    private func mend(_ mendings: [Mending]) throws(StoreFailure) {
        for mending in mendings {
            let name =
                switch mending.place {
                case .account: Self.account
                case .previousAccount: Self.previousAccount
                case .slots: Self.slots
                case .slotsCopy: Self.slotsCopy
                case .nextSlots: Self.nextSlots
                }
            guard let bytes = mending.bytes else {
                try remove(name)
                continue
            }
            if holds(bytes, name) { continue }
            if let time = mending.setsAsideAt { try setAside(name, at: time) }
            try write(bytes, to: name)
        }
    }

    private func remove(_ name: String) throws(StoreFailure) {
        do throws(Errno) {
            if try removeIfThere(name) { try directory.sync() }
        } catch {
            throw StoreFailure(
                errno: error.rawValue,
                message: "\(path)/\(name) cannot be removed: \(error.description)",
                isInPlace: false)
        }
    }

    func write(_ bytes: [UInt8], to name: String) throws(StoreFailure) {
        do throws(AtomicFileError) {
            try AtomicFile.write(bytes, to: name, in: directory)
        } catch {
            throw StoreFailure(
                errno: error.errno.rawValue, message: "\(path)/\(name): \(error.message)",
                isInPlace: false)
        }
    }

    /// Gives a file a second name, under which it outlives its replacement.
    ///
    /// A change that was cut off may have given it one already.
    private func setAside(_ name: String, at time: Int64) throws(StoreFailure) {
        var attempt: Int64 = 0
        while true {
            let kept = "\(name)\(Self.asideSuffix)\(time + attempt)"
            do throws(Errno) {
                if try !isAside(name) { try directory.link(name, as: kept) }
                return
            } catch {
                if error == .notFound { return }
                attempt += 1
                guard error == .exists, attempt < 100 else {
                    throw StoreFailure(
                        errno: error.rawValue,
                        message: "\(path)/\(name) cannot be kept aside: \(error.description)",
                        isInPlace: false)
                }
            }
        }
    }

    private func isAside(_ name: String) throws(Errno) -> Bool {
        let file = try directory.status(of: name)
        guard file.linkCount > 1 else { return false }
        for other in try directory.entries() where other.hasPrefix(name + Self.asideSuffix) {
            if try directory.status(of: other).isSameFile(as: file) { return true }
        }
        return false
    }

    private func removeIfThere(_ name: String) throws(Errno) -> Bool {
        do throws(Errno) {
            try directory.unlink(name)
            return true
        } catch {
            guard error == .notFound else { throw error }
            return false
        }
    }
}
