import FoundationEssentials

/// How a value says its type where the reader does not know it.
enum ArchiveForm {
    /// By its kind in the property list.
    case plain
    /// By being an array.
    case list
    /// By being a dictionary that does not say another type.
    case map
    /// By its name; as a property, not at all.
    case optional
    /// By its name.
    case named

    /// Asks the language's runtime, which takes its time: an answer is kept.
    init<T: Archivable>(of type: T.Type) {
        if Self.isPlain(type) {
            self = .plain
        } else if type == ArchivedList.self {
            self = .list
        } else if type == ArchivedMap.self {
            self = .map
        } else {
            self = type is any ArchivableOptional.Type ? .optional : .named
        }
    }

    /// Whether a property list has a kind for the type's values and for no other's.
    static func isPlain<T: Archivable>(_ type: T.Type) -> Bool {
        type == String.self || type == Int.self || type == Bool.self || type == Double.self
            || type == Date.self || type == Data.self
    }
}

/// An optional of something archivable.
protocol ArchivableOptional: Archivable {
    /// The type of what it holds.
    static var wrappedType: any Archivable.Type { get }
}

extension Optional: ArchivableOptional where Wrapped: Archivable {
    static var wrappedType: any Archivable.Type { Wrapped.self }
}
