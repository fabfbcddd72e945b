package import LinuxSystem
package import Sealing
package import SecretMemory

/// The key of one archive, which opens and seals that one and nothing else.
package struct ArchiveKey: ~Copyable {
    /// The key.
    package let bytes: SecretBytes
    /// The id of the master key that it is derived from.
    package let id: MasterKeyID

    /// Takes the key over.
    package init(bytes: consuming SecretBytes, id: MasterKeyID) {
        precondition(bytes.count == MasterKey.size, "a derived key is 32 bytes")
        self.bytes = bytes
        self.id = id
    }
}

/// Who gives the keys of archives: the daemon, or where none runs what opens the store by itself.
package protocol ArchiveKeySource: Sendable {
    /// Gives the key of an archive.
    ///
    /// - Parameters:
    ///   - name: of the archive.
    ///   - id: of the master key that sealed it; nil: the current one.
    ///   - store: the state directory.
    ///   - arena: where the key goes, and all that it is made from.
    /// - Returns: nil where the store has no master key of that id.
    func key(
        of name: ArchiveName, under id: MasterKeyID?, in store: borrowing Directory,
        arena: SecretArena
    ) throws(ArchiveError) -> ArchiveKey?
}
