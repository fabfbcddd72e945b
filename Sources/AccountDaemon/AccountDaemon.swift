import AccountService
import Glibc
import LinuxSystem
import SecretMemory
import Sealing

/// The daemon's life: harden, lock the store, take a socket, load, serve, end.
package enum AccountDaemon {
    /// The program's version. CHANGELOG.md
    package static let version = "0.1.0"
    /// Bytes of secret memory.
    ///
    /// Room for what the owner and everybody else may have half-sent, and well below the usual
    /// limit on locked memory, 8 MiB.
    static let arenaCapacity = 2 << 20
    /// The least that the daemon can work in.
    static let minimumArena = 512 << 10
    /// Descriptors that the daemon itself needs: its own, and those of a change to the store.
    static let ownDescriptors = 64

    /// Runs the daemon with this process's arguments.
    ///
    /// - Returns: the exit status: 0 after a signal ended it, 1 when it could not start or go on, 2
    ///   for a wrong command line.
    package static func run() -> Int32 {
        // Before anything else: a closed standard descriptor must not become the socket.
        try? ProcessHardening.openStandardDescriptors()
        let options: DaemonOptions
        let readiness: Readiness
        do throws(StartError) {
            options = try DaemonOptions(arguments())
            readiness = try Readiness(options.readyDescriptor)
        } catch {
            Log.note(error.message)
            Log.note("hint: accountd --help lists the options")
            return 2
        }
        switch options.request {
        case .help: return print(DaemonOptions.help)
        case .version: return print("accountd \(version)\n")
        case .serve: break
        }
        do throws(StartError) {
            return try serve(options, readiness)
        } catch {
            if case .ended = error { return 0 }
            Log.note(error.message)
            readiness.tell(error.message)
            ServiceManager.notify("STATUS=\(error.message)")
            return 1
        }
    }

    private static func arguments() throws(StartError) -> [String] {
        do throws(NotUTF8) {
            return try ProcessArguments.all()
        } catch { throw .usage("\(error.what) is not UTF-8") }
    }

    private static func print(_ text: String) -> Int32 {
        (try? StandardStream.print(text, to: StandardStream.output)) == nil ? 1 : 0
    }

    private static func serve(
        _ options: DaemonOptions, _ readiness: Readiness
    ) throws(StartError) -> Int32 {
        let maximumConnections: Int
        do throws(Errno) {
            try ProcessHardening.apply()
            CrashSignals.useDefaults()
            maximumConnections = try raiseDescriptors()
        } catch { throw .system("the process cannot be hardened", error) }
        let signals: SignalDescriptor
        do throws(Errno) {
            signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP, SIGUSR1])
        } catch { throw .system("signals cannot be taken", error) }

        let passed = try passedListener(options)
        let paths = try StorePaths(options, socketIsPassed: passed != nil)
        let groups = GroupNames(readers: options.readers, observers: options.observers)
        let policy = try groups.policy()

        let directory: Directory
        do throws(DirectoryError) {
            directory = try Directory.open(paths.state, create: true)
        } catch { throw .refused("the state directory cannot be used: \(error.message)") }
        let lock = try lockStore(paths, directory, passed, signals)
        removeTemporaries(paths, directory)

        Sodium.start()
        let arena = try makeArena(options)
        var service = AccountService(
            arena: arena,
            surroundings: AccountService.Surroundings(
                version: version, memory: arena.memoryName,
                lockedBytes: arena.isLocked ? Int64(arena.capacity) : 0,
                keyFilePath: paths.keyFile.path,
                lockTimes: LockTimes(
                    afterIdle: options.lockAfterIdle, after: options.lockAfter)))
        let listener = try listen(passed, paths)
        let link = try linkSocket(listener.path, paths, directory)

        var files = StoreFiles(
            path: paths.state, keyFile: paths.keyFile, credential: paths.credential,
            directory: directory, lock: lock, socket: link)
        try load(files, into: &service, arena)
        if let trouble = service.trouble { Log.note(trouble) }
        if let change = service.unfinished, case .failed(let failure) = files.perform(change) {
            Log.note("what a change that was cut off has left stays: \(failure.message)")
        }
        let worker: StoreWorker
        do throws(Errno) {
            worker = try StoreWorker(
                files, ownsDescriptors: true, readiness: options.readyDescriptor)
        } catch { throw .system("the worker thread cannot be started", error) }

        var server = try Server(
            arena: arena, listener: listener, policy: policy, groups: groups, worker: worker,
            signals: signals, service: service, records: records(options),
            maximumConnections: maximumConnections)
        ServiceManager.notify("READY=1\nSTATUS=Serving \(listener.path)")
        readiness.tell("ready")
        defer { listener.remove() }
        return try server.run()
    }

    /// Removes what was written by a daemon that was killed meanwhile.
    ///
    /// The caller holds the store.
    private static func removeTemporaries(_ paths: StorePaths, _ store: borrowing Directory) {
        do throws(Errno) {
            try AtomicFile.removeTemporaries(in: store)
            for path in paths.ownDirectories {
                guard let directory = try? Directory.open(path, create: false) else { continue }
                try AtomicFile.removeTemporaries(in: directory)
            }
        } catch { Log.note("left-over temporary files stay: \(error.description)") }
    }

    private static func load(
        _ files: borrowing StoreFiles, into service: inout AccountService, _ arena: SecretArena
    ) throws(StartError) {
        let contents: StoreContents
        let keys: StoreKeys
        do throws(SecretMemoryError) {
            keys = try StoreKeys(arena: arena)
        } catch { throw .memory(error) }
        do throws(StoreFailure) {
            try files.read(into: keys)
            contents = try files.readAll()
        } catch { throw .refused(error.message) }
        do throws(SecretMemoryError) {
            try service.load(contents, keys, at: Server.readInstant())
        } catch { throw .memory(error) }
    }

    /// Has room for every connection, as far as the limit lets it, and never lets them take what the
    /// daemon itself needs.
    ///
    /// - Returns: how many connections there may be.
    private static func raiseDescriptors() throws(Errno) -> Int {
        let wanted = ConnectionTable.maximum + ownDescriptors
        let limit = try ResourceLimits.raiseOpenFiles(to: UInt64(wanted))
        return max(1, Int(min(limit, UInt64(wanted))) - ownDescriptors)
    }

    private static func passedListener(
        _ options: DaemonOptions
    ) throws(StartError) -> ServiceManager.Listener? {
        let passed = ServiceManager.takeListeners()
        guard let first = passed.first else { return nil }
        guard passed.count == 1, first.isUnixStream else {
            throw .refused("one listening Unix stream socket is wanted from the service manager")
        }
        guard first.fd != options.readyDescriptor else {
            throw .refused("--ready-fd \(first.fd) is the socket that the service manager passed")
        }
        return first
    }

    private static func makeArena(_ options: DaemonOptions) throws(StartError) -> SecretArena {
        let preference: SecretArena.Preference =
            switch options.secretMemory {
            case .locked: .lockedPages
            case .memfd: .secretFile
            case .auto: Hibernation.isPossible ? .lockedPages : .secretFile
            }
        var capacity = arenaCapacity
        if let limit = ResourceLimits.lockedMemory() {
            while capacity > max(limit, minimumArena) { capacity /= 2 }
        }
        let arena: SecretArena
        do throws(SecretMemoryError) {
            arena = try SecretArena(capacity: capacity, preferring: preference)
        } catch { throw .memory(error) }
        if options.secretMemory == .memfd, arena.backing != .secretFile {
            throw .refused("memfd_secret was asked for, and the kernel does not give it")
        }
        if !arena.isLocked {
            let limit = ResourceLimits.lockedMemory().map { "\($0) bytes" } ?? "unknown"
            let why = "memory cannot be locked (the limit is \(limit); see ulimit -l)"
            if options.requiresLockedMemory { throw .refused(why) }
            Log.note("\(why); secrets may reach the swap")
        }
        return arena
    }

    private static func listen(
        _ passed: ServiceManager.Listener?, _ paths: StorePaths
    ) throws(StartError) -> Listener {
        let listener: Listener
        if let passed {
            let path = UnixSocket.path(of: passed.fd) ?? "(passed by the service manager)"
            listener = Listener(passed: FileDescriptor(owning: passed.fd), path: path)
        } else if let socket = paths.socket {
            try makeSocketDirectory(socket, paths)
            listener = try Listener(at: socket)
        } else {
            throw .refused("there is no socket to listen on")
        }
        return listener
    }

    /// The directory of a socket at the default place is this user's alone.
    private static func makeSocketDirectory(
        _ socket: String, _ paths: StorePaths
    ) throws(StartError) {
        let parent = Files.split(socket).parent
        guard parent != paths.state else { return }
        do throws(Errno) {
            let status = try FileStatus.of(path: parent, following: true)
            guard status.kind == .directory else { throw .notADirectory }
            return
        } catch {
            guard error == .notFound else {
                throw .system("the socket's directory \(parent) cannot be used", error)
            }
        }
        do throws(DirectoryError) {
            _ = try Directory.open(parent, create: true)
        } catch { throw .refused("the socket's directory cannot be made: \(error.message)") }
    }

    /// In every case STATE/socket leads to the socket, so that those find it who know nothing but
    /// the store: cron finds a login session's daemon, and the other way round.
    ///
    /// - Returns: where the link leads; nil where none is needed.
    private static func linkSocket(
        _ path: String, _ paths: StorePaths, _ directory: borrowing Directory
    ) throws(StartError) -> String? {
        let own = "\(paths.state)/\(StorePaths.socketName)"
        guard Files.isAbsolute(path), !isSameName(path, own) else { return nil }
        // A disk without room for another name is no reason not to serve.
        let target = try? Files.readLink(StorePaths.socketName, in: directory.rawValue)
        if target == path { return path }
        do throws(Errno) {
            try directory.setSymbolicLink(StorePaths.socketName, to: path)
        } catch { throw .system("\(own) cannot be made to lead to \(path)", error) }
        return path
    }

    /// Whether two paths are of one name in one directory, however they are spelt.
    static func isSameName(_ path: String, _ other: String) -> Bool {
        guard let one = try? FileStatus.of(path: path, following: false),
            let two = try? FileStatus.of(path: other, following: false)
        else { return path == other }
        return one.isSameFile(as: two)
    }

    private static func records(_ options: DaemonOptions) -> AccessRecords {
        if ServiceManager.journalIsConnected, let socket = try? JournalSocket() {
            return AccessRecords(journal: socket)
        }
        return options.isVerbose ? AccessRecords(standardError: ()) : AccessRecords()
    }
}
