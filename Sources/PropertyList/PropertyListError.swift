package import SecretMemory

/// Why a property list could not be read or written.
package enum PropertyListError: Error, Equatable, Sendable {
    /// The bytes do not begin with `bplist00`.
    case notAPropertyList
    /// A field, a reference or an object at this byte of the file is wrong.
    case damaged(offset: Int)
    /// The dictionary at this byte of the file has a key twice.
    case duplicateKey(offset: Int)
    /// The file has more bytes than the limits allow.
    case tooLarge
    /// The file has more objects than the limits allow.
    case tooManyObjects
    /// Containers stand in one another deeper than the limits allow.
    case tooDeep
    /// A container holds itself.
    case cyclic
    /// The writer was given text that is not UTF-8, or a date that is not finite.
    case unwritable
    /// Secret memory for the result could not be had.
    case memory(SecretMemoryError)
}
