import Glibc
import LinuxSystem

/// The listening socket: passed by the service manager, or made at a path of our own.
final class Listener {
    /// Where clients find it.
    let path: String
    let fd: Int32
    private let descriptor: FileDescriptor
    // Only of a socket of our own: one that was passed is the service manager's to look after.
    private let own: FileStatus?
    private let watch: DirectoryWatch?
    // A file system that is unmounted, or mounted over it, takes a socket away without a word to
    // whoever watches its directory.
    private let mounts: FileDescriptor?

    /// Takes over a socket that the service manager passed.
    init(passed descriptor: consuming FileDescriptor, path: String) {
        fd = descriptor.rawValue
        self.descriptor = descriptor
        self.path = path
        own = nil
        watch = nil
        mounts = nil
    }

    /// Makes one, in place of a stale one; the caller holds the store's lock.
    ///
    /// Everybody may connect: whoever is not permitted is told so by a reply, which a mode of the
    /// socket could not do.
    init(at path: String) throws(StartError) {
        let parent = Files.split(path).parent
        var file: FileStatus?
        do throws(UnixSocketError) {
            descriptor = try UnixSocket.listen(at: path, mode: 0o666, replacingStale: true) {
                file = $0
            }
        } catch { throw .refused(error.message) }
        own = file
        fd = descriptor.rawValue
        self.path = path
        do throws(Errno) {
            watch = try DirectoryWatch(parent)
        } catch { throw .system("the socket \(path) cannot be watched", error) }
        mounts = try? Files.open("/proc/self/mountinfo", .readOnly)
        // A daemon of another store may have replaced it before it was watched.
        guard isInPlace else { throw .refused("another process has taken \(path)") }
    }

    var watchDescriptor: Int32? {
        switch watch {
        case .some(let watch): watch.rawValue
        case .none: nil
        }
    }

    /// Reports `.changed` after something was mounted or unmounted. proc(5)
    var mountsDescriptor: Int32? {
        switch mounts {
        case .some(let mounts): mounts.rawValue
        case .none: nil
        }
    }

    func drainWatch() {
        switch watch {
        case .some(let watch): watch.drain()
        case .none: break
        }
    }

    /// Whether the path still leads to this socket, as far as that can be known.
    var isInPlace: Bool { leadsHere ?? true }

    // Nil where the disk or the system does not let it be known, which is no reason to end.
    private var leadsHere: Bool? {
        guard let own else { return true }
        do throws(Errno) {
            return try FileStatus.of(path: path, following: false).isSameFile(as: own)
        } catch { return error.isPassing || error == .inputOutput ? nil : false }
    }

    /// Removes the socket's file, if it is still this one's.
    func remove() {
        if own != nil, leadsHere == true { try? Files.unlink(path) }
    }
}
