/// A list of values of several types, each of which comes back as the type that it was.
///
///     let list: ArchivedList = [1, "two", 3.0, ["four"]]
///
/// It is no array of `any Archivable`, since such an array is not archivable itself.
public struct ArchivedList: Archivable, ExpressibleByArrayLiteral {
    /// The values in their order.
    public var elements: [any Archivable]

    /// Makes a list of the values.
    public init(_ elements: [any Archivable]) { self.elements = elements }

    /// Makes a list of the values.
    public init(arrayLiteral elements: any Archivable...) { self.elements = elements }

    /// Writes the values in their order.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(list: elements)
    }

    /// Reads the values in their order.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> ArchivedList {
        let list = try decoder.enterArray(Self.self)
        var elements: [any Archivable] = []
        elements.reserveCapacity(list.count)
        for position in 0..<list.count {
            elements.append(try decoder.typedElement(position, of: list))
        }
        return ArchivedList(elements)
    }
}

/// Values of several types by names, each of which comes back as the type that it was.
///
///     let map: ArchivedMap = ["count": 1, "names": ["one", "two"]]
public struct ArchivedMap: Archivable, ExpressibleByDictionaryLiteral {
    /// The values by their names.
    public var elements: [String: any Archivable]

    /// Makes a map of the values.
    public init(_ elements: [String: any Archivable]) { self.elements = elements }

    /// Makes a map of the values; of a name that stands there twice the last value counts.
    public init(dictionaryLiteral elements: (String, any Archivable)...) {
        self.elements = Dictionary(elements) { _, last in last }
    }

    /// The value of a name; nil where there is none.
    public subscript(_ name: String) -> (any Archivable)? {
        get { elements[name] }
        set { elements[name] = newValue }
    }

    /// Writes the values in any order.
    public func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try encoder.write(map: elements)
    }

    /// Reads the values.
    ///
    /// - Throws: `.notDecodable` where a name is there twice.
    public static func unarchive(
        from decoder: inout ArchiveDecoder
    ) throws(ArchiveError) -> ArchivedMap {
        let pairs = try decoder.enterDictionary(Self.self, hasTexts: true)
        var map = ArchivedMap()
        for position in 0..<pairs.count {
            let name = try decoder.name(position, of: pairs)
            guard map[name] == nil else { throw decoder.refusal("a map has a name twice") }
            map[name] = try decoder.typedValue(position, of: pairs)
        }
        return map
    }
}
