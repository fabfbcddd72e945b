import Glibc

extension UnixSocket {
    /// Connections that may wait to be accepted; the kernel lowers it to net.core.somaxconn.
    package static let longestBacklog: Int32 = 4096

    /// Listens on a path.
    ///
    /// The socket is bound under a temporary name in the same directory, given its mode, set to
    /// listen, and only then moved to its place: whoever finds it there can connect, under the mode
    /// that it will keep, and a stale one is replaced without a moment when there is none. A path
    /// that is too long for an address is bound through its directory's descriptor. Tools that list
    /// sockets show the temporary name.
    ///
    /// - Parameters:
    ///   - path: its last component has 107 bytes at the most.
    ///   - backlog: connections that may wait.
    ///   - mode: 0600, or 0666 where everybody may connect and be told that they are not permitted.
    ///   - replacingStale: whether a socket of this user that nobody listens on is replaced. To be
    ///     asked for only by the holder of a lock that every other listener takes too.
    ///   - file: gets what the socket's own file is, taken before anybody else could put another
    ///     one in its place.
    /// - Returns: a non-blocking listener.
    package static func listen(
        at path: String, backlog: Int32 = longestBacklog, mode: UInt32, replacingStale: Bool,
        noting file: (FileStatus) -> Void = { _ in }
    ) throws(UnixSocketError) -> FileDescriptor {
        let (parent, name) = Files.split(path)
        guard name.utf8.count <= SocketAddress.longestPath else {
            throw .nameTooLong(
                path: path, bytes: name.utf8.count, limit: SocketAddress.longestPath)
        }
        let directory: FileDescriptor
        do {
            directory = try Files.openPath(parent, following: true)
        } catch { throw .system(path: path, error) }
        let replaces = try isStale(path, name, in: directory.rawValue)
        guard replacingStale || !replaces else { throw .stale(path: path) }
        do {
            return try place(
                name, in: directory.rawValue, parent, backlog, mode, replaces: replaces,
                noting: file)
        } catch {
            throw !replaces && error == .exists ? .inUse(path: path) : .system(path: path, error)
        }
    }

    // False when nothing is there; throws when what is there must stay.
    private static func isStale(
        _ path: String, _ name: String, in directory: Int32
    ) throws(UnixSocketError) -> Bool {
        let status: FileStatus
        do {
            status = try FileStatus.of(path: name, in: directory, following: false)
        } catch {
            guard error == .notFound else { throw .system(path: path, error) }
            return false
        }
        guard status.kind == .socket || status.kind == .symlink else {
            throw .notASocket(path: path)
        }
        guard status.ownerUID == geteuid() else {
            throw .foreignOwner(path: path, uid: status.ownerUID)
        }
        do {
            _ = try connect(to: path, timeoutMilliseconds: 0)
            throw UnixSocketError.inUse(path: path)
        } catch let error as Errno {
            switch error {
            // A link that leads nowhere is as stale as a socket without a listener.
            case .connectionRefused, .notFound: return true
            // A full backlog, or a socket of another kind: somebody has it.
            case .timedOut, Errno(EPROTOTYPE): throw .inUse(path: path)
            default: throw .system(path: path, error)
            }
        } catch { throw .inUse(path: path) }
    }

    private static func place(
        _ name: String, in directory: Int32, _ parent: String, _ backlog: Int32, _ mode: UInt32,
        replaces: Bool, noting file: (FileStatus) -> Void
    ) throws(Errno) -> FileDescriptor {
        let socket = try make(SOCK_STREAM, nonBlocking: true)
        let number = socket.rawValue
        let temporary = TemporaryName.make()
        guard
            let address = SocketAddress(path: parent + "/" + temporary)
                ?? SocketAddress(path: "/proc/self/fd/\(directory)/\(temporary)")
        else { throw .nameTooLong }
        // SAFETY: the address lives for the call.
        guard unsafe address.with({ unsafe bind(number, $0, $1) }) == 0 else { throw .current }
        do {
            try PathCalls.changeMode(temporary, in: directory, mode)
            _ = try valueOrErrno { Glibc.listen(number, backlog) }
            file(try FileStatus.of(path: temporary, in: directory, following: false))
            if replaces {
                try PathCalls.rename(temporary, to: name, in: directory)
            } else {
                // Unlike a rename, a link fails where something has come up meanwhile.
                try PathCalls.link(temporary, as: name, in: directory)
                try PathCalls.unlink(temporary, in: directory)
            }
        } catch {
            try? PathCalls.unlink(temporary, in: directory)
            throw error
        }
        return socket
    }
}
