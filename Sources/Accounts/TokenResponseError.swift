import SecretMemory

/// Why a token response was rejected.
///
/// Everything in it comes from this program, but for Weibo's error code and a line and column: no
/// byte of a secret, or of the text at all, can be in it.
package struct TokenResponseError: Error, Equatable, Sendable {
    /// A code for programs, for example `bad-expires_in` or `api-error:21325 invalid_grant`.
    package let reason: String
    /// What happened: one sentence for a person, without a capital and a full stop.
    package let message: String
    /// What to do, likewise; nil when there is nothing to add.
    package let hint: String?

    init(_ reason: String, _ message: String, hint: String? = nil) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }
}

// The input as a whole.
extension TokenResponseError {
    static let empty = TokenResponseError(
        "empty-input", "the input is empty", hint: "give Weibo's token response, a JSON object")
    static let tooLarge = TokenResponseError(
        "too-large", "the input is larger than 64 KiB, which no token response is",
        hint: "give the body of Weibo's answer alone")

    static func memory(_ error: SecretMemoryError) -> TokenResponseError {
        TokenResponseError(
            "out-of-memory", "there is not enough locked memory to hold the token",
            hint: "raise the limit on locked memory (ulimit -l)")
    }

    static func notJSON(_ kind: InputKind) -> TokenResponseError {
        TokenResponseError(
            kind.reason, "the input is not JSON but " + kind.description, hint: kind.hint)
    }

    static func notAnObject(isArray: Bool, isString: Bool) -> TokenResponseError {
        let what = isArray ? "an array" : isString ? "a string" : "a single value"
        let hint =
            isArray
            ? "give one response, from its { to its }"
            : isString
                ? "leave out the quotation marks around the response, and the backslashes"
                : "give the body of Weibo's answer"
        return TokenResponseError(
            "not-an-object", "the input is JSON, but " + what + " and no object", hint: hint)
    }

    /// Weibo's own refusal.
    ///
    /// - Parameters:
    ///   - code: nil when there is none, or one that is no number of at most nine digits.
    ///   - name: what the `error` member holds, if it is a name that this program knows.
    static func api(code: Int64?, name: OAuthErrorName?) -> TokenResponseError {
        var reason = "api-error"
        var message = "Weibo answered with an error"
        if let code {
            reason += ":\(code)"
            message = "Weibo answered with error \(code)"
        }
        if let name, name.isStandard || code == nil {
            reason += (code == nil ? ":" : " ") + name.rawValue
            message += (code == nil ? ", " : " ") + name.rawValue
        }
        let known = code ?? name?.code
        if let known, let meaning = WeiboError.meaning(of: known) { message += ": " + meaning }
        let hint =
            known.flatMap { WeiboError.action(for: $0) }
            ?? "the answer holds no token; what error_description says in it may help"
        return TokenResponseError(reason, message, hint: hint)
    }
}

// One field.
extension TokenResponseError {
    static func badToken(_ field: AccountField, _ fault: AccountField.Fault) -> TokenResponseError {
        let name = field.rawValue
        let what =
            switch fault {
            case .tooLong: "is longer than \(AccountField.maximumTokenLength) bytes"
            case .hasControlCharacters: "holds a line end or another control character"
            case .hasWhitespace: "holds a space"
            case .notASCII: "holds characters outside ASCII"
            case .empty, .notDigits, .outOfRange: "is not valid"
            }
        return TokenResponseError(
            name + "-" + fault.rawValue, "the \(name) " + what,
            hint: "give the response exactly as Weibo sent it")
    }

    static func notAString(_ field: AccountField) -> TokenResponseError {
        TokenResponseError(
            "bad-" + field.rawValue, "the \(field.rawValue) is not a string",
            hint: "give the response exactly as Weibo sent it")
    }

    static let uidMissing = TokenResponseError(
        "uid-missing", "the response does not say whose token it is: it has no uid",
        hint: "give --uid; Weibo's account/get_uid says it")
    static let uidMissingBesideID = TokenResponseError(
        "uid-missing", "the response does not say whose token it is: it has an id but no uid",
        hint: "give --uid; it is the id if this users/show answer is of the token's own user")
    static let badUID = TokenResponseError(
        "bad-uid", "the uid of the response is not a number of 1 to 20 digits",
        hint: "give the response exactly as Weibo sent it")
    static let badGivenUID = TokenResponseError(
        "bad-uid", "the uid given with --uid is not a number of 1 to 20 digits")
    static let uidMismatch = TokenResponseError(
        "uid-mismatch", "the response is for another uid than the one given with --uid",
        hint: "leave out --uid, or give the response of the account that you mean")
    static let profileMismatch = TokenResponseError(
        "uid-mismatch",
        "the profile in the response is of another user than the token's: its id is not the uid",
        hint: "merge the users/show answer for the token's own uid, or none")

    static func badGiven(_ field: AccountField, option: String) -> TokenResponseError {
        let rule =
            switch field {
            case .screenName: "at most \(AccountField.maximumScreenNameLength) bytes"
            case .avatarLarge:
                "at most \(AccountField.maximumAvatarLength) bytes, without spaces and control"
                    + " characters"
            case .expiresIn: "more than 0 and at most 3650 days"
            default: "between the years 1970 and 9999"
            }
        let fault = field == .screenName || field == .avatarLarge ? "bad-" : ""
        let range = fault.isEmpty ? "-out-of-range" : ""
        return TokenResponseError(
            fault + field.rawValue + range, "what \(option) gives must be " + rule)
    }
}

// The expiry.
extension TokenResponseError {
    static let badExpiresIn = TokenResponseError(
        "bad-expires_in", "the expires_in of the response is not a whole number of seconds",
        hint: "give --expires-in or --expires-at if you know the expiry from elsewhere")
    static let alreadyExpired = TokenResponseError(
        "already-expired", "the token was given no time to live: its expires_in is not above zero",
        hint: "log in again for a new token")
    static let givenExpired = TokenResponseError(
        "already-expired", "what --expires-at gives is not after the time of issue",
        hint: "check --expires-at and --issued-at")
    static let givenTooLong = TokenResponseError(
        "expires_in-out-of-range", "there are more than ten years from --issued-at to --expires-at",
        hint: "check --expires-at and --issued-at")
    static let givenTwice = TokenResponseError(
        "expiry-conflict", "--expires-in and --expires-at were both given",
        hint: "give one of them")
    static let expiryMismatch = TokenResponseError(
        "expiry-mismatch", "the expiry given is not the one that the response grants",
        hint: "leave out --expires-in and --expires-at; give --issued-at if the response is old")
    static let expiresAtOutOfRange = TokenResponseError(
        "expires_at-out-of-range",
        "the time of issue or the expiry would be outside the years 1970 to 9999",
        hint: "check --issued-at and the clock")

    static func expiresInOutOfRange(_ value: Int64?) -> TokenResponseError {
        var hint = "Weibo grants five years at the most; give --expires-in or --expires-at"
        if let value, value >= 1_000_000_000, value < 100_000_000_000_000 {
            hint =
                "it looks like a time, not a duration: if it is the expiry, give it with"
                + " --expires-at"
        }
        return TokenResponseError(
            "expires_in-out-of-range", "the expires_in of the response is more than ten years",
            hint: hint)
    }
}
