import AccountService
import LinuxSystem

extension StoreFiles {
    /// Reads every file of the store that the service judges.
    func readAll() -> StoreContents {
        var contents = StoreContents()
        contents.account = read(Self.account, &contents.findings)
        contents.previousAccount = read(Self.previousAccount, &contents.findings)
        contents.slots = read(Self.slots, &contents.findings)
        contents.slotsCopy = read(Self.slotsCopy, &contents.findings)
        contents.hasOtherSealedFiles = hasOtherSealedFiles()
        return contents
    }

    private func read(_ name: String, _ findings: inout [String]) -> StoreContents.File {
        do throws(Errno) {
            let status: FileStatus
            do throws(Errno) {
                status = try directory.status(of: name)
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
            return .bytes(try directory.read(name: name, limit: Self.maximumFileSize))
        } catch {
            if error == .fileTooLarge { return .unreadable("is larger than any that was written") }
            return .unreadable("cannot be read: \(error.description)")
        }
    }

    // What cannot be looked into counts as sealed: never a new key over an old store.
    private func hasOtherSealedFiles() -> Bool {
        if (try? directory.contains(Self.appKey)) ?? true { return true }
        do throws(DirectoryError) {
            let archives = try directory.openDirectory(Self.archives, create: false)
            guard let names = try? archives.entries() else { return true }
            return names.contains {
                $0.hasSuffix(Self.sealedSuffix) || $0.hasSuffix(Self.sealedSuffix + "~")
            }
        } catch {
            if case .missing = error { return false }
            return true
        }
    }
}
