/// The parts of an account, named as the store, the protocol and Weibo name them, and what each may
/// be.
///
/// A check returns nil for a good value, else the reason as a code that follows the field's name in
/// an error ("too-long"). No reason holds a byte of the value.
package enum AccountField: String, Equatable, Sendable, CaseIterable {
    /// Secret: what Weibo takes for the user.
    case accessToken = "access_token"
    /// Secret: what Weibo gives a new access token for.
    case refreshToken = "refresh_token"
    /// Weibo's number of the user.
    case uid
    /// The name that the user chose.
    case screenName = "screen_name"
    /// The address of the avatar.
    case avatarLarge = "avatar_large"
    /// The granted life in seconds.
    case expiresIn = "expires_in"
    /// When it was granted.
    case issuedAt = "issued_at"
    /// When it ends, as the protocol names it, in seconds since 1970.
    case expiresAt = "expires_at"
    /// When it ends, as the store names it, a date.
    case expiresDate = "expires_date"
    /// Weibo's error code, when the token was refused.
    case refused
    /// The version of the stored dictionary.
    case schema

    /// Bytes of an access or refresh token.
    ///
    /// Weibo's have 32; nobody promises that they will.
    package static let maximumTokenLength = 4096
    /// Digits of a uid: what 64 bits can need.
    package static let maximumUIDLength = 20
    /// UTF-8 bytes of a screen name.
    package static let maximumScreenNameLength = 256
    /// Bytes of an avatar's address.
    package static let maximumAvatarLength = 2048
    /// Seconds: ten years.
    ///
    /// The longest life that Weibo grants is five.
    package static let maximumExpiresIn: Int64 = 315_360_000
    /// Seconds since 1970: the last that RFC 3339 can write, 9999-12-31T23:59:59Z.
    ///
    /// A binary property list's dates, which are doubles, hold every whole second up to it exactly.
    package static let latestTime: Int64 = 253_402_300_799

    /// What can be wrong with a value.
    package enum Fault: String, Equatable, Sendable {
        case empty
        case tooLong = "too-long"
        case hasControlCharacters = "has-control-characters"
        case hasWhitespace = "has-whitespace"
        case notASCII = "not-ascii"
        case notDigits = "not-digits"
        case outOfRange = "out-of-range"
    }

    /// An access token: 1 to 4096 bytes of printable ASCII without space, since it is sent as an
    /// HTTP header.
    package static func check(accessToken: Span<UInt8>) -> String? {
        fault(ofToken: accessToken)?.rawValue
    }

    /// A refresh token: as an access token.
    package static func check(refreshToken: Span<UInt8>) -> String? {
        fault(ofToken: refreshToken)?.rawValue
    }

    /// A uid: 1 to 20 ASCII digits.
    package static func check(uid: Span<UInt8>) -> String? { fault(ofUID: uid)?.rawValue }

    /// The same of a text that is no secret for sure.
    package static func check(uid: String) -> String? { check(uid: uid.utf8.span) }

    /// A screen name: at most 256 bytes, without U+0000.
    ///
    /// Other control characters are let through;
    /// whoever shows them to a terminal escapes them.
    package static func check(screenName: Span<UInt8>) -> String? {
        fault(ofScreenName: screenName)?.rawValue
    }

    /// The same of a text that is no secret for sure.
    package static func check(screenName: String) -> String? {
        check(screenName: screenName.utf8.span)
    }

    /// An avatar's address: at most 2048 bytes, without control characters and spaces.
    package static func check(avatarLarge: Span<UInt8>) -> String? {
        fault(ofAvatar: avatarLarge)?.rawValue
    }

    /// The same of a text that is no secret for sure.
    package static func check(avatarLarge: String) -> String? {
        check(avatarLarge: avatarLarge.utf8.span)
    }

    /// A granted life in seconds: more than none, at most ten years.
    package static func check(expiresIn: Int64) -> String? {
        0 < expiresIn && expiresIn <= maximumExpiresIn ? nil : Fault.outOfRange.rawValue
    }

    /// A time of issue in seconds since 1970: from then to the year 9999.
    package static func check(issuedAt: Int64) -> String? {
        isTime(issuedAt) ? nil : Fault.outOfRange.rawValue
    }

    /// An expiry in seconds since 1970: from then to the year 9999.
    package static func check(expiresAt: Int64) -> String? {
        isTime(expiresAt) ? nil : Fault.outOfRange.rawValue
    }

    static func isTime(_ seconds: Int64) -> Bool { 0 <= seconds && seconds <= latestTime }

    // The worst first: a line end in a token would split the header that carries it.
    static func fault(ofToken token: Span<UInt8>) -> Fault? {
        if token.isEmpty { return .empty }
        if token.count > maximumTokenLength { return .tooLong }
        var hasSpace = false
        var isASCII = true
        for index in token.indices {
            switch token[index] {
            case 0x20: hasSpace = true
            case 0x00..<0x20, 0x7F: return .hasControlCharacters
            case 0x80...: isASCII = false
            default: break
            }
        }
        if hasSpace { return .hasWhitespace }
        return isASCII ? nil : .notASCII
    }

    private static func fault(ofUID uid: Span<UInt8>) -> Fault? {
        if uid.isEmpty { return .empty }
        for index in uid.indices where !isDigit(uid[index]) { return .notDigits }
        return uid.count > maximumUIDLength ? .tooLong : nil
    }

    private static func fault(ofScreenName name: Span<UInt8>) -> Fault? {
        if name.count > maximumScreenNameLength { return .tooLong }
        for index in name.indices where name[index] == 0 { return .hasControlCharacters }
        return nil
    }

    private static func fault(ofAvatar address: Span<UInt8>) -> Fault? {
        if address.count > maximumAvatarLength { return .tooLong }
        for index in address.indices {
            if address[index] < 0x20 || address[index] == 0x7F { return .hasControlCharacters }
            if address[index] == 0x20 { return .hasWhitespace }
        }
        return nil
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9")
    }
}
