import AccountService
import LinuxSystem

extension StoreFiles {
    /// Reads every file of the store that the service judges.
    ///
    /// - Throws: where the system lacked something, so that nothing is known of a file.
    func readAll() throws(StoreFailure) -> StoreContents {
        var contents = StoreContents()
        contents.account = try read(Self.account, &contents.findings)
        contents.previousAccount = try read(Self.previousAccount, &contents.findings)
        contents.slots = try read(Self.slots, &contents.findings)
        contents.slotsCopy = try read(Self.slotsCopy, &contents.findings)
        contents.nextSlots = try read(Self.nextSlots, &contents.findings)
        contents.hasOtherSealedFiles = try hasOtherSealedFiles()
        return contents
    }

    private func read(
        _ name: String, _ findings: inout [String]
    ) throws(StoreFailure) -> StoreContents.File {
        do throws(Errno) {
            let status: FileStatus
            do throws(Errno) {
                status = try Errno.tryingAgain { () throws(Errno) in
                    try directory.status(of: name)
                }
            } catch {
                guard error == .notFound else { throw error }
                return .absent
            }
            switch status.kind {
            case .regular: break
            case .symlink: return .unreadable("is a symbolic link, which is not followed")
            default: return .unreadable("is no regular file")
            }
            guard status.ownerUID == Users.currentUID else {
                return .unreadable("belongs to uid \(status.ownerUID)")
            }
            if status.permissions & 0o077 != 0 {
                let mode = String(status.permissions, radix: 8)
                findings.append("\(name) has mode 0\(mode), which lets others in; make it 0600")
            }
            return .bytes(
                try Errno.tryingAgain { () throws(Errno) in
                    try directory.read(name: name, limit: Self.maximumFileSize)
                })
        } catch {
            try refuseToGuess(error, name)
            if error == .fileTooLarge { return .unreadable("is larger than any that was written") }
            return .unreadable("cannot be read: \(error.description)")
        }
    }

    private func refuseToGuess(_ error: Errno, _ name: String) throws(StoreFailure) {
        guard error.isPassing else { return }
        throw StoreFailure(
            errno: error.rawValue,
            message: "\(path)/\(name) cannot be read: \(error.description)", isInPlace: false)
    }

    // What cannot be looked into counts as sealed: never a new key over an old store.
    private func hasOtherSealedFiles() throws(StoreFailure) -> Bool {
        do throws(Errno) {
            let hasAppKey = try Errno.tryingAgain { () throws(Errno) in
                try directory.contains(Self.appKey)
            }
            if hasAppKey { return true }
        } catch {
            try refuseToGuess(error, Self.appKey)
            return true
        }
        do throws(Errno) {
            return try Errno.tryingAgain { () throws(Errno) in try hasArchives() }
        } catch {
            try refuseToGuess(error, Self.archives)
            return true
        }
    }

    private func hasArchives() throws(Errno) -> Bool {
        do throws(DirectoryError) {
            let archives = try directory.openDirectory(Self.archives, create: false)
            let names: [String]
            do throws(Errno) {
                names = try archives.entries()
            } catch { throw .system(path: Self.archives, error) }
            return names.contains {
                $0.hasSuffix(Self.sealedSuffix) || $0.hasSuffix(Self.sealedSuffix + "~")
            }
        } catch {
            switch error {
            case .missing: return false
            case .system(_, let errno): throw errno
            default: return true
            }
        }
    }
}
