import SecretMemory

extension Archiver {
    /// Writes a value that names its own types, in the place of what has the name.
    ///
    /// - Throws: `.notEncodable` for a property that is not archivable, by its name; what `write`
    ///   throws.
    public func archive(
        _ value: any Archivable, named name: String
    ) throws(ArchiveError) {
        let name = try ArchiveName(name)
        let arena = try ArchiveStore.arena(4 * Self.maximumValue)
        let list = try ArchiveRegistry().propertyList(
            of: value, in: arena, limit: Self.maximumValue, archive: name.text)
        var writer = try writer(
            named: name.text, kind: .registered, typeName: type(of: value).archiveTypeName)
        try list.withBytes { bytes throws(ArchiveError) in try writer.append(bytes) }
        try writer.commit()
    }

    /// Reads a value as the type that it was, which the caller does not name.
    ///
    /// - Parameters:
    ///   - name: of the archive.
    ///   - registry: knows the types that the value is made of.
    /// - Returns: nil when there is no archive of that name.
    /// - Throws: `.unregisteredType`; `.typeMismatch` for an archive that `archive` has not written.
    public func unarchive(
        named name: String, with registry: ArchiveRegistry
    ) throws(ArchiveError) -> (any Archivable)? {
        let name = try ArchiveName(name)
        switch try store.reader(of: name) {
        case .none: return nil
        case .some(let reader): return try reader.unarchived(name, registry)
        }
    }
}

extension ArchiveReader {
    fileprivate consuming func unarchived(
        _ name: ArchiveName, _ registry: ArchiveRegistry
    ) throws(ArchiveError) -> any Archivable {
        guard kind == .registered else {
            throw .typeMismatch(
                archive: name.text, written: writtenType, asked: "a value that names its types")
        }
        let content = try content(name)
        return try content.withBytes { bytes throws(ArchiveError) in
            try registry.value(ofPropertyList: bytes, archive: name.text)
        }
    }

    /// What is said of the type that was written.
    var writtenType: String {
        switch kind {
        case .propertyList: typeName.isEmpty ? "a property list" : typeName
        case .bytes: "bytes"
        case .json: "JSON"
        case .registered: "an archived \(typeName)"
        }
    }
}
