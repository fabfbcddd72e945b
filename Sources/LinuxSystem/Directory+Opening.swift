import Glibc

extension Directory {
    /// Opens a directory that is this user's alone.
    ///
    /// - Parameters:
    ///   - path: what it leads to must be a directory, not a symbolic link to one, of the effective
    ///     user, with no permission for the group or others. Links before the last component are
    ///     followed.
    ///   - create: whether it is made if missing, its missing parents too, each with mode 0700.
    package static func open(_ path: String, create: Bool) throws(DirectoryError) -> Directory {
        try open(path, in: AT_FDCWD, shown: path, create: create)
    }

    /// Opens a directory within this one, under the same conditions.
    package func openDirectory(
        _ name: String, create: Bool
    ) throws(DirectoryError) -> Directory {
        try Self.open(name, in: rawValue, shown: path + "/" + name, create: create)
    }

    private static func open(
        _ given: String, in base: Int32, shown: String, create: Bool
    ) throws(DirectoryError) -> Directory {
        // With a slash at the end the kernel would follow a link after all.
        let path = Files.withoutTrailingSlashes(given)
        let descriptor: FileDescriptor
        do {
            if create { try make(path, in: base) }
            descriptor = try Files.open(path, in: base, [.readOnly, .directory, .noFollow])
        } catch { throw explain(error, path, in: base, shown: shown) }
        let status: FileStatus
        do {
            status = try descriptor.status()
        } catch { throw .system(path: shown, error) }
        guard status.ownerUID == geteuid() else {
            throw .foreignOwner(path: shown, uid: status.ownerUID)
        }
        guard status.permissions & 0o077 == 0 else {
            throw .openToOthers(path: shown, mode: status.permissions)
        }
        return Directory(descriptor, path: shown)
    }

    private static func make(_ path: String, in base: Int32) throws(Errno) {
        do {
            try PathCalls.makeDirectory(path, in: base, 0o700)
        } catch {
            switch error {
            case .exists: return
            case .notFound:
                let parent = Files.split(path).parent
                guard parent != path, parent != "." else { throw error }
                try make(parent, in: base)
                do {
                    try PathCalls.makeDirectory(path, in: base, 0o700)
                } catch {
                    // Another process that found it missing too may have been faster.
                    guard error == .exists else { throw error }
                }
            // The kernel looks for a place before it looks whether the name is there already.
            case .readOnlyFileSystem, .permissionDenied:
                guard (try? FileStatus.of(path: path, in: base, following: false)) != nil else {
                    throw error
                }
                return
            default: throw error
            }
        }
        // What is stored in a new directory is durable only if the directory's own name is. A
        // parent that may be written to but not read cannot be opened for it.
        let parent = Files.split(path).parent
        guard let descriptor = try? Files.open(parent, in: base, [.readOnly, .directory]) else {
            return
        }
        try descriptor.sync()
    }

    private static func explain(
        _ error: Errno, _ path: String, in base: Int32, shown: String
    ) -> DirectoryError {
        switch error {
        case .notFound: return .missing(path: shown)
        case .loop, .notADirectory:
            // With O_DIRECTORY a symbolic link is ENOTDIR as well.
            guard let status = try? FileStatus.of(path: path, in: base, following: false),
                status.kind == .symlink
            else {
                return error == .loop ? .system(path: shown, error) : .notADirectory(path: shown)
            }
            return .symbolicLink(path: shown)
        default: return .system(path: shown, error)
        }
    }
}
