package import AccountImport
import Archiving
import PropertyList
package import SecretMemory

extension ImportedArchive {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - key: which value of a file is meant that holds several: a key of a user defaults file or of
    ///     an archived dictionary, or one of the names that objects were archived under.
    ///   - arena: where XML becomes a property list, and texts are decoded; see
    ///     `ArchiveImportLimits.arena(forFileOf:)`. It may hold the file too.
    /// - Throws: why it is rejected.
    package static func read(
        _ file: Span<UInt8>, key: String?, in arena: SecretArena
    ) throws(ImportError) -> ImportedArchive {
        try read(file, key: key, ImportBudget(), in: arena)
    }

    /// The same within a budget.
    static func read(
        _ file: Span<UInt8>, key: String?, _ budget: ImportBudget, in arena: SecretArena
    ) throws(ImportError) -> ImportedArchive {
        let limit = ArchiveImportLimits.maximumFile
        guard file.count <= limit else { throw .tooLarge(limit: limit) }
        let format = try ArchiveFormat.of(file)
        switch format {
        case .binary: return try read(list: file, key, budget, in: arena)
        case .xml:
            let document = try xml(file, in: arena)
            return try document.list.withBytes { bytes throws(ImportError) in
                try read(list: bytes, key, budget, in: arena)
            }
        case .structArchive:
            return .value(try StructReader.read(file, budget).chosen(key))
        }
    }

    private static func read(
        list: Span<UInt8>, _ key: String?, _ budget: ImportBudget, in arena: SecretArena
    ) throws(ImportError) -> ImportedArchive {
        let reader = try ObjectReader.make(list, budget, level: 1, in: arena)
        return try reader.read(reader.choose(key, in: list), in: list)
    }

    /// An XML property list as a binary one.
    static func xml(
        _ text: Span<UInt8>, in arena: SecretArena
    ) throws(ImportError) -> XMLDocument {
        let document: XMLDocument
        do throws(ImportError) {
            document = try XMLDocument.read(
                text, limits: ArchiveImportLimits.graph.file, in: arena)
        } catch { throw error.reason == ImportError.otherXML.reason ? .otherXML : error }
        guard !document.isAndroid else { throw .androidPreferences }
        return document
    }
}

extension ArchiveValue {
    /// The value under a key, or this one where none is asked for.
    fileprivate func chosen(_ key: String?) throws(ImportError) -> ArchiveValue {
        guard let key else { return self }
        guard case .dictionary(let members) = self else { throw .noKeys }
        guard let value = members[key] else { throw .noSuchKey(Array(members.keys)) }
        return value
    }
}
