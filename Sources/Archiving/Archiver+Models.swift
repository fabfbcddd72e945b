import SecretMemory

extension Archiver {
    /// Makes models of dictionaries, an array of one of an array of the others.
    ///
    /// - Throws: `.notDecodable`, saying which of them does not fit, and where.
    public static func models<Model: Decodable>(
        of type: Model.Type, from dictionaries: [[String: ArchiveValue]]
    ) throws(ArchiveError) -> [Model] {
        let name = String(describing: type)
        // A member that is null is one that is not there.
        let values = dictionaries.map { members in
            ArchiveValue.dictionary(members.filter { $0.value != .null })
        }
        let arena = try ArchiveStore.arena(maximumValue)
        let list = try ArchiveValue.array(values).propertyList(
            in: arena, limit: maximumValue, archive: name)
        return try list.withBytes { bytes throws(ArchiveError) in
            try decoded([Model].self, bytes, isJSON: false, name)
        }
    }
}

extension Archiver {
    /// Writes a value of which no more is known than what it is made of.
    ///
    /// - Parameters:
    ///   - value: what is written.
    ///   - name: of the archive.
    ///   - typeName: of the type as which alone it may be read; empty: any that fits.
    public func write(
        _ value: ArchiveValue, named name: String, typeName: String = ""
    ) throws(ArchiveError) {
        let name = try ArchiveName(name)
        let arena = try ArchiveStore.arena(4 * Self.maximumValue)
        let list = try ArchiveValue.array([value]).propertyList(
            in: arena, limit: Self.maximumValue, archive: name.text)
        var writer = try writer(named: name.text, kind: .propertyList, typeName: typeName)
        try list.withBytes { bytes throws(ArchiveError) in try writer.append(bytes) }
        try writer.commit()
    }

    /// Reads a value as what it is made of, whatever type it was written as.
    ///
    /// - Returns: nil when there is no archive of that name.
    /// - Throws: `.typeMismatch` for an archive of bytes or of JSON, which are read part by part.
    public func value(named name: String) throws(ArchiveError) -> ArchiveValue? {
        let name = try ArchiveName(name)
        switch try store.reader(of: name) {
        case .none: return nil
        case .some(let reader): return try reader.value(name)
        }
    }
}

extension ArchiveReader {
    /// Reads all of it as what it is made of.
    ///
    /// - Parameter name: of the archive, for errors.
    package consuming func value(named name: String) throws(ArchiveError) -> ArchiveValue {
        try value(ArchiveName(name))
    }

    /// Reads all of it as what it is made of.
    consuming func value(_ name: ArchiveName) throws(ArchiveError) -> ArchiveValue {
        let kind = self.kind
        guard kind == .propertyList || kind == .registered else {
            throw .typeMismatch(archive: name.text, written: writtenType, asked: "a value")
        }
        let content = try content(name)
        let value = try content.withBytes { bytes throws(ArchiveError) in
            try ArchiveValue(propertyList: bytes, archive: name.text)
        }
        guard kind == .propertyList else { return value }
        guard case .array(let values) = value, let only = values.first, values.count == 1 else {
            throw .notDecodable(archive: name.text, reason: "it holds no value")
        }
        return only
    }
}
