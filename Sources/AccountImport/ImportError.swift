package import AccountCommands
package import PropertyList
package import SecretMemory

/// Why a file was rejected: a code for scripts, a line that says what is wrong, and one that says
/// what to do.
///
/// None holds a byte of a token.
package struct ImportError: Error, Equatable, Sendable {
    /// A code, as "no-access-token".
    package let reason: String
    /// What is wrong.
    package let message: String
    /// What to do.
    package let hint: String?

    /// Makes one.
    ///
    /// - Parameters:
    ///   - reason: the code.
    ///   - message: what is wrong, without a full stop.
    ///   - hint: what to do.
    package init(_ reason: String, _ message: String, hint: String? = nil) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }

    /// Secret memory could not be had.
    ///
    /// Where the kernel gave it, and all of it is used, no limit of the system's is to be raised.
    package static func memory(_ error: SecretMemoryError) -> ImportError {
        if case .unavailable = error {
            return ImportError(
                "out-of-memory", "there is not enough locked memory to hold it",
                hint: "raise the limit on locked memory (ulimit -l)")
        }
        return ImportError(
            "out-of-memory", "what it holds takes more memory than a file of its size may",
            hint: "give a file that holds less beside it")
    }
}

extension CommandFailure {
    /// A file was rejected.
    package init(_ error: ImportError) {
        self.init(
            .inputRejected, "the file was rejected (\(error.reason)): \(error.message)",
            hint: error.hint)
    }
}

// The file as a whole.
extension ImportError {
    static let emptyFile = ImportError("empty-file", "the file is empty")
    static let tooLarge = ImportError(
        "too-large", "the file has more than \(ImportLimits.maximumFile) bytes",
        hint: "an app's account takes less than a thousand: give the file that holds it alone")

    /// A file has more bytes than are read of its kind.
    package static func tooLarge(limit: Int) -> ImportError {
        guard limit != ImportLimits.maximumFile else { return .tooLarge }
        return ImportError(
            "too-large", "the file, or what it stands for, has more than \(limit) bytes")
    }

    /// The property list is none.
    package static let malformed = ImportError(
        "malformed-plist", "the property list is damaged", hint: "copy the file once more, whole")
    /// The property list is one, but no archive.
    package static let malformedArchive = ImportError(
        "malformed-archive", "the archive holds something that NSKeyedArchiver never writes",
        hint: "copy the file once more, whole")
    /// A key stands twice.
    package static let duplicateKey = ImportError(
        "duplicate-key", "a dictionary in the file gives the same key twice",
        hint: "it is not what an app has written; which of the two holds, nobody can say")
    /// Too deep.
    package static let tooDeep = ImportError(
        "too-deep", "objects in the file stand within one another too deep")
    /// Too many.
    package static let tooManyObjects = ImportError(
        "too-many-objects", "the file holds too many objects")

    /// What the reader of property lists and archives says.
    ///
    /// - Parameter limit: bytes that a file may have.
    package init(_ error: ObjectGraphError, limit: Int = ImportLimits.maximumFile) {
        switch error {
        case .propertyList(let error): self.init(error, limit: limit)
        case .unknownArchiver:
            self.init(
                "unknown-archiver", "another archiver than NSKeyedArchiver wrote the file",
                hint: "only what iOS's own archiver writes is read")
        case .unknownVersion:
            self.init(
                "unknown-version",
                "the archive is of a version that is not known here: only 100000 is")
        case .malformed: self = .malformedArchive
        case .danglingReference: self = .danglingReference
        case .duplicateKey: self = .duplicateKey
        case .cyclic: self = .cycle
        case .tooDeep: self = .tooDeep
        case .tooManyVisits:
            self.init(
                "too-many-references", "the objects of the file hold one another too many times")
        }
    }

    static let danglingReference = ImportError(
        "dangling-reference", "the archive refers to an object that it does not hold",
        hint: "copy the file once more, whole")
    static let cycle = ImportError("cycle", "an object in the file holds itself")

    /// The same of the property list below.
    package init(_ error: PropertyListError, limit: Int = ImportLimits.maximumFile) {
        switch error {
        case .notAPropertyList, .damaged, .unwritable: self = .malformed
        case .duplicateKey: self = .duplicateKey
        case .tooLarge: self = .tooLarge(limit: limit)
        case .tooManyObjects: self = .tooManyObjects
        case .tooDeep: self = .tooDeep
        case .cyclic: self = .cycle
        case .memory(let error):
            self = error == .overLimit ? .tooLarge(limit: limit) : .memory(error)
        }
    }
}
