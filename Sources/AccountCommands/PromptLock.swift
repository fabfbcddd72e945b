import LinuxSystem

/// The lock that whoever asks a person holds, so that of many commands one asks.
enum PromptLock {
    /// Takes it.
    ///
    /// - Returns: nil where there is no place for it: then two commands may ask at once, which is a
    ///   nuisance and no harm.
    /// - Throws: `.locked` when another command has been asking for all the time.
    static func acquire(
        _ options: GlobalOptions, seconds: Int64
    ) throws(CommandFailure) -> FileLock? {
        if try DaemonFinder(options: options, sendsSecret: false).mayStart(),
            let store = try? Directory.open(StoreLocation.of(options).path, create: false)
        {
            return try take("prompt.lock", in: store, seconds)
        }
        // The directory of a daemon that was named by its socket is not known, and may be another
        // user's: then the session's, where there is one.
        guard let session = try? Users.runtimeDirectory(),
            let directory = try? Directory.open(session, create: false)
        else { return nil }
        return try take("account-prompt.lock", in: directory, seconds)
    }

    private static func take(
        _ name: String, in directory: borrowing Directory, _ seconds: Int64
    ) throws(CommandFailure) -> FileLock? {
        // A disk that is full or cannot be written must not keep anybody from unlocking.
        guard var lock = try? FileLock(name, in: directory),
            let isHeld = try? lock.acquire(timeoutMilliseconds: seconds * 1000)
        else { return nil }
        guard isHeld else {
            throw CommandFailure(
                .locked, "another command has been asking for the passphrase for \(seconds) s",
                hint: "answer it, or give this one more time with --timeout D")
        }
        return lock
    }
}
