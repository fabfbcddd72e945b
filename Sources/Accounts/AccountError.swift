package import SecretMemory

/// Why an account could not be made, written or read.
///
/// It holds no byte of any value.
package enum AccountError: Error, Equatable, Sendable {
    /// Secret memory could not be had.
    case memory(SecretMemoryError)
    /// Not a property list, or a damaged one, or one beyond the limits.
    case damaged
    /// A property list of something else than a dictionary.
    case notADictionary
    /// The dictionary lacks a value that every account has.
    case missing(AccountField)
    /// A value of the wrong type, or out of its range.
    case invalid(AccountField)
    /// Written by a later version of this program.
    case unsupportedSchema(Int64)
}
