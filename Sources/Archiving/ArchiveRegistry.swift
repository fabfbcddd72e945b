import FoundationEssentials

/// The types that a reader of archives knows, so that a value comes back as the type that it was
/// without the reader naming it.
///
///     var registry = ArchiveRegistry()
///     registry.register(Visibility.self)
///     registry.register(Account.self) { properties in
///         Account(token: try properties["token"], expires: try properties["expires"])
///     }
///
/// With a type come the arrays, dictionaries, sets and optionals of it, within one another as deep as
/// need be: `[String: [Account?]]`. What the library itself archives is known to each registry.
///
/// A registry is a value: a program makes its own and passes it to whoever reads. There is none for the
/// whole process, in which the parts of a program would have to agree on their names of types; what
/// parts have registered is put together by `add(_:)`.
public struct ArchiveRegistry: Sendable {
    private static let own: [String: any Archivable.Type] = {
        let types: [any Archivable.Type] = [
            Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self,
            UInt8.self, UInt16.self, UInt32.self, UInt64.self, Float.self, Double.self,
            String.self, Date.self, Data.self, ArchivedList.self, ArchivedMap.self,
        ]
        return Dictionary(uniqueKeysWithValues: types.map { ($0.archiveTypeName, $0) })
    }()

    private var types: [String: any Archivable.Type] = [:]
    private var restorers: [ObjectIdentifier: any ArchiveRestorer] = [:]

    /// Makes a registry that knows the library's own types.
    public init() {}

    /// Registers a type that restores its values itself.
    ///
    /// Registering it once more changes nothing. That two types have one name, or that a name is no name,
    /// is a fault of the program, which is stopped.
    ///
    /// - Parameters:
    ///   - type: of the values.
    ///   - names: other names under which archives may have its values, such as it had earlier.
    public mutating func register<T: Archivable>(_ type: T.Type, formerly names: String...) {
        for name in [T.archiveTypeName] + names { self.name(type, name) }
    }

    /// Registers a type with what restores its values from their properties.
    ///
    /// Registered once more, the type is restored by the closure that came last. That two types have
    /// one name, or that a name is no name, is a fault of the program, which is stopped.
    ///
    /// - Parameters:
    ///   - type: of the values.
    ///   - names: other names under which archives may have its values, such as it had earlier.
    ///   - restore: makes a value of the properties. What it throws, if it is no `ArchiveError`, becomes
    ///     `.notDecodable`.
    public mutating func register<T: ArchivableStruct>(
        _ type: T.Type, formerly names: String...,
        restore: @escaping @Sendable (inout ArchiveDecoder) throws -> T
    ) {
        for name in [T.archiveTypeName] + names { self.name(type, name) }
        restorers[ObjectIdentifier(type)] = StructRestorer(body: restore)
    }

    /// Registers all that another registry knows, whose closures count where both have one.
    ///
    /// That the two have one name for two types is a fault of the program, which is stopped.
    public mutating func add(_ other: ArchiveRegistry) {
        for (name, type) in other.types { self.name(type, name) }
        restorers.merge(other.restorers) { _, new in new }
    }

    private mutating func name(_ type: any Archivable.Type, _ name: String) {
        precondition(ArchiveTypeName.isSimple(name), "\(name) is no name of a type")
        let known = types[name] ?? Self.own[name]
        precondition(known == nil || known == type, "two types have the name \(name)")
        types[name] = type
    }

    func restorer<T: ArchivableStruct>(of type: T.Type) -> StructRestorer<T>? {
        restorers[ObjectIdentifier(type)] as? StructRestorer<T>
    }

    /// The type that a name stands for.
    func type(named text: String) throws(ArchiveTypeNameError) -> any Archivable.Type {
        if let type = types[text] ?? Self.own[text] { return type }
        guard let name = ArchiveTypeName(text) else { throw .notAName }
        return try type(of: name.root)
    }

    private func type(
        of name: ArchiveTypeName.Node
    ) throws(ArchiveTypeNameError) -> any Archivable.Type {
        switch name {
        case .simple(let name):
            guard let type = types[name] ?? Self.own[name] else { throw .unregistered(name) }
            return type
        case .optional(let wrapped):
            let type = try type(of: wrapped)
            return optional(of: type)
        case .array(let element):
            let type = try type(of: element)
            return array(of: type)
        case .set(let element):
            let type = try hashable(element)
            return set(of: type)
        case .dictionary(let key, let value):
            let type = try hashable(key)
            return try dictionary(from: type, to: value)
        }
    }

    private func hashable(
        _ name: ArchiveTypeName.Node
    ) throws(ArchiveTypeNameError) -> any (Archivable & Hashable).Type {
        guard let type = try type(of: name) as? any (Archivable & Hashable).Type else {
            throw .notAName
        }
        return type
    }

    private func optional<T: Archivable>(of _: T.Type) -> any Archivable.Type { T?.self }

    private func array<T: Archivable>(of _: T.Type) -> any Archivable.Type { [T].self }

    private func set<T: Archivable & Hashable>(of _: T.Type) -> any Archivable.Type {
        Set<T>.self
    }

    private func dictionary<Key: Archivable & Hashable>(
        from key: Key.Type, to value: ArchiveTypeName.Node
    ) throws(ArchiveTypeNameError) -> any Archivable.Type {
        let type = try type(of: value)
        return dictionary(from: key, of: type)
    }

    private func dictionary<Key: Archivable & Hashable, Value: Archivable>(
        from _: Key.Type, of _: Value.Type
    ) -> any Archivable.Type { [Key: Value].self }
}

/// What restores the values of one type.
protocol ArchiveRestorer: Sendable {}

final class StructRestorer<T: ArchivableStruct>: ArchiveRestorer {
    private let body: @Sendable (inout ArchiveDecoder) throws -> T

    init(body: @escaping @Sendable (inout ArchiveDecoder) throws -> T) { self.body = body }

    func restore(_ decoder: inout ArchiveDecoder) throws -> T { try body(&decoder) }
}
