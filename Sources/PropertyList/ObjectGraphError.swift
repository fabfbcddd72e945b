/// Why the objects of a property list could not be read.
///
/// It holds no byte of any value.
package enum ObjectGraphError: Error, Equatable, Sendable {
    /// It is no property list, or one that is damaged or beyond the limits.
    case propertyList(PropertyListError)
    /// Another archiver than NSKeyedArchiver wrote it.
    case unknownArchiver
    /// A version of the archiver wrote it that is not known here.
    case unknownVersion
    /// What stands at this byte of the file is none of what NSKeyedArchiver writes there.
    case malformed(offset: Int)
    /// The reference at this byte of the file leads to no object.
    case danglingReference(offset: Int)
    /// The dictionary at this byte of the file has a key twice.
    case duplicateKey(offset: Int)
    /// An object holds itself.
    case cyclic
    /// Objects stand in one another deeper than the limits allow.
    case tooDeep
    /// There are more ways to the objects than the limits allow, as where each of a few holds the
    /// next one twice.
    case tooManyVisits
}
