import Glibc

/// A file that is written part by part and gets its name at the end, or never.
///
/// Until then it has a temporary name and is locked, so that what a killed writer has left can be told
/// from what is being written. docs/FORMAT.md, "Writing"
package struct PendingFile: ~Copyable {
    /// How often another name is tried, where a tidying process has taken the file for a left one.
    private static let attempts = 16

    private let directory: Directory
    private let file: FileDescriptor
    private let temporary: String
    private var isInPlace = false

    private init(_ directory: consuming Directory, _ file: consuming FileDescriptor, _ name: String)
    {
        self.directory = directory
        self.file = file
        temporary = name
    }

    // The file that was not wanted in the end.
    deinit { if !isInPlace { try? directory.unlink(temporary) } }

    /// Makes an empty file.
    ///
    /// - Throws: the step `.create` and its errno.
    package static func make(
        in directory: borrowing Directory
    ) throws(AtomicFileError) -> PendingFile {
        do throws(Errno) {
            for _ in 0..<attempts {
                let name = TemporaryName.make()
                let file = try directory.openFile(name, [.writeOnly, .createNew])
                guard try isOurs(file) else { continue }
                // Whatever the umask took away.
                _ = try valueOrErrno { fchmod(file.rawValue, 0o600) }
                return PendingFile(try directory.reopened(), file, name)
            }
            throw .busy
        } catch { throw AtomicFileError(step: .create, errno: error) }
    }

    private static func isOurs(_ file: borrowing FileDescriptor) throws(Errno) -> Bool {
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { return false }
        return try file.status().linkCount > 0
    }

    /// Adds bytes to its end.
    ///
    /// - Throws: the step `.write` and its errno.
    package borrowing func append(_ bytes: Span<UInt8>) throws(AtomicFileError) {
        do { try file.writeAll(bytes) } catch {
            throw AtomicFileError(step: .write, errno: error)
        }
    }

    /// Has it reach the disk, and gives it its name.
    ///
    /// - Parameters:
    ///   - name: what had the name is replaced.
    ///   - previous: the name under which what is replaced is kept, as `AtomicFile.write` does.
    /// - Throws: the step and its errno; but for the last one the file goes with this value.
    package mutating func commit(
        as name: String, keepingPrevious previous: String?
    ) throws(AtomicFileError) {
        do { try file.sync() } catch { throw AtomicFileError(step: .sync, errno: error) }
        if let previous { try AtomicFile.keep(name, as: previous, in: directory) }
        do { try directory.rename(temporary, to: name) } catch {
            throw AtomicFileError(step: .rename, errno: error)
        }
        isInPlace = true
        do { try directory.sync() } catch {
            throw AtomicFileError(step: .syncDirectory, errno: error, inPlace: true)
        }
    }

    /// Removes the temporary files that killed writers have left, and none that is being written.
    ///
    /// Call it while nobody gives a file its name there: the second name that `commit` makes for what
    /// it replaces looks like one that was left.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package static func removeAbandoned(in directory: borrowing Directory) throws(Errno) -> Int {
        var count = 0
        for name in try directory.entries() where TemporaryName.matches(name) {
            let file: FileDescriptor
            do throws(Errno) {
                file = try directory.openFile(name, [.readOnly, .nonBlocking])
            } catch {
                // The second name of a link, which nobody writes.
                if error == .loop, (try? directory.unlink(name)) != nil { count += 1 }
                continue
            }
            guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { continue }
            // It has its own name by now, unless it was left.
            if (try? directory.unlink(name)) != nil { count += 1 }
            withExtendedLifetime(file) {}
        }
        return count
    }
}
