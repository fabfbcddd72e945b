extension Optional: Archivable where Wrapped: Archivable {
    /// The name of what it holds, and `?`.
    public static var archiveTypeName: String { "\(Wrapped.archiveTypeName)?" }

    /// Writes what it holds, or nothing.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        guard let self else { return try encoder.writeNull() }
        try encoder.write(wrapped: self)
    }

    /// Reads what it holds, or nothing.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Wrapped? {
        guard decoder.isNotNull() else { return nil }
        return try decoder.wrapped(Wrapped.self)
    }
}

extension Array: Archivable where Element: Archivable {
    /// `[Element]`.
    public static var archiveTypeName: String { "[\(Element.archiveTypeName)]" }

    /// Writes the elements in their order.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(elements: self)
    }

    /// Reads the elements in their order.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> [Element] {
        let list = try decoder.enterArray(Self.self)
        var elements: [Element] = []
        elements.reserveCapacity(list.count)
        for position in 0..<list.count {
            elements.append(try decoder.element(position, of: list))
        }
        return elements
    }
}

extension Set: Archivable where Element: Archivable {
    /// `Set<Element>`.
    public static var archiveTypeName: String { "Set<\(Element.archiveTypeName)>" }

    /// Writes the elements in any order.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(elements: self)
    }

    /// Reads the elements.
    ///
    /// - Throws: `.notDecodable` where one is there twice.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> Set<Element> {
        let list = try decoder.enterArray(Self.self)
        var elements: Set<Element> = []
        elements.reserveCapacity(list.count)
        for position in 0..<list.count {
            guard elements.insert(try decoder.element(position, of: list)).inserted else {
                throw decoder.refusal("a set has an element twice")
            }
        }
        return elements
    }
}

extension Dictionary: Archivable where Key: Archivable, Value: Archivable {
    /// `[Key: Value]`.
    public static var archiveTypeName: String {
        "[\(Key.archiveTypeName): \(Value.archiveTypeName)]"
    }

    /// Writes the members in any order.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(dictionary: self)
    }

    /// Reads the members.
    ///
    /// - Throws: `.notDecodable` where a key is there twice.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> [Key: Value] {
        let pairs = try decoder.enterDictionary(Self.self, hasTexts: Key.self == String.self)
        var members: [Key: Value] = [:]
        members.reserveCapacity(pairs.count)
        for position in 0..<pairs.count {
            let key: Key = try decoder.key(position, of: pairs)
            guard members.updateValue(try decoder.value(position, of: pairs), forKey: key) == nil
            else { throw decoder.refusal("a dictionary has a key twice") }
        }
        return members
    }
}
