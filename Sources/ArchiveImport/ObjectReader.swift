import AccountImport
import Archiving
import FoundationEssentials
import PropertyList
import SecretMemory

/// Makes values of the objects of a property list.
///
/// Every object of a class that an app has made is a dictionary of its fields, by the names that it
/// was archived under, with the name of its class under `$class`. What an object holds is proved to
/// end, and to be within the limits, before any of it is made: `prove` walks it, and what is made
/// afterwards may recurse.
struct ObjectReader {
    typealias Object = ObjectGraph.Object

    /// Under which a model has the name of its class; no field of an archive is called that.
    static let classKey = "$class"

    let graph: ObjectGraph
    let budget: ImportBudget
    /// Archives that this one stands in, itself included.
    let level: Int
    let arena: SecretArena

    /// Reads a binary property list, as far as its frame goes.
    static func make(
        _ bytes: Span<UInt8>, _ budget: ImportBudget, level: Int, in arena: SecretArena
    ) throws(ImportError) -> ObjectReader {
        var graph = ObjectGraph(limits: ArchiveImportLimits.graph)
        do { try graph.scan(bytes) } catch { throw .archive(error) }
        return ObjectReader(graph: graph, budget: budget, level: level, arena: arena)
    }

    /// What an object is, as a whole: drafts, models, or any other value.
    func read(_ root: Object, in bytes: Span<UInt8>) throws(ImportError) -> ImportedArchive {
        let kind = try kind(root, in: bytes)
        if kind == .null { throw .emptyArchive }
        if kind == .data, let archive = try archive(as: root, in: bytes) { return archive }
        try prove(root, in: bytes)
        switch kind {
        case .array:
            let elements = try elements(of: root, in: bytes)
            if elements.isEmpty, graph.isArchive { return .drafts([], warnings: []) }
            if try areDrafts(elements, in: bytes) { return try drafts(elements, in: bytes) }
            return try list(elements, in: bytes)
        case .set: return try list(elements(of: root, in: bytes), in: bytes)
        case .object:
            if try areDrafts([root], in: bytes) { return try drafts([root], in: bytes) }
        default: break
        }
        return .value(try value(root, in: bytes))
    }

    // Models where all are that.
    private func list(
        _ elements: [Object], in bytes: Span<UInt8>
    ) throws(ImportError) -> ImportedArchive {
        var values: [ArchiveValue] = []
        var names: Set<String> = []
        var areModels = !elements.isEmpty
        for element in elements {
            let value = try value(element, in: bytes)
            values.append(value)
            if case .dictionary(let members) = value,
                case .string(let name)? = members[Self.classKey]
            {
                names.insert(name)
            } else {
                areModels = false
            }
        }
        guard areModels else { return .value(.array(values)) }
        guard names.count == 1 else { return .objects(values, className: nil) }
        return .objects(values.map(\.withoutClass), className: names.first)
    }

    /// Sees that all that an object holds ends, is within the limits, and is no account.
    ///
    /// What it holds is counted as it will stand in the values.
    func prove(_ root: Object, in bytes: Span<UInt8>) throws(ImportError) {
        var hasToken = false
        do throws(ObjectGraphError) {
            try graph.walk(from: root, in: bytes) { object, kind throws(ObjectGraphError) in
                try budget.visit()
                switch kind {
                case .string: try count(object, in: bytes)
                case .data: try budget.take(graph.dataRange(object, in: bytes)?.count ?? 0)
                case .dictionary, .object:
                    if let picture = try picture(object, in: bytes) {
                        try budget.take(picture.count)
                        return .past
                    }
                    if try self.hasToken(object, in: bytes) { hasToken = true }
                    if let name = try graph.className(of: object, in: bytes) {
                        try count(name, in: bytes)
                    }
                    try graph.forEachMember(of: object, in: bytes) {
                        key, _ throws(ObjectGraphError) in try count(key, in: bytes)
                    }
                default: break
                }
                return .into
            }
        } catch { throw .archive(error) }
        if hasToken { throw .account }
    }

    private func count(_ text: Object, in bytes: Span<UInt8>) throws(ObjectGraphError) {
        try budget.take(graph.decodedCount(of: text, in: bytes) ?? 0)
    }

    private func hasToken(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Bool {
        for name: StaticString in ["access_token", "accessToken", "_access_token", "_accessToken"] {
            guard let token = try graph.member(name, of: object, in: bytes),
                let length = try graph.decodedCount(of: token, in: bytes)
            else { continue }
            if length > 0 { return true }
        }
        return false
    }
}

extension ArchiveValue {
    /// A model without the name of its class.
    fileprivate var withoutClass: ArchiveValue {
        guard case .dictionary(var members) = self else { return self }
        members[ObjectReader.classKey] = nil
        return .dictionary(members)
    }
}
