package import SecretMemory

/// Why something could not be sealed or opened.
///
/// Every fault of a file's content is the one `cannotOpen`: whoever sends files in learns nothing
/// from the answer. The three that are told apart stand in the clear at the file's start, and tell
/// the user what to do.
package enum SealingError: Error, Equatable, Sendable {
    /// The content is damaged, forged, or sealed under another key.
    case cannotOpen
    /// The file says that a later version of the program wrote it.
    case unsupportedVersion(Int)
    /// The file says that it is sealed by a suite that this program does not have.
    case unsupportedSuite(Int)
    /// The file is sealed under a master key that is not the one given.
    case unknownKey(MasterKeyID)
    /// The plaintext with its padding is more than the buffer given may hold.
    case tooLarge
    /// There was no secret memory to work in.
    case memory(SecretMemoryError)
}
