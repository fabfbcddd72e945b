import Glibc

/// Files of secrets that people name: made, and replaced only where that is asked for.
package enum ExclusiveFile {
    /// Makes a file with mode 0600, durably: one without a name, fsync, its name, fsync of the
    /// directory.
    ///
    /// So a kill leaves nothing in a directory that may not be this program's own. A file system
    /// that has no files without a name gets a temporary one, which a kill leaves.
    ///
    /// The bytes are written from where they are, so that they may be secret.
    ///
    /// - Throws: `.exists` when something has the name; it stays as it was.
    package static func create(_ bytes: Span<UInt8>, at path: String) throws(Errno) {
        let (parent, name) = Files.split(path)
        let directory = try Files.open(parent, [.readOnly, .directory])
        let number = directory.rawValue
        if try !createUnnamed(bytes, name, in: number) {
            try createNamed(bytes, name, in: number)
        }
        try directory.sync()
    }

    /// The same where something may have the name: that is replaced at once and for good, be it a
    /// symbolic link, which is not followed.
    ///
    /// The bytes get a temporary name for a moment, once they are whole: a name that something has is
    /// not given away.
    ///
    /// - Throws: `.isADirectory` for a directory, else the errno; what was there stays then.
    package static func replace(_ bytes: Span<UInt8>, at path: String) throws(Errno) {
        let (parent, name) = Files.split(path)
        let directory = try Files.open(parent, [.readOnly, .directory])
        let number = directory.rawValue
        let temporary = TemporaryName.make()
        if try !createUnnamed(bytes, temporary, in: number) {
            try createTemporary(bytes, temporary, in: number)
        }
        do throws(Errno) {
            try PathCalls.rename(temporary, to: name, in: number)
        } catch {
            try? PathCalls.unlink(temporary, in: number)
            throw error
        }
        try directory.sync()
    }

    /// Gives back false where the file system or a missing /proc does not let it.
    private static func createUnnamed(
        _ bytes: Span<UInt8>, _ name: String, in directory: Int32
    ) throws(Errno) -> Bool {
        let file: FileDescriptor
        do throws(Errno) {
            file = try Files.openUnnamed(in: directory)
        } catch {
            // The last two are a kernel's that does not know the flag, open(2).
            guard [.notSupported, .isADirectory, .invalidArgument].contains(error) else {
                throw error
            }
            return false
        }
        try fill(file, bytes)
        do throws(Errno) {
            try PathCalls.linkOpen(file.rawValue, as: name, in: directory)
        } catch {
            guard error == .notFound else { throw error }
            return false
        }
        return true
    }

    private static func createNamed(
        _ bytes: Span<UInt8>, _ name: String, in directory: Int32
    ) throws(Errno) {
        let temporary = TemporaryName.make()
        try createTemporary(bytes, temporary, in: directory)
        do throws(Errno) {
            try PathCalls.renameNew(temporary, to: name, in: directory)
        } catch {
            try? PathCalls.unlink(temporary, in: directory)
            throw error
        }
    }

    private static func createTemporary(
        _ bytes: Span<UInt8>, _ temporary: String, in directory: Int32
    ) throws(Errno) {
        let file = try Files.open(temporary, in: directory, [.writeOnly, .createNew])
        do throws(Errno) {
            try fill(file, bytes)
        } catch {
            try? PathCalls.unlink(temporary, in: directory)
            throw error
        }
    }

    private static func fill(
        _ file: borrowing FileDescriptor, _ bytes: Span<UInt8>
    ) throws(Errno) {
        // Whatever the umask took away.
        _ = try valueOrErrno { fchmod(file.rawValue, 0o600) }
        try file.writeAll(bytes)
        try file.sync()
    }
}
