import CLinux
import Glibc

/// Who is at the other end of a connection, as the kernel noted when it was made. SO_PEERCRED and
/// SO_PEERGROUPS, unix(7)
package struct PeerCredentials: Equatable, Sendable {
    /// 65536 is the kernel's own limit on a process's groups.
    private static let mostGroups = 65_536

    /// 0 when the process is in a pid namespace that is not seen from here.
    package let pid: Int32
    /// The effective user of the process.
    package let uid: UInt32
    /// The effective group of the process.
    package let gid: UInt32

    /// Credentials from elsewhere, for tests of what is decided by them.
    package init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }

    /// Of the process that connected, or that listens.
    package static func of(fd: Int32) throws(Errno) -> PeerCredentials {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        // SAFETY: three integers to fill.
        guard unsafe clinux_peer_credentials(fd, &pid, &uid, &gid) == 0 else { throw .current }
        return PeerCredentials(pid: pid, uid: uid, gid: gid)
    }

    /// The supplementary groups of the process that connected.
    package static func groups(of fd: Int32) throws(Errno) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 64)
        while true {
            let capacity = groups.count
            let count = unsafe groups.withUnsafeMutableBufferPointer { room in
                // SAFETY: the function writes no more than the capacity.
                unsafe Int(clinux_peer_groups(fd, room.baseAddress, Int32(capacity)))
            }
            guard count >= 0 else { throw .current }
            if count <= capacity {
                groups.removeLast(capacity - count)
                return groups
            }
            guard count <= mostGroups else { throw Errno(ERANGE) }
            groups = [UInt32](repeating: 0, count: count)
        }
    }
}
