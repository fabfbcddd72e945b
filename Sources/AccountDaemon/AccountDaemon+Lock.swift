import Glibc
import LinuxSystem

/// One daemon a store. docs/ARCHITECTURE.md, "Starting"
extension AccountDaemon {
    /// Milliseconds that a daemon with a passed socket waits for the one before it to end.
    static let lockPatience: Int64 = 10_000
    /// Milliseconds that any other waits for one that answers no more: a process that was killed
    /// holds its lock until the last of it is gone.
    static let dyingPatience: Int64 = 2000
    /// Milliseconds between two looks.
    static let lockPause: Int64 = 10

    /// Takes the store for this daemon, and waits for one that has it and is about to end.
    static func lockStore(
        _ paths: StorePaths, _ directory: borrowing Directory,
        _ passed: ServiceManager.Listener?, _ signals: borrowing SignalDescriptor
    ) throws(StartError) -> FileLock {
        let waits = passed != nil
        let holder: String
        do throws(Errno) {
            var lock = try FileLock(StoreFiles.lockName, in: directory)
            let start = Clock.monotonicMilliseconds()
            while true {
                if try lock.tryAcquire() { return lock }
                let waited = Clock.monotonicMilliseconds() - start
                if waited >= (waits ? lockPatience : dyingPatience) { break }
                if let passed {
                    takeSocketAway(passed, paths, directory)
                } else if isAnswered(paths) {
                    break
                }
                guard try !isToldToEnd(signals, within: lockPause) else { throw .interrupted }
            }
            holder = lock.holderPID().map { "process \($0)" } ?? "another process"
        } catch {
            if error == .interrupted { throw .ended }
            throw .system("the store \(paths.state) cannot be locked", error)
        }
        throw .refused("\(holder) holds the store \(paths.state) already")
    }

    /// Has a daemon end that listens in the store, and so was started by a command or by hand.
    ///
    /// A cron job may have started it while nobody was logged in. It would hold the store for good,
    /// and every call to the service manager's socket would wait for nothing. It ends as soon as
    /// its socket is not there any more.
    private static func takeSocketAway(
        _ passed: ServiceManager.Listener, _ paths: StorePaths, _ directory: borrowing Directory
    ) {
        let own = "\(paths.state)/\(StorePaths.socketName)"
        guard let found = try? directory.status(of: StorePaths.socketName), found.kind == .socket,
            // What the service manager has made there is its own.
            let path = UnixSocket.path(of: passed.fd), !isSameName(path, own)
        else { return }
        if (try? directory.unlink(StorePaths.socketName)) != nil {
            Log.note("the daemon that listens at \(own) is to end, and leave the store to this one")
        }
    }

    /// Waits for a signal, for some milliseconds.
    private static func isToldToEnd(
        _ signals: borrowing SignalDescriptor, within milliseconds: Int64
    ) throws(Errno) -> Bool {
        let ready = try Poll.wait(
            signals.rawValue, for: .readable, timeoutMilliseconds: milliseconds)
        guard ready.contains(.readable), let signal = try signals.next() else { return false }
        return signal == SIGTERM || signal == SIGINT
    }

    /// Whether the holder of the store serves, so that there is nothing to wait for.
    private static func isAnswered(_ paths: StorePaths) -> Bool {
        let socket = "\(paths.state)/\(StorePaths.socketName)"
        return (try? UnixSocket.connect(to: socket, timeoutMilliseconds: 0)) != nil
    }
}
