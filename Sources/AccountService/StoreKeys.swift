package import SecretMemory

/// What opens the store without anybody being asked: the key file, and the credential that the service
/// manager passes to the daemon. docs/FORMAT.md, "Key slots"
package final class StoreKeys: Sendable {
    /// The key file.
    package let keyFile: KeyFileReading
    /// `accountd.key` of the credentials; absent where none was passed.
    package let credential: KeyFileReading

    /// Makes room for both.
    package init(arena: SecretArena) throws(SecretMemoryError) {
        keyFile = try KeyFileReading(arena: arena)
        credential = try KeyFileReading(arena: arena)
    }
}
