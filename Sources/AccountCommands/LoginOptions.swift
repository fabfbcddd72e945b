import Accounts
import LinuxSystem

/// What `account login` was given.
struct LoginOptions: Equatable {
    /// `--from`: a path; nil and `-` stand for standard input.
    var source: String?
    /// `--uid`.
    var uid: String?
    /// `--screen-name`.
    var screenName: String?
    /// `--avatar`.
    var avatarLarge: String?
    /// `--issued-at`, seconds since 1970.
    var issuedAt: Int64?
    /// `--expires-in`, seconds.
    var expiresIn: Int64?
    /// `--expires-at`, seconds since 1970.
    var expiresAt: Int64?
    /// `--replace`.
    var replaces = false

    private static let from = CommandOption(
        "--from", "FILE", .file, "read the response from FILE; - is standard input")
    private static let uidOption = CommandOption(
        "--uid", "U", .text, "whose token it is, when the response does not say")
    private static let nameOption = CommandOption(
        "--screen-name", "N", .text, "the user's name")
    private static let avatarOption = CommandOption(
        "--avatar", "URL", .text, "the address of the user's picture")
    private static let issuedAtOption = CommandOption(
        "--issued-at", "TIME", .text,
        """
        when Weibo sent the response; by default when the file was last
        changed, or now
        """)
    private static let expiresInOption = CommandOption(
        "--expires-in", "D", .text, "how long the token lives, when the response does not say",
        rival: "--expires-at")
    private static let expiresAtOption = CommandOption(
        "--expires-at", "TIME", .text, "when it expires, instead", rival: "--expires-in")
    private static let replace = CommandOption(
        "--replace",
        """
        forget another account that is stored; take an expired token in the
        place of a good one; begin a store anew that cannot be opened
        """)

    /// The options of the command.
    static let all = [
        from, uidOption, nameOption, avatarOption, issuedAtOption, expiresInOption,
        expiresAtOption, replace,
    ]

    /// Reads the options of the command.
    init(_ invocation: inout Invocation) throws(CommandFailure) {
        // It may be the token, by somebody who has not read that none is taken from there.
        invocation.wordsAreRefusedWith =
            "name the response's file with --from FILE; a token is not taken from an argument"
        while let option = try invocation.nextOption() {
            switch option {
            case Self.from:
                source = try GlobalOptions.path(invocation.value(of: option), option)
            case Self.uidOption: uid = try invocation.value(of: option)
            case Self.nameOption: screenName = try invocation.value(of: option)
            case Self.avatarOption: avatarLarge = try invocation.value(of: option)
            case Self.issuedAtOption: issuedAt = try Self.time(invocation.value(of: option), option)
            case Self.expiresInOption: expiresIn = try invocation.duration(of: option)
            case Self.expiresAtOption:
                expiresAt = try Self.time(invocation.value(of: option), option)
            case Self.replace: replaces = true
            default: throw Invocation.unknown(option, .login)
            }
        }
        if expiresIn != nil, expiresAt != nil {
            throw .usage("--expires-in and --expires-at exclude each other")
        }
    }

    /// Reads a point in time: RFC 3339, or seconds since 1970.
    static func time(_ text: String, _ option: String) throws(CommandFailure) -> Int64 {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { 0x30 <= $0 && $0 <= 0x39 }
        let seconds = isNumber ? Int64(text) : CivilTime.parse(text)
        guard let seconds, AccountField.check(issuedAt: seconds) == nil else {
            throw .usage(
                "\(option) takes a point in time, not '\(text)'",
                hint: "for example 2026-01-08T00:00:00Z, or seconds since 1970")
        }
        return seconds
    }

    /// What they say beside the response.
    ///
    /// - Parameter receivedAt: when the response came, in seconds since 1970.
    func supplement(receivedAt: Int64) -> TokenResponse.Supplement {
        TokenResponse.Supplement(
            receivedAt: receivedAt, uid: uid, screenName: screenName, avatarLarge: avatarLarge,
            expiresIn: expiresIn, expiresAt: expiresAt, issuedAt: issuedAt)
    }
}
