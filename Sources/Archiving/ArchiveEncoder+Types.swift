import PropertyList

/// What an encoder has found out about the types that it met.
struct EncodedTypes {
    struct Entry {
        let form: ArchiveForm
        /// The type's name in the list, once it was needed.
        var name: ArchiveEncoder.Reference?
        /// The names of properties as they came the last time.
        var properties: [(name: String, reference: ArchiveEncoder.Reference)] = []
    }

    var entries: [Entry] = []
    private var positions: [ObjectIdentifier: Int] = [:]
    private var last: (type: ObjectIdentifier, position: Int)?

    /// Where the entry of a type is.
    mutating func position<T: Archivable>(of type: T.Type) -> Int {
        let identifier = ObjectIdentifier(type)
        if let last, last.type == identifier { return last.position }
        let position: Int
        if let known = positions[identifier] {
            position = known
        } else {
            position = entries.count
            entries.append(Entry(form: ArchiveForm(of: type)))
            positions[identifier] = position
        }
        last = (identifier, position)
        return position
    }
}

extension ArchiveEncoder {
    /// Writes a value that says its type.
    ///
    /// - Parameters:
    ///   - isProperty: whether it is read as a type that its reader names, to whom an optional is
    ///     either nothing or what it holds.
    ///   - optionals: how many of a property were opened.
    mutating func typedReference<T: Archivable>(
        of value: T, isProperty: Bool = false, optionals: Int = 0
    ) throws(ArchiveError) -> Reference {
        guard !ArchiveForm.isPlain(T.self) else {
            return try reference(of: value, at: Place(optionality: max(optionals, 1)))
        }
        let position = types.position(of: T.self)
        switch types.entries[position].form {
        case .plain, .list, .map: return try reference(of: value)
        case .optional where isProperty:
            return try reference(of: value, at: Place(optionality: optionals, isProperty: true))
        case .optional, .named:
            return try reference(of: value, at: Place(type: name(of: T.self, at: position)))
        }
    }

    /// Writes a dictionary of properties.
    mutating func write<T: ArchivableStruct>(propertiesOf value: T) throws(ArchiveError) {
        let properties: ArchivedProperties
        do throws(ArchiveError) { properties = try value.archivedProperties } catch {
            guard case .notEncodable("", let reason) = error else { throw error }
            throw refusal(reason)
        }
        let position = types.position(of: T.self)
        let type = place.type
        place.type = nil
        let base = stack.count
        if type != nil {
            try charge(1)
            stack.append(try key(ReservedKey.type))
        }
        let elements = properties.elements
        for index in elements.indices {
            stack.append(try key(elements[index].0, at: index, of: position))
        }
        if let type { stack.append(type) }
        for index in elements.indices {
            stack.append(try propertyReference(of: elements[index].1))
        }
        try writeDictionary(from: base)
    }

    private mutating func propertyReference(
        of value: any Archivable
    ) throws(ArchiveError) -> Reference {
        try typedReference(of: value, isProperty: true)
    }

    // Values of a type have mostly the same properties, in the same order.
    private mutating func key(
        _ name: String, at index: Int, of position: Int
    ) throws(ArchiveError) -> Reference {
        let count = types.entries[position].properties.count
        if index < count, types.entries[position].properties[index].name == name {
            return types.entries[position].properties[index].reference
        }
        guard name.utf8.first != UInt8(ascii: "$") else {
            throw refusal("the name of a property, \(name), begins with $")
        }
        let reference = try key(name)
        if index < count {
            types.entries[position].properties[index] = (name, reference)
        } else if index == count {
            types.entries[position].properties.append((name, reference))
        }
        return reference
    }

    // A name that the reader would take for another type's is refused.
    private mutating func name<T: Archivable>(
        of type: T.Type, at position: Int
    ) throws(ArchiveError) -> Reference {
        if let known = types.entries[position].name { return known }
        let name = T.archiveTypeName
        try require(name, toBeOf: T.self)
        let reference = try key(name)
        types.entries[position].name = reference
        return reference
    }

    private func require(
        _ name: String, toBeOf type: any Archivable.Type
    ) throws(ArchiveError) {
        let found: any Archivable.Type
        do throws(ArchiveTypeNameError) { found = try registry.type(named: name) } catch {
            switch error {
            case .unregistered: return
            case .notAName: throw refusal("\(name) is no name of a type")
            }
        }
        guard found == type else {
            throw refusal("\(name) is the name of another type that is registered")
        }
    }
}
