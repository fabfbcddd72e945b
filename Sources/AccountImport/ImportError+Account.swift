import Accounts

// The account within the file.
extension ImportError {
    /// There is nothing in it.
    package static let emptyArchive = ImportError(
        "empty-archive", "the archive holds nothing: the app archived nil")
    static let noAccount = ImportError(
        "no-account", "nothing in the file has an access token",
        hint: "give the file that the app keeps its account in")
    static let unkeyed = ImportError(
        "unkeyed", "the app archived its values without keys, so that none says what it is",
        hint: "read them with plutil -p, and give them to account login as JSON")
    static let noAccessToken = ImportError(
        "no-access-token", "the account in the file has no access token: nobody was logged in")

    static func notAString(_ field: AccountField) -> ImportError {
        ImportError("\(field.rawValue)-not-a-string", "the \(field.rawValue) is not a string")
    }

    static func badToken(_ field: AccountField, _ fault: String) -> ImportError {
        let what =
            switch fault {
            case "too-long": "is longer than \(AccountField.maximumTokenLength) bytes"
            case "has-control-characters": "holds a line end or another control character"
            case "has-whitespace": "holds a space"
            case "not-ascii": "holds characters outside ASCII"
            default: "is not valid"
            }
        return ImportError("\(field.rawValue)-\(fault)", "the \(field.rawValue) " + what)
    }

    static let uidMissing = ImportError(
        "uid-missing", "the file does not say whose token it is", hint: "give --uid")
    static let badUID = ImportError(
        "bad-uid", "the uid in the file is not a number of 1 to 20 digits")
    static let badGivenUID = ImportError(
        "bad-uid", "the uid given with --uid is not a number of 1 to 20 digits")
    static let uidMismatch = ImportError(
        "uid-mismatch", "the account in the file is of another uid than the one given with --uid",
        hint: "leave out --uid, or give the file of the account that you mean")

    static let tooManyAccounts = ImportError(
        "too-many-accounts", "the file holds more than \(ImportLimits.maximumAccounts) accounts")

    static func severalAccounts(_ names: [String]) -> ImportError {
        ImportError(
            "several-accounts", "the file holds \(names.count) accounts: " + list(names),
            hint: "choose one of them with --uid")
    }

    static func severalOfUID(_ count: Int) -> ImportError {
        ImportError(
            "several-accounts", "the file holds \(count) accounts of the uid given with --uid",
            hint: "which of them holds, nobody can say: give a file with one of them")
    }

    // What a person reads through, and no more.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(ImportLimits.maximumNames).joined(separator: ", ")
        let more = names.count - ImportLimits.maximumNames
        return more > 0 ? "\(shown), and \(more) more" : shown
    }

    static func noSuchAccount(_ names: [String]) -> ImportError {
        ImportError(
            "uid-mismatch",
            "no account in the file has the uid given with --uid, but there are: "
                + list(names),
            hint: "choose one of them with --uid")
    }

    static func refused(_ status: Int64) -> ImportError {
        ImportError(
            "login-refused",
            "the Weibo app had answered with status \(status): no login took place",
            hint: status == -1 ? "the user had cancelled it" : nil)
    }
}

// Its expiry.
extension ImportError {
    static func expiryUnknown(hint: String) -> ImportError {
        ImportError(
            "expiry-unknown", "the file does not say when the token expires", hint: hint)
    }

    static func badDate(_ field: AccountField) -> ImportError {
        ImportError(
            "bad-\(field.rawValue)", "the \(field.rawValue) in the file is no point in time",
            hint: "give --expires-at if you know the expiry from elsewhere")
    }

    static let badExpiresIn = ImportError(
        "bad-expires_in", "the expires_in in the file is no whole number of seconds",
        hint: "give --expires-at if you know the expiry from elsewhere")
    static let expiresInOutOfRange = ImportError(
        "expires_in-out-of-range", "the life of the token would be none, or more than ten years",
        hint: "give --expires-at if you know the expiry from elsewhere")
    static let expiresAtOutOfRange = ImportError(
        "expires_at-out-of-range", "the expiry would be outside the years 1970 to 9999",
        hint: "give --expires-at if you know the expiry from elsewhere")
    static let expiryMismatch = ImportError(
        "expiry-mismatch", "what is given of the expiry is not what the file says",
        hint: "leave out --expires-at, --expires-in and --issued-at as far as the file says them")
    static let givenTwice = ImportError(
        "expiry-conflict", "--expires-at, --expires-in and --issued-at do not add up",
        hint: "give two of them")
}
