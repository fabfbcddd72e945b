/// Why a text was refused; offsets are in bytes from its start.
package enum JSONError: Error, Equatable, Sendable {
    /// Nothing but whitespace.
    case empty
    /// More bytes than the limit.
    case tooLong
    /// The bracket at the offset opens one container too many.
    case tooDeep(offset: Int)
    /// The bytes from the offset on, within a string, are not well-formed. RFC 3629, 4
    case notUTF8(offset: Int)
    /// The byte at the offset cannot stand there; the text's length when it ends too early.
    case syntax(offset: Int)
    /// The name whose quote is at the offset was given before in the same object.
    case duplicateKey(offset: Int)
    /// The escape at the offset is one half of a surrogate pair.
    case loneSurrogate(offset: Int)
    /// U+0000 in a string, as a byte or as an escape.
    case nulCharacter(offset: Int)
    /// Something other than whitespace follows the document.
    case trailingData(offset: Int)
}
