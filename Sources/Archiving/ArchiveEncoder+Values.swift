import PropertyList

extension ArchiveEncoder {
    /// Writes a text; one that looks like nothing among optionals, so that it is told from that.
    mutating func write(string: String) throws(ArchiveError) {
        if place.isKey { return try pass(key(string)) }
        guard place.optionality > 0, ReservedKey.dollars(string) > 0 else {
            return try write { writer throws(PropertyListError) in try writer.add(string: string) }
        }
        let dollars = String(repeating: "$", count: place.optionality)
        try pass(key(dollars + string))
    }

    /// Writes the nothing of an optional.
    mutating func writeNull() throws(ArchiveError) {
        let dollars = String(repeating: "$", count: place.optionality)
        try pass(key(dollars + ReservedKey.null))
    }

    /// Writes what an optional holds.
    mutating func write<T: Archivable>(wrapped value: T) throws(ArchiveError) {
        guard place.isProperty else {
            place.optionality += 1
            return try value.archive(into: &self)
        }
        let optionals = place.optionality + 1
        try pass(typedReference(of: value, isProperty: true, optionals: optionals))
    }

    /// Writes an array of values whose type the reader will know.
    mutating func write<T: Archivable>(
        elements: some Collection<T>
    ) throws(ArchiveError) {
        let base = stack.count
        for element in elements { stack.append(try reference(of: element)) }
        try writeArray(from: base)
    }

    /// Writes an array of values each of which says its type.
    mutating func write(list: [any Archivable]) throws(ArchiveError) {
        let base = stack.count
        for element in list { stack.append(try typedReference(of: element)) }
        try writeArray(from: base)
    }

    /// Writes a dictionary of values each of which says its type.
    mutating func write(map: [String: any Archivable]) throws(ArchiveError) {
        // The names, and that a reader looks among them for a type.
        try charge(2 * map.count)
        let base = stack.count
        for name in map.keys {
            // Names that begin so are the form's own.
            stack.append(try key(name.utf8.first == UInt8(ascii: "$") ? "$" + name : name))
        }
        for value in map.values { stack.append(try typedReference(of: value)) }
        try writeDictionary(from: base)
    }

    /// Writes a dictionary of values whose types the reader will know: with texts for keys as it is,
    /// with others as a list of the keys and one of the values.
    mutating func write<Key: Archivable & Hashable, Value: Archivable>(
        dictionary: [Key: Value]
    ) throws(ArchiveError) {
        guard Key.self == String.self else {
            let base = stack.count
            let (keys, values) = (try key(ReservedKey.keys), try key(ReservedKey.values))
            stack.append(keys)
            stack.append(values)
            stack.append(try reference(ofElements: dictionary.keys))
            stack.append(try reference(ofElements: dictionary.values))
            return try writeDictionary(from: base)
        }
        let base = stack.count
        for key in dictionary.keys { stack.append(try reference(of: key, at: Place(isKey: true))) }
        for value in dictionary.values { stack.append(try reference(of: value)) }
        try writeDictionary(from: base)
    }

    private mutating func reference<T: Archivable>(
        ofElements elements: some Collection<T>
    ) throws(ArchiveError) -> Reference {
        let base = stack.count
        for element in elements { stack.append(try reference(of: element)) }
        return try arrayReference(from: base)
    }

    private mutating func writeArray(from base: Int) throws(ArchiveError) {
        try pass(arrayReference(from: base))
    }

    private mutating func arrayReference(from base: Int) throws(ArchiveError) -> Reference {
        let reference: Reference
        // The slice is gone before the stack is shortened, which would else be copied.
        do throws(PropertyListError) { reference = try writer.add(elements: stack[base...]) } catch
        {
            throw self.error(error)
        }
        stack.removeLast(stack.count - base)
        return reference
    }

    /// Writes a dictionary whose keys stand on the stack from there on, and its values after them.
    mutating func writeDictionary(from base: Int) throws(ArchiveError) {
        let reference: Reference
        do throws(PropertyListError) {
            reference = try writer.add(keysThenValues: stack[base...])
        } catch { throw self.error(error) }
        stack.removeLast(stack.count - base)
        try pass(reference)
    }
}
