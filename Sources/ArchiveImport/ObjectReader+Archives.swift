import AccountImport
import Archiving
import PropertyList
import SecretMemory

// Archives that stand as data within others: an app puts them into its user defaults, or into a field
// of a model.
extension ObjectReader {
    /// What concerns the whole file, though it is found in data within it.
    private static let reasonsOfTheFile: Set<String> = [
        ImportError.account.reason, ImportError.tooMuch.reason,
        ImportError.tooManyReferences.reason, ImportError.memory(.exhausted).reason,
    ]

    /// Reads data that was asked for, where it is an archive of any kind, or a property list.
    ///
    /// - Returns: nil where it is any other data.
    func archive(
        as object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> ImportedArchive? {
        let part = bytes.extracting(try dataRange(object, in: bytes))
        guard let format = try? ArchiveFormat.of(part) else { return nil }
        guard level < ArchiveImportLimits.maximumLevels else { throw .tooDeep }
        switch format {
        case .binary: return try inner(part).readAll(in: part)
        case .xml:
            // XML of any other kind, a picture even, is data.
            guard let document = try? ImportedArchive.xml(part, in: arena) else { return nil }
            return try document.list.withBytes { list throws(ImportError) in
                try inner(list).readAll(in: list)
            }
        case .structArchive:
            return (try? StructReader.read(part, budget)).map { .value($0) }
        }
    }

    /// The value of data within an object that is an archive of NSKeyedArchiver.
    ///
    /// - Returns: nil where it is any other data, or an archive that cannot be read, and so is kept as
    ///   the data that it is.
    func archivedValue(
        _ range: Range<Int>, in bytes: Span<UInt8>
    ) throws(ImportError) -> ArchiveValue? {
        guard level < ArchiveImportLimits.maximumLevels, isPropertyList(range, in: bytes) else {
            return nil
        }
        let part = bytes.extracting(range)
        do throws(ImportError) {
            let reader = try inner(part)
            guard reader.graph.isArchive else { return nil }
            return try reader.wholeValue(in: part)
        } catch {
            if Self.reasonsOfTheFile.contains(error.reason) { throw error }
            return nil
        }
    }

    /// Whether data begins as a binary property list does.
    func isPropertyList(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        let header: StaticString = "bplist"
        guard range.count > header.utf8CodeUnitCount else { return false }
        return header.withUTF8Buffer { header in
            // SAFETY: the buffer is the static string's, and the span does not leave the closure.
            let header = unsafe header.span
            for index in header.indices where bytes[range.lowerBound + index] != header[index] {
                return false
            }
            return true
        }
    }

    private func inner(_ bytes: Span<UInt8>) throws(ImportError) -> ObjectReader {
        try ObjectReader.make(bytes, budget, level: level + 1, in: arena)
    }

    // All that it holds: there is no key that could choose.
    private func readAll(in bytes: Span<UInt8>) throws(ImportError) -> ImportedArchive {
        let tops = try tops(in: bytes)
        if tops.count == 1 { return try read(tops[0].value, in: bytes) }
        return .value(try wholeValue(in: bytes))
    }

    private func wholeValue(in bytes: Span<UInt8>) throws(ImportError) -> ArchiveValue {
        let tops = try tops(in: bytes)
        var values: [String: ArchiveValue] = [:]
        for top in tops {
            try prove(top.value, in: bytes)
            let value = try value(top.value, in: bytes)
            if tops.count == 1 { return value }
            values[try key(top.key, in: bytes)] = value
        }
        return .dictionary(values)
    }
}
