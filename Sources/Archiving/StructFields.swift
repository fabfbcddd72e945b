@_spi(Reflection) import Swift
import Synchronization

/// Where the stored properties of a type of structs are, found once: a mirror of each value takes
/// several times as long as writing it.
///
/// The language's runtime says where they are, by a function of the standard library that is not among
/// its stable ones. Where it says anything that a mirror of the first value does not, it is not
/// asked again, and values of the type are reflected by mirrors.
struct StructFields: Sendable {
    private struct Field: Sendable {
        let name: String
        let offset: Int
        let type: any Archivable.Type
    }

    // The runtime says of what kind a field is, and so, of a type that is one, of what kind it is.
    private struct Box<T> {
        let value: T
    }

    private static let known = Mutex<[ObjectIdentifier: StructFields?]>([:])

    private let fields: [Field]

    /// Those of a value's type; nil where mirrors alone can tell them.
    static func of<T: ArchivableStruct>(_ value: T) -> StructFields? {
        let identifier = ObjectIdentifier(T.self)
        if let fields = known.withLock({ $0[identifier] }) { return fields }
        // Not under the lock: a mirror may be made by the type's own code.
        let fields = StructFields(of: value)
        known.withLock { $0[identifier] = .some(fields) }
        return fields
    }

    private init?<T: ArchivableStruct>(of value: T) {
        guard Self.isStruct(T.self) else { return nil }
        var fields: [Field] = []
        let isWhole = unsafe _forEachField(of: T.self) { name, offset, type, kind in
            // A reference may be weak or unowned, and is then stored in another way than it reads.
            guard kind == .struct || kind == .enum || kind == .optional,
                let archivable = type as? any Archivable.Type, Self.holdsNoClass(archivable)
            else { return false }
            // SAFETY: the name is a C string that the runtime lends for the call.
            fields.append(
                Field(name: unsafe String(cString: name), offset: offset, type: archivable))
            return true
        }
        guard isWhole else { return nil }
        if !(value is any CustomReflectable) {
            let labels = Mirror(reflecting: value).children.map(\.label)
            guard fields.map(\.name) == labels else { return nil }
        }
        self.fields = fields
    }

    private static func isStruct<T>(_ type: T.Type) -> Bool {
        unsafe _forEachField(of: Box<T>.self) { _, _, _, kind in kind == .struct }
    }

    private static func holdsNoClass(_ type: any Archivable.Type) -> Bool {
        guard let optional = type as? any ArchivableOptional.Type else {
            return !(type is AnyClass)
        }
        return holdsNoClass(optional.wrappedType)
    }

    /// The properties of a value of the type.
    func properties<T: ArchivableStruct>(
        of value: T
    ) -> [(String, any Archivable)] {
        unsafe withUnsafeBytes(of: value) { bytes in
            var properties: [(String, any Archivable)] = []
            properties.reserveCapacity(fields.count)
            for field in fields {
                let value = unsafe Self.load(field.type, from: bytes, at: field.offset)
                properties.append((field.name, value))
            }
            return properties
        }
    }

    @unsafe private static func load<T: Archivable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer, at offset: Int
    ) -> any Archivable {
        // SAFETY: the runtime says that a value of the type stands there; its bounds are checked.
        unsafe bytes.load(fromByteOffset: offset, as: type)
    }
}
