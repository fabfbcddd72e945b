import PropertyList

/// Gives the parts of a value that is being restored: see `Archivable`.
///
/// Where the value is one with properties, it gives them by their names, each as the type that is
/// asked for:
///
///     registry.register(Account.self) { properties in
///         Account(token: try properties["token"], expires: try properties["expires"])
///     }
@safe public struct ArchiveDecoder: ~Copyable {
    typealias Node = PropertyListIndex.Node

    /// Names of types in one archive, each of which makes types in the language's runtime that stay.
    static let maximumTypes = 1024

    /// Where in the list it is, and what is known of that place.
    struct Place {
        let node: Node
        /// Optionals around the value.
        var optionality = 0
        /// Whether the value is an optional of a property, whose type is not named.
        var isProperty = false
        /// The property that is probably asked for next; nil before the first one.
        var next: Int?
        /// The type whose properties are asked for, for errors.
        var owner: (any Archivable.Type)?
    }

    /// An array or a dictionary that was entered.
    struct Container {
        let node: Node
        let count: Int
    }

    let registry: ArchiveRegistry
    let archive: String
    var place: Place
    // The types that names in the list stand for, by where the names are.
    private var types: [Node: any Archivable.Type] = [:]
    private var lastType: (name: Node, type: any Archivable.Type)?
    private var forms: [ObjectIdentifier: ArchiveForm] = [:]
    private var lastForm: (type: ObjectIdentifier, form: ArchiveForm)?
    // Values that may still be read, each as often as it is referred to.
    private(set) var room: Int
    private let index: PropertyListIndex
    // The bytes outlive the decoder, which cannot be copied, is made by `ArchiveRegistry` alone and
    // is lent for the time of a call.
    private let start: UnsafeBufferPointer<UInt8>

    /// - Parameters:
    ///   - index: what `scan` made of the bytes.
    ///   - bytes: live as long as the decoder.
    ///   - room: how many values may be read.
    @unsafe init(
        index: PropertyListIndex, bytes: UnsafeBufferPointer<UInt8>, registry: ArchiveRegistry,
        archive: String, room: Int
    ) {
        self.room = room
        self.registry = registry
        self.archive = archive
        self.index = index
        unsafe start = bytes
        place = Place(node: index.root)
    }

    /// Asks the index about the bytes.
    func ask<R>(_ body: (borrowing PropertyListIndex, Span<UInt8>) -> R) -> R {
        // SAFETY: the bytes live as long as the decoder, and the span does not leave the closure.
        body(index, unsafe start.span)
    }

    /// Reads a value at a node, whatever becomes of it, and comes back to this place.
    mutating func value<T: Archivable>(
        _ type: T.Type = T.self, at inner: Place
    ) throws(ArchiveError) -> T {
        let outer = place
        place = inner
        defer { place = outer }
        return try T.unarchive(from: &self)
    }

    /// Counts values, each as often as it is referred to.
    mutating func charge(_ count: Int) throws(ArchiveError) {
        guard count <= room else { throw refusal("it has too many values") }
        room -= count
    }

    /// The type that a name at a node stands for.
    mutating func type(
        namedAt node: Node
    ) throws(ArchiveError) -> any Archivable.Type {
        if let lastType, lastType.name == node { return lastType.type }
        let type: any Archivable.Type
        if let known = types[node] {
            type = known
        } else {
            guard let name = ask({ $0.text(of: node, in: $1) }) else {
                throw refusal("the name of a type is no text")
            }
            type = try self.type(named: name)
            try remember(type, namedAt: node)
        }
        lastType = (node, type)
        return type
    }

    /// Whether a name at a node stands for the type, which need not be registered.
    mutating func isName<T: Archivable>(
        at node: Node, of type: T.Type
    ) throws(ArchiveError) -> Bool {
        do throws(ArchiveError) { return try self.type(namedAt: node) == type } catch {
            guard case .unregisteredType = error,
                ask({ $0.string(node, equals: T.archiveTypeName, in: $1) })
            else { throw error }
        }
        try remember(type, namedAt: node)
        return true
    }

    /// How values of the type say so.
    mutating func form<T: Archivable>(of type: T.Type) -> ArchiveForm {
        let identifier = ObjectIdentifier(type)
        if let lastForm, lastForm.type == identifier { return lastForm.form }
        let form = forms[identifier] ?? ArchiveForm(of: type)
        forms[identifier] = form
        lastForm = (identifier, form)
        return form
    }

    private mutating func remember(
        _ type: any Archivable.Type, namedAt node: Node
    ) throws(ArchiveError) {
        guard types.count < Self.maximumTypes else { throw refusal("it names too many types") }
        types[node] = type
    }

    private func type(named name: String) throws(ArchiveError) -> any Archivable.Type {
        do throws(ArchiveTypeNameError) { return try registry.type(named: name) } catch {
            switch error {
            case .unregistered(let type):
                throw .unregisteredType(archive: archive, type: type)
            case .notAName: throw refusal("the name of a type is malformed")
            }
        }
    }

    func refusal(_ reason: String) -> ArchiveError {
        .notDecodable(archive: archive, reason: reason)
    }
}
