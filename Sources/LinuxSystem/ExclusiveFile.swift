import Glibc

/// Files that are made once and never replaced.
package enum ExclusiveFile {
    /// Makes a file with mode 0600, durably: a temporary one, fsync, rename, fsync of the
    /// directory.
    ///
    /// The bytes are written from where they are, so that they may be secret.
    ///
    /// - Throws: `.exists` when something has the name; it stays as it was.
    package static func create(_ bytes: Span<UInt8>, at path: String) throws(Errno) {
        let (parent, name) = Files.split(path)
        let directory = try Files.open(parent, [.readOnly, .directory])
        let number = directory.rawValue
        let temporary = TemporaryName.make()
        let file = try Files.open(temporary, in: number, [.writeOnly, .createNew])
        do throws(Errno) {
            // Whatever the umask took away.
            _ = try valueOrErrno { fchmod(file.rawValue, 0o600) }
            try file.writeAll(bytes)
            try file.sync()
            try PathCalls.renameNew(temporary, to: name, in: number)
        } catch {
            try? PathCalls.unlink(temporary, in: number)
            throw error
        }
        try directory.sync()
    }
}
