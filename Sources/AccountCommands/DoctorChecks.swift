import LinuxSystem

/// What `account doctor` can see for itself, without the daemon.
struct DoctorChecks {
    /// The longest list of swap areas that is read, in bytes.
    private static let maximumSwapList = 65_536

    let store: StoreLocation

    /// Looks at everything.
    func run() -> [DoctorFinding] {
        directory() + [keyFile(), unit()].compactMap { $0 }
    }

    /// The state directory, and what lies in it.
    func directory() -> [DoctorFinding] {
        let directory: Directory
        do {
            directory = try Directory.open(store.path, create: false)
        } catch {
            if case .missing = error {
                return [DoctorFinding(.ok, "state directory", "\(store.path) is still to be made")]
            }
            return [DoctorFinding(.wrong, "state directory", error.message)]
        }
        let itself = DoctorFinding(.ok, "state directory", "\(store.path) is yours alone")
        let names: [String]
        do { names = try directory.entries().sorted() } catch {
            return [
                itself,
                DoctorFinding(
                    .wrong, "files", "cannot be listed: \(error.message) (\(error.name))"),
            ]
        }
        var faults: [DoctorFinding] = []
        for name in names {
            // What was set aside is not read any more, whatever it is.
            guard !Self.isSetAside(name), let status = try? directory.status(of: name) else {
                continue
            }
            if let fault = Self.fault(of: status, name) {
                faults.append(DoctorFinding(.wrong, "files", "\(store.path)/\(name) \(fault)"))
            }
        }
        if faults.isEmpty {
            faults = [DoctorFinding(.ok, "files", "\(names.count), readable by you alone")]
        }
        return [itself] + faults
    }

    // By its beginning: to look for a text anywhere in another takes the library of regular
    // expressions, as large as all the rest of this program.
    private static func isSetAside(_ name: String) -> Bool {
        for file in ["account.plist.sealed", "keyslots.plist", "keyslots.plist~"] {
            if name.hasPrefix(file + ".damaged-") { return true }
        }
        return false
    }

    /// What is wrong with a file of the store; nil when nothing is.
    static func fault(of status: FileStatus, _ name: String) -> String? {
        switch status.kind {
        // The path to the socket, which is looked at by connecting to it.
        case .symlink: return name == "socket" ? nil : "is a symbolic link, which is never followed"
        case .socket: return name == "socket" ? nil : "is a socket"
        case .fifo, .other: return "is neither a file nor a directory"
        case .regular, .directory: break
        }
        guard status.ownerUID == Users.currentUID else {
            return "belongs to uid \(status.ownerUID)"
        }
        guard status.permissions & 0o077 == 0 else {
            return "has mode 0\(String(status.permissions, radix: 8)), which lets others in"
        }
        return nil
    }

    /// The file that opens the store where nobody can be asked.
    private func keyFile() -> DoctorFinding? {
        let home = (try? Users.homeDirectory()) ?? ""
        let configuration = (try? Environment.absolutePath("XDG_CONFIG_HOME")) ?? home + "/.config"
        let path = configuration + "/account/key"
        guard let status = try? FileStatus.of(path: path, following: false) else { return nil }
        if let fault = Self.fault(of: status, path) {
            return DoctorFinding(.wrong, "key file", "\(path) \(fault)")
        }
        return DoctorFinding(.ok, "key file", "\(path) is readable by you alone")
    }

    /// The user manager's unit.
    private func unit() -> DoctorFinding? {
        if UserManager.offersDaemon() {
            return DoctorFinding(
                .ok, "unit", "the user manager starts the daemon when it is needed")
        }
        return DoctorFinding(
            .note, "unit", "no accountd.socket in a user manager: this program starts the daemon")
    }

    /// Whether what is not locked could reach a disk.
    static func memory(_ status: StatusDescription) -> DoctorFinding {
        guard status.memory == "unlocked" else {
            return DoctorFinding(
                .ok, "memory", "the daemon's \(status.lockedBytes) bytes for secrets are locked")
        }
        let swaps = (try? Files.readWhole("/proc/swaps", limit: maximumSwapList)) ?? []
        // The first line is a heading.
        let hasSwap = swaps.filter { $0 == UInt8(ascii: "\n") }.count > 1
        let limit = ResourceLimits.lockedMemory().map { "\($0) bytes" } ?? "none"
        return DoctorFinding(
            hasSwap ? .wrong : .note, "memory",
            "the daemon could not lock its memory (the limit here is \(limit)), "
                + (hasSwap ? "and there is swap" : "but there is no swap"))
    }

    /// Whether the daemon is of this program's version.
    static func version(_ status: StatusDescription, _ socket: String) -> DoctorFinding {
        let own = "\(AccountCommand.version)"
        guard status.version == own else {
            return DoctorFinding(
                .note, "daemon",
                "version \(status.version) at \(socket), this program is \(own): restart it")
        }
        return DoctorFinding(.ok, "daemon", "version \(own) at \(socket)")
    }
}
