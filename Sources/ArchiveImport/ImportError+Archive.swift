import AccountImport
import Accounts
import PropertyList

// What is wrong with a file of archives.
extension ImportError {
    static let emptyFile = ImportError("truncated", "the file is empty")

    /// The file is nothing that is read here.
    static func notAnArchive(_ look: InputLook?) -> ImportError {
        guard let look else {
            return ImportError(
                "not-a-plist", "the file is none of the kinds that are read",
                hint: "account help archive says which they are")
        }
        let hint =
            switch look.code {
            case "gzip", "zlib", "zstd", "zip": "unpack it first"
            case "sealed-file": "account archive get reads it, by the archive's name"
            case "bare-token", "authorization-code", "form", "fragment":
                "what Weibo answered is stored with account login"
            default: "account help archive says what is read"
            }
        return ImportError(
            "not-a-plist:\(look.code)", "the file is \(look.description)", hint: hint)
    }

    static let androidPreferences = ImportError(
        "not-a-plist:androidPreferences", "the file is the preferences file of an Android app",
        hint: "account import FILE takes the account from it")
    static let otherXML = ImportError(
        "not-a-plist:xml", "the file is XML, but no property list",
        hint: "account help archive says what is read")

    /// Tokens stand in the account's own file, and in locked memory.
    static let account = ImportError(
        "account", "the file holds an account with its token, which no archive is for",
        hint: "use account import FILE; or name another value of the file with --key")

    /// The same as for accounts, with the limits of this.
    ///
    /// The file's own size is looked at before, so that what is too large is what it stands for.
    static func archive(_ error: ObjectGraphError) -> ImportError {
        ImportError(error, limit: ArchiveImportLimits.maximumContent)
    }

    static let tooMuch = ImportError.archive(.propertyList(.tooLarge))
    static let tooManyReferences = ImportError.archive(.tooManyVisits)
    static let integerOutOfRange = ImportError(
        "integer-out-of-range",
        "the file holds a whole number that 64 bits with a sign cannot hold")
    static let badKey = ImportError(
        "bad-key", "a dictionary in the file has a key that is neither a text nor a whole number")
    static let badDate = ImportError(
        "bad-date", "the file holds a date that is no point in time")
}

// Which value of the file is meant.
extension ImportError {
    /// Keys that are listed, and characters of each.
    private static let listed = 20
    private static let listedLength = 64

    /// Several values, of which one must be chosen.
    static func keyNeeded(_ keys: [String], archives: [String]) -> ImportError {
        let rest = keys.filter { !archives.contains($0) }
        var hint = "give --key with one of them"
        if !archives.isEmpty { hint += "; archives: \(list(archives))" }
        if !rest.isEmpty { hint += "; plain values: \(list(rest))" }
        return ImportError(
            "key-needed", "the file holds \(keys.count) values under keys", hint: hint)
    }

    static func noSuchKey(_ keys: [String]) -> ImportError {
        ImportError(
            "no-such-key", "the file holds nothing under the key given with --key",
            hint: keys.isEmpty ? "it is empty" : "there are: \(list(keys))")
    }

    static let noKeys = ImportError(
        "no-such-key", "the file holds a single value, which is under no key",
        hint: "leave out --key")

    private static func list(_ keys: [String]) -> String {
        let shown = keys.sorted().prefix(listed).map { String($0.prefix(listedLength)) }
        let rest = keys.count - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
