import FoundationEssentials
import PropertyList

extension ArchiveDecoder {
    /// What a dictionary says of itself: where its type's name is, and where its value.
    private struct Naming {
        let type: Node
        let value: Node
    }

    /// Reads a value that says its type.
    mutating func typedValue(at node: Node) throws(ArchiveError) -> any Archivable {
        let place = Place(node: node, optionality: 1)
        switch ask({ index, _ in index.kind(of: node) }) {
        case .boolean: return try value(Bool.self, at: place)
        case .integer: return try value(Int.self, at: place)
        case .real: return try value(Double.self, at: place)
        case .string: return try value(String.self, at: place)
        case .date: return try value(Date.self, at: place)
        case .data: return try value(Data.self, at: place)
        case .array: return try value(ArchivedList.self, at: Place(node: node))
        case .dictionary:
            guard let naming = try naming(node) else {
                return try value(ArchivedMap.self, at: Place(node: node))
            }
            let type = try type(namedAt: naming.type)
            return try any(type, at: naming.value)
        case .null, .uid, .set: throw refusal("\(described(node)) stands where a value is to be")
        }
    }

    private mutating func any<T: Archivable>(
        _ type: T.Type, at node: Node
    ) throws(ArchiveError) -> any Archivable {
        try value(type, at: Place(node: node))
    }

    /// Reads a value that says its type, which is to be this one.
    ///
    /// - Parameter optionals: how many optionals around it were opened.
    mutating func typedValue<T: Archivable>(
        _ type: T.Type, at node: Node, optionals: Int
    ) throws(ArchiveError) -> T {
        guard !ArchiveForm.isPlain(type) else {
            return try value(type, at: Place(node: node, optionality: max(optionals, 1)))
        }
        guard let naming = try naming(node) else {
            return try value(type, unnamedAt: node, optionals: optionals)
        }
        if form(of: type) == .optional {
            return try value(type, at: Place(node: node, optionality: optionals, isProperty: true))
        }
        guard try isName(at: naming.type, of: type) else {
            throw refusal("it is \(described(node)), not \(T.archiveTypeName)")
        }
        return try value(type, at: Place(node: naming.value))
    }

    private mutating func value<T: Archivable>(
        _ type: T.Type, unnamedAt node: Node, optionals: Int
    ) throws(ArchiveError) -> T {
        switch form(of: type) {
        case .optional:
            return try value(type, at: Place(node: node, optionality: optionals, isProperty: true))
        case .list, .map: return try value(type, at: Place(node: node))
        case .plain, .named:
            throw refusal("it is \(described(node)), not \(T.archiveTypeName)")
        }
    }

    private mutating func naming(_ node: Node) throws(ArchiveError) -> Naming? {
        let count = ask { index, _ in
            index.kind(of: node) == .dictionary ? index.count(of: node) : 0
        }
        guard count > 0 else { return nil }
        let isFirst = ask { index, bytes in
            index.string(index.key(0, of: node, in: bytes), equals: ReservedKey.type, in: bytes)
        }
        // Our own writer has it first. To look for it costs, as often as somebody refers to it.
        if !isFirst { try charge(count) }
        return ask { index, bytes in
            let type =
                isFirst
                ? index.value(0, of: node, in: bytes) : index.member("$type", of: node, in: bytes)
            guard let type else { return nil }
            let value = count == 2 ? index.member("$value", of: node, in: bytes) : nil
            return Naming(type: type, value: value ?? node)
        }
    }
}
