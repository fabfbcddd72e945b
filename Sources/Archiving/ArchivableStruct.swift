/// A value that is archived property by property.
///
/// By default these are all its stored properties, each of which must be archivable:
///
///     struct Account: ArchivableStruct {
///         var token: String
///         var expires: Date?
///     }
///     registry.register(Account.self) { properties in
///         Account(token: try properties["token"], expires: try properties["expires"])
///     }
///
/// A type that implements `archivedProperties` says itself which they are; one that implements
/// `unarchive(from:)` needs no closure when it is registered.
public protocol ArchivableStruct: Archivable {
    /// The properties to archive, each by its name.
    ///
    /// - Throws: `.notEncodable`. The archive's name need not be in the error.
    var archivedProperties: ArchivedProperties { get throws(ArchiveError) }
}

extension ArchivableStruct {
    /// All stored properties, by reflection.
    ///
    /// - Throws: `.notEncodable` with the name of a property that is not archivable: none is left out.
    public var archivedProperties: ArchivedProperties {
        get throws(ArchiveError) { try ArchivedProperties(reflecting: self) }
    }

    /// Passes the properties on.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(propertiesOf: self)
    }

    /// Restores a value by the closure with which its type was registered.
    ///
    /// - Throws: `.unregisteredType` without one, and what the closure throws.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Self {
        try decoder.restore(Self.self)
    }
}

/// The properties of a value by their names, in an order that is kept.
///
///     ["token": token, "expires": expires]
public struct ArchivedProperties: ExpressibleByDictionaryLiteral, Sendable {
    // Without names of their own, with which the literal's array would be copied into another one.
    var elements: [(String, any Archivable)]

    /// Makes a list of the properties.
    ///
    /// A name that stands there twice, or begins with `$`, is an error when it is archived.
    public init(dictionaryLiteral elements: (String, any Archivable)...) {
        self.elements = elements
    }

    /// Adds a property.
    public mutating func append(_ name: String, _ value: some Archivable) {
        elements.append((name, value))
    }

    /// All that reflection shows of a value.
    init(reflecting value: some ArchivableStruct) throws(ArchiveError) {
        if let fields = StructFields.of(value) {
            elements = fields.properties(of: value)
            return
        }
        elements = []
        let owner = type(of: value).archiveTypeName
        // What a type shows of itself may leave something out.
        guard !(value is any CustomReflectable) else {
            throw .notEncodable(
                archive: "",
                reason: "\(owner) has a mirror of its own, and does not say its properties")
        }
        var mirror: Mirror? = Mirror(reflecting: value)
        // Other kinds have no properties: an enum would lose which case it is.
        guard mirror?.displayStyle == .struct || mirror?.displayStyle == .class else {
            throw .notEncodable(
                archive: "", reason: "\(owner) is no struct, and does not say its properties")
        }
        while let each = mirror {
            for child in each.children {
                let name = child.label ?? "\(elements.count)"
                guard let value = child.value as? any Archivable else {
                    throw .notEncodable(
                        archive: "",
                        reason: "the property \(name) of \(owner) is of the type "
                            + "\(type(of: child.value)), which is not archivable")
                }
                elements.append((name, value))
            }
            mirror = each.superclassMirror
        }
    }
}
