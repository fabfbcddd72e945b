import Glibc
package import SecretMemory

/// A private directory, open: whatever becomes of its path, this stays the same one.
///
/// Names are single components within it, and a symbolic link among them is never followed.
package struct Directory: ~Copyable, Sendable {
    private let descriptor: FileDescriptor
    /// The path that it was opened by, for messages.
    package let path: String

    init(_ descriptor: consuming FileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// The number, for a system call while the owner lives.
    package var rawValue: Int32 { descriptor.rawValue }

    /// The same directory once more, for an owner of its own.
    package func reopened() throws(Errno) -> Directory {
        Directory(try Files.open(".", in: rawValue, [.readOnly, .directory]), path: path)
    }

    /// Opens a file in it. openat(2)
    package func openFile(
        _ name: String, _ options: Files.OpenOptions
    ) throws(Errno) -> FileDescriptor {
        try Files.open(name, in: rawValue, options.union(.noFollow))
    }

    /// Reads a regular file whole.
    ///
    /// Not for secrets: the array stands in ordinary memory.
    ///
    /// - Parameter limit: bytes it may have at the most.
    /// - Throws: `.fileTooLarge` past the limit, `.loop` for a symbolic link, `.invalidArgument` for
    ///   what is no regular file, else the errno.
    package func read(name: String, limit: Int) throws(Errno) -> [UInt8] {
        try openRegular(name).readWhole(limit: limit)
    }

    /// Reads a regular file whole into secret memory.
    ///
    /// - Parameter buffer: gets the bytes appended; its limit is the limit.
    /// - Throws: `.fileTooLarge` past the limit, `.noMemory` when the arena is full, `.loop` for a
    ///   symbolic link, `.invalidArgument` for what is no regular file, else the errno.
    package func read(name: String, into buffer: inout SecretBuffer) throws(Errno) {
        try openRegular(name).readWhole(into: &buffer)
    }

    // Opened non-blocking, so that a FIFO in the place of the file holds nobody up.
    private func openRegular(_ name: String) throws(Errno) -> FileDescriptor {
        let file = try openFile(name, [.readOnly, .nonBlocking])
        switch try file.status().kind {
        case .regular: return file
        case .directory: throw .isADirectory
        default: throw .invalidArgument
        }
    }

    /// What a name stands for, a symbolic link not followed. fstatat(2)
    ///
    /// - Throws: `.notFound` when nothing has the name, else the errno.
    package func status(of name: String) throws(Errno) -> FileStatus {
        try FileStatus.of(path: name, in: rawValue, following: false)
    }

    /// Whether something has the name.
    package func contains(_ name: String) throws(Errno) -> Bool {
        do {
            _ = try status(of: name)
            return true
        } catch {
            guard error == .notFound else { throw error }
            return false
        }
    }

    /// Removes a name. unlinkat(2)
    ///
    /// - Throws: `.notFound` when nothing has it, else the errno.
    package func unlink(_ name: String) throws(Errno) {
        try PathCalls.unlink(name, in: rawValue)
    }

    /// Gives a file a second name. linkat(2)
    ///
    /// - Throws: `.exists` when something has the name, else the errno.
    package func link(_ name: String, as other: String) throws(Errno) {
        try PathCalls.link(name, as: other, in: rawValue)
    }

    /// Moves a file to another name, replacing what had it. renameat(2)
    package func rename(_ name: String, to other: String) throws(Errno) {
        try PathCalls.rename(name, to: other, in: rawValue)
    }

    /// Exchanges what two names stand for at one go; `sync` makes it durable. RENAME_EXCHANGE,
    /// renameat2(2)
    ///
    /// Where nothing has the first name it gets what the other one stood for. Where the file system
    /// cannot do it so, a kill in between leaves both the same, never the first without a file, and
    /// links that `PendingFile.removeAbandoned` removes: nobody may do that meanwhile.
    package func exchange(_ name: String, _ other: String) throws(Errno) {
        do throws(Errno) {
            if try !PathCalls.exchange(name, other, in: rawValue) {
                try exchangeByLinks(name, other)
            }
        } catch {
            guard error == .notFound, try !contains(name) else { throw error }
            try PathCalls.renameNew(other, to: name, in: rawValue)
        }
    }

    // linkat(2), renameat(2)
    func exchangeByLinks(_ name: String, _ other: String) throws(Errno) {
        let (first, second) = (TemporaryName.make(), TemporaryName.make())
        try link(other, as: second)
        defer { try? unlink(second) }
        try link(name, as: first)
        defer { try? unlink(first) }
        try rename(second, to: name)
        try rename(first, to: other)
    }

    /// Has `name` lead to `target`, replacing what had the name at one go. symlinkat(2), renameat(2)
    package func setSymbolicLink(_ name: String, to target: String) throws(Errno) {
        let temporary = TemporaryName.make()
        try PathCalls.makeSymbolicLink(temporary, to: target, in: rawValue)
        do {
            try rename(temporary, to: name)
        } catch {
            try? unlink(temporary)
            throw error
        }
    }

    /// Has all changes of names reach the disk. fsync(2)
    package func sync() throws(Errno) { try descriptor.sync() }

    /// The names in it, in no order, "." and ".." left out, and names that are not UTF-8 too.
    /// readdir(3)
    package func entries() throws(Errno) -> [String] {
        // A description of its own, since the position belongs to it.
        let copy = try Files.open(".", in: rawValue, [.readOnly, .directory]).release()
        // SAFETY: fdopendir owns the descriptor from here on, unless it fails.
        guard let stream = unsafe fdopendir(copy) else {
            let error = Errno.current
            close(copy)
            throw error
        }
        // SAFETY: closed once, on every way out.
        defer { unsafe closedir(stream) }
        var names = [String]()
        while true {
            errno = 0
            // SAFETY: the entry lives until the next call; its name is copied before.
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw .current }
                return names
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
    }

    /// Whether the path still leads to this directory and not to another, or nowhere.
    ///
    /// - Throws: the errno where that cannot be known.
    package func isStillAt(_ path: String) throws(Errno) -> Bool {
        let own = try descriptor.status()
        do throws(Errno) {
            return own.isSameFile(as: try FileStatus.of(path: path, following: false))
        } catch {
            guard error == .notFound || error == .notADirectory else { throw error }
            return false
        }
    }
}
