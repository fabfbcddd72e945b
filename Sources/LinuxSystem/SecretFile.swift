import Glibc

/// A file of 32 secret bytes: a key file, or a credential of the service manager's.
/// docs/FORMAT.md, "Key slots"
package enum SecretFile {
    /// Bytes of it.
    package static let size = 32

    /// What was found there.
    package enum Finding: Equatable, Sendable {
        case read
        /// Why it is not used, in words that follow its name.
        case unusable(String)
    }

    /// Reads it.
    ///
    /// - Parameters:
    ///   - isCredential: whether it is the service manager's, which then sees to who may read it.
    ///   - room: 32 bytes.
    /// - Throws: `.loop` for a symbolic link, else the errno.
    package static func read(
        _ path: String, isCredential: Bool, into room: inout MutableSpan<UInt8>
    ) throws(Errno) -> Finding {
        precondition(room.count == size, "a key has 32 bytes")
        let file = try Files.open(path, [.readOnly, .noFollow, .nonBlocking])
        let status = try file.status()
        guard status.kind == .regular else { return .unusable("is no regular file") }
        guard status.ownerUID == Users.currentUID || status.ownerUID == 0 else {
            return .unusable("belongs to uid \(status.ownerUID)")
        }
        // An access list, by which the service manager lets the service in, shows as a group's right.
        guard status.permissions & (isCredential ? 0o007 : 0o077) == 0 else {
            let mode = String(status.permissions, radix: 8)
            return .unusable("has mode 0\(mode), which lets others in; make it 0600")
        }
        guard status.size == Int64(size) else {
            return .unusable("has \(status.size) bytes; a key has \(size)")
        }
        var count = 0
        while count < size {
            let read = try Files.read(file.rawValue, into: &room, from: count)
            guard read > 0 else { return .unusable("became shorter while it was read") }
            count += read
        }
        return .read
    }
}
