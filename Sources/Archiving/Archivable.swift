/// A value that can be archived and comes back as the type that it was, without its reader naming
/// that type.
///
/// `Bool`, the integers, `Float`, `Double`, `String`, `Date`, `Data`, and arrays, dictionaries, sets
/// and optionals of what is archivable are; `ArchivedList` and `ArchivedMap` hold values of several
/// types. A type with raw values is by saying so:
///
///     enum Visibility: String, Archivable { case everyone, friends }
///
/// A type with properties is an `ArchivableStruct`. Any other gives itself as a value that is
/// archivable already:
///
///     extension Money: Archivable {
///         func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
///             try cents.archive(into: &encoder)
///         }
///         static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Money {
///             Money(cents: try .unarchive(from: &decoder))
///         }
///     }
///
/// Whoever reads such values registers their types: see `ArchiveRegistry`.
public protocol Archivable: Sendable {
    /// The name by which archives know the type.
    ///
    /// By default it is the type's own, without the module and without the types around it, so that
    /// another program, which declares the type too, restores it. Has 1 to 255 bytes, and no space and none of
    /// `[ ] < > ? : ,`: a generic type needs a name that is given here.
    static var archiveTypeName: String { get }

    /// Passes exactly one archivable value on to the encoder.
    ///
    /// - Throws: `.notEncodable`, `.tooLarge`.
    func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError)

    /// Makes a value from what `archive(into:)` has passed on.
    ///
    /// - Throws: `.notDecodable`, `.unregisteredType`.
    static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Self
}

extension Archivable {
    /// The type's own name, without the module.
    public static var archiveTypeName: String { String(describing: Self.self) }
}

extension Archivable where Self: RawRepresentable, RawValue: Archivable {
    /// Passes the raw value on.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try rawValue.archive(into: &encoder)
    }

    /// Makes the value of a raw value.
    ///
    /// - Throws: `.notDecodable` where there is none.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Self {
        let rawValue = try RawValue.unarchive(from: &decoder)
        guard let value = Self(rawValue: rawValue) else {
            throw decoder.refusal("\(archiveTypeName) has no value of a raw value that is there")
        }
        return value
    }
}
