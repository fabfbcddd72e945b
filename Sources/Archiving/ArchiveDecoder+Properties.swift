import PropertyList

extension ArchiveDecoder {
    /// The property of that name, as the type that is asked for.
    ///
    /// - Throws: `.notDecodable`, which names the property where there is none, and both types where it
    ///   is of another; `.unregisteredType`.
    public subscript<T: Archivable>(_ name: String) -> T {
        mutating get throws(ArchiveError) {
            guard let position = try position(of: name) else {
                throw refusal("\(owner) has no property \(name)")
            }
            return try property(position, name)
        }
    }

    /// The property of that name, or another value where there is none: for a property that values
    /// of an earlier version do not have.
    ///
    /// - Throws: as without the other value.
    public subscript<T: Archivable>(
        _ name: String, default fallback: @autoclosure () -> T
    ) -> T {
        mutating get throws(ArchiveError) {
            guard let position = try position(of: name) else { return fallback() }
            return try property(position, name)
        }
    }

    /// Whether there is a property of that name.
    ///
    /// - Throws: `.notDecodable` where the value has no properties.
    public mutating func contains(_ name: String) throws(ArchiveError) -> Bool {
        try position(of: name) != nil
    }

    /// Restores a value by the closure with which its type was registered.
    mutating func restore<T: ArchivableStruct>(_ type: T.Type) throws(ArchiveError) -> T {
        guard let restorer = registry.restorer(of: type) else {
            throw .unregisteredType(archive: archive, type: T.archiveTypeName)
        }
        place.owner = type
        do { return try restorer.restore(&self) } catch {
            throw failure(error, of: type)
        }
    }

    private func failure(_ error: any Error, of type: any Archivable.Type) -> ArchiveError {
        if let error = error as? ArchiveError { return error }
        return refusal("\(type.archiveTypeName) cannot be restored: \(error)")
    }

    private mutating func property<T: Archivable>(
        _ position: Int, _ name: String
    ) throws(ArchiveError) -> T {
        let node = ask { $0.value(position, of: place.node, in: $1) }
        do throws(ArchiveError) { return try typedValue(T.self, at: node, optionals: 0) } catch {
            guard case .notDecodable(_, let reason) = error else { throw error }
            throw refusal("the property \(name) of \(owner): \(reason)")
        }
    }

    // Properties are mostly asked for in the order in which they were written.
    private mutating func position(of name: String) throws(ArchiveError) -> Int? {
        let first: Int
        if let next = place.next { first = next } else { first = try enter() }
        let position = ask { index, bytes -> Int? in
            let node = place.node
            let count = index.count(of: node)
            for position in first..<count
            where index.string(index.key(position, of: node, in: bytes), equals: name, in: bytes) {
                return position
            }
            for position in 0..<min(first, count)
            where index.string(index.key(position, of: node, in: bytes), equals: name, in: bytes) {
                return position
            }
            return nil
        }
        place.next = position.map { $0 + 1 } ?? first
        return position
    }

    private mutating func enter() throws(ArchiveError) -> Int {
        let node = place.node
        let count = ask { index, _ in
            index.kind(of: node) == .dictionary ? index.count(of: node) : nil
        }
        guard let count else { throw refusal("it is \(described(node)), not \(owner)") }
        try charge(count)
        return 0
    }

    private var owner: String { place.owner?.archiveTypeName ?? "a value with properties" }
}
