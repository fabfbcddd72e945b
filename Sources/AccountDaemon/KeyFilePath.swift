import AccountService
import Glibc
import LinuxSystem
import SecretMemory

/// The key file: 32 bytes outside the state directory, so that a copy of that alone opens nothing; or
/// the credential, as many that the service manager passes. docs/FORMAT.md, "Key slots"
struct KeyFilePath: Sendable {
    /// The name of the credential.
    static let credentialName = "accountd.key"

    /// Absolute.
    let path: String
    /// Whether its directory is this program's own, and is made where it is missing.
    let isDefault: Bool
    /// Whether it is the service manager's: then that sees to who may read it, and how.
    var isCredential = false
    /// Whether it is the usual one of a store that is not: then others of the user's open by it too,
    /// and it stays when this one has no slot for it any more.
    var mayBeShared = false

    private var name: String { isCredential ? "the credential \(path)" : "the key file \(path)" }

    /// Reads it into the room given and notes what was found.
    ///
    /// - Throws: where the system lacked something, so that nothing is known of it.
    func read(into reading: KeyFileReading) throws(StoreFailure) {
        var passing: Errno?
        reading.fill { room in
            do throws(Errno) {
                do throws(Errno) {
                    return try read(&room)
                } catch {
                    guard error == .inputOutput else { throw error }
                    return try read(&room)
                }
            } catch {
                if error == .notFound { return .absent }
                if error.isPassing { passing = error }
                if error == .loop {
                    return .unusable(
                        errno: error.rawValue,
                        "\(name) is a symbolic link, which is not followed")
                }
                return .unusable(
                    errno: error.rawValue,
                    "\(name) cannot be read: \(error.description)")
            }
        }
        guard let passing else { return }
        throw StoreFailure(
            errno: passing.rawValue,
            message: "\(name) cannot be read: \(passing.description)",
            isInPlace: false)
    }

    private func read(_ room: inout MutableSpan<UInt8>) throws(Errno) -> KeyFileReading.Finding {
        switch try SecretFile.read(path, isCredential: isCredential, into: &room) {
        case .read: .read
        case .unusable(let why): .unusable(errno: EINVAL, "\(name) \(why)")
        }
    }

    /// Makes it, durably; what is there already is never replaced.
    func create(_ contents: SecretLoan) throws(StoreFailure) {
        do throws(Errno) {
            if isDefault { try makeParent() }
            try contents.withBytes { bytes throws(Errno) in
                try ExclusiveFile.create(bytes, at: path)
            }
        } catch {
            throw StoreFailure(
                errno: error.rawValue,
                message: "the key file \(path) cannot be made: \(error.description); "
                    + "nothing was stored", isInPlace: false)
        }
    }

    /// Removes it: it opens nothing any more, unless it may be another store's.
    func remove() throws(StoreFailure) {
        guard !mayBeShared else { return }
        do throws(Errno) {
            try Files.unlink(path)
            let parent = try Files.open(Files.split(path).parent, [.readOnly, .directory])
            try parent.sync()
        } catch {
            guard error != .notFound else { return }
            throw StoreFailure(
                errno: error.rawValue,
                message: "the key file \(path) cannot be removed: \(error.description)",
                isInPlace: false)
        }
    }

    private func makeParent() throws(Errno) {
        do throws(DirectoryError) {
            _ = try Directory.open(Files.split(path).parent, create: true)
        } catch {
            // An older directory may let others look into it: the key's own mode keeps them out.
            if case .openToOthers = error { return }
            throw Errno(rawValue: error.errno)
        }
    }
}
