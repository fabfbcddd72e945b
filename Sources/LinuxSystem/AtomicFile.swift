import Glibc

/// Files that are replaced whole or not at all. docs/FORMAT.md, "Writing"
package enum AtomicFile {
    /// Writes a file: a temporary one with a random name, fsync, rename, fsync of the directory.
    ///
    /// - Parameters:
    ///   - bytes: what it shall hold.
    ///   - name: of the file, replaced if it exists. Its mode becomes 0600.
    ///   - directory: where it is.
    ///   - previous: the name under which the file that is replaced is kept. It is put there by a
    ///     link and a rename, so that neither name is ever without a file.
    /// - Throws: the step and its errno. The temporary file is gone again.
    package static func write(
        _ bytes: [UInt8], to name: String, in directory: borrowing Directory,
        keepingPrevious previous: String? = nil
    ) throws(AtomicFileError) {
        let temporary = TemporaryName.make()
        try fill(temporary, bytes, in: directory)
        do throws(AtomicFileError) {
            if let previous { try keep(name, as: previous, in: directory) }
            do {
                try directory.rename(temporary, to: name)
            } catch { throw AtomicFileError(step: .rename, errno: error) }
        } catch {
            try? directory.unlink(temporary)
            throw error
        }
        do {
            try directory.sync()
        } catch {
            throw AtomicFileError(step: .syncDirectory, errno: error, inPlace: true)
        }
    }

    /// Removes the temporary files that killed writers have left.
    ///
    /// Call it while nobody writes there.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package static func removeTemporaries(
        in directory: borrowing Directory
    ) throws(Errno) -> Int {
        var count = 0
        for name in try directory.entries() where TemporaryName.matches(name) {
            try directory.unlink(name)
            count += 1
        }
        return count
    }

    private static func fill(
        _ temporary: String, _ bytes: [UInt8], in directory: borrowing Directory
    ) throws(AtomicFileError) {
        var step = AtomicFileError.Step.create
        do throws(Errno) {
            let file = try directory.openFile(temporary, [.writeOnly, .createNew])
            do throws(Errno) {
                // Whatever the umask took away.
                _ = try valueOrErrno { fchmod(file.rawValue, 0o600) }
                step = .write
                try file.writeAll(bytes.span)
                step = .sync
                try file.sync()
            } catch {
                try? directory.unlink(temporary)
                throw error
            }
        } catch { throw AtomicFileError(step: step, errno: error) }
    }

    static func keep(
        _ name: String, as previous: String, in directory: borrowing Directory
    ) throws(AtomicFileError) {
        let link = TemporaryName.make()
        do {
            try directory.link(name, as: link)
        } catch {
            if error == .notFound { return }
            throw AtomicFileError(step: .linkPrevious, errno: error)
        }
        // Where both names are of one file already, as after a kill between the two renames, a
        // rename does nothing and leaves the link.
        defer { try? directory.unlink(link) }
        do {
            try directory.rename(link, to: previous)
        } catch { throw AtomicFileError(step: .renamePrevious, errno: error) }
    }
}
