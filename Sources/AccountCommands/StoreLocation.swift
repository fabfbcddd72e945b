import Glibc
import LinuxSystem

/// The directory in which the account is kept. README.md, "Where things are"
///
/// `$STATE_DIRECTORY` is not looked at: any service that runs `account` would export its own.
struct StoreLocation: Equatable {
    /// Absolute.
    let path: String
    /// Whether the user has chosen it, with `--state` or `ACCOUNT_STATE_DIR`.
    ///
    /// Then the daemon of that store is meant and no other.
    let isChosen: Bool

    /// The socket, or a symbolic link to it, by which the store's daemon is always found.
    var socket: String { path + "/socket" }

    /// `--state`, else `ACCOUNT_STATE_DIR`.
    static func chosen(_ options: GlobalOptions) throws(CommandFailure) -> StoreLocation? {
        var path = options.stateDirectory
        if path.isEmpty {
            do {
                guard let value = try Environment.path("ACCOUNT_STATE_DIR") else { return nil }
                path = value
            } catch { throw CommandFailure(error) }
        }
        return StoreLocation(path: try absolute(path), isChosen: true)
    }

    /// `$XDG_STATE_HOME/account`, else `~/.local/state/account`.
    static func byDefault() throws(CommandFailure) -> StoreLocation {
        do {
            // The specification has relative paths ignored.
            if let state = try Environment.absolutePath("XDG_STATE_HOME") {
                return StoreLocation(path: state + "/account", isChosen: false)
            }
            if let home = try Users.homeDirectory() {
                return StoreLocation(path: home + "/.local/state/account", isChosen: false)
            }
        } catch { throw CommandFailure(error) }
        // As in a unit with `DynamicUser=`: there is no place left where a daemon could be.
        throw CommandFailure(
            .noDaemon, "your home directory is not known",
            hint: "set HOME, name the store with --state DIR, or ask the system's daemon with"
                + " --system")
    }

    /// The one that is chosen, else the usual one.
    static func of(_ options: GlobalOptions) throws(CommandFailure) -> StoreLocation {
        if let chosen = try chosen(options) { return chosen }
        return try byDefault()
    }

    /// The daemon stands at another directory: what it is told must not depend on ours.
    static func absolute(_ path: String) throws(CommandFailure) -> String {
        if Files.isAbsolute(path) { return Files.withoutTrailingSlashes(path) }
        // SAFETY: the result is allocated by the C library and freed here.
        guard let here = unsafe getcwd(nil, 0) else {
            throw .system("cannot tell where the relative path \(path) leads", .current)
        }
        defer { unsafe free(here) }
        return Files.withoutTrailingSlashes(unsafe String(cString: here) + "/" + path)
    }

    /// Whose the store is, or would be: its owner's, else that of the nearest directory above it
    /// that exists.
    ///
    /// - Returns: nil when nothing can be said.
    func owner() -> (uid: UInt32, exists: Bool)? {
        var place = path
        var exists = true
        while true {
            if let status = try? FileStatus.of(path: place, following: true) {
                return (status.ownerUID, exists)
            }
            exists = false
            let parent = Files.split(place).parent
            guard Files.isAbsolute(parent), parent != place else { return nil }
            place = parent
        }
    }

    /// Whether a daemon of this user may be started on it.
    ///
    /// A directory that is still to be made may be made in root's (`/tmp`, `/srv`), but not in
    /// another user's: that is what `sudo` with HOME kept would do.
    func isOwn(uid: UInt32) -> Bool {
        guard let owner = owner() else { return false }
        return owner.uid == uid || (!owner.exists && owner.uid == 0)
    }
}
