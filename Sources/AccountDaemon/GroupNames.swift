import AccountService
import LinuxSystem

/// The groups that may ask, by name: resolved at the start and on SIGHUP, never while serving.
struct GroupNames: Sendable {
    let readers: String?
    let observers: String?

    func policy() throws(StartError) -> AccessPolicy {
        AccessPolicy(
            ownUID: Users.currentUID, readers: try resolve(readers, "--readers"),
            observers: try resolve(observers, "--observers"))
    }

    private func resolve(_ name: String?, _ option: String) throws(StartError) -> UInt32? {
        guard let name else { return nil }
        do throws(Errno) {
            if let gid = try Users.groupID(named: name) { return gid }
        } catch { throw .system("/etc/group cannot be read for \(option)", error) }
        throw .refused("there is no group \(name), which \(option) names")
    }
}
