package import AccountImport
package import Archiving

extension ImportedArchive {
    /// The drafts, the newest first, with what is odd about them.
    ///
    /// - Throws: what the file holds, where it is no drafts.
    package func drafts() throws(ImportError) -> (drafts: [Draft], warnings: [String]) {
        switch self {
        case .drafts(let drafts, let warnings): return (drafts, warnings)
        case .objects(let objects, let className):
            let what = objects.count == 1 ? "1 object" : "\(objects.count) objects"
            throw .noDrafts(
                className.map { "\(what) of the class \($0)" } ?? "\(what) of several classes")
        case .value(let value): throw .noDrafts(value.kind)
        }
    }
}

extension ArchiveValue {
    /// What it is, in a word or two.
    fileprivate var kind: String {
        switch self {
        case .null, .boolean, .integer, .real: "a single value"
        case .string: "a text"
        case .date: "a date"
        case .data: "data"
        case .array: "a list of other values"
        case .dictionary(let members):
            if case .string(let name)? = members[ObjectReader.classKey] {
                "an object of the class \(name)"
            } else {
                "a dictionary"
            }
        }
    }
}

extension ImportError {
    fileprivate static func noDrafts(_ what: String) -> ImportError {
        ImportError(
            "no-drafts", "the file holds no drafts, but \(what)",
            hint: "account archive import FILE keeps it as an archive")
    }
}
