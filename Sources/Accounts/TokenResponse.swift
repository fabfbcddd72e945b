import JSON
package import SecretMemory

/// What Weibo's oauth2/access_token answers: a token, whose it is, and how long it lives.
///
/// The answer is JSON, with or without a users/show answer of the same user merged into it, as apps
/// store it. Types vary: numbers come as strings and the other way round. Nothing else is guessed.
/// An answer that leaves open whose token it is or when it expires is rejected, unless the command
/// line says so; `expires_at`, `remind_in` and other programs' dates decide nothing.
package struct TokenResponse: ~Copyable {
    /// The most bytes worth reading; of a longer input one more is enough to have it refused.
    ///
    /// A response has at most half as many; the rest is for a better reason than "too large".
    package static let maximumInput = 131_072
    /// The most bytes of a response that is accepted.
    static let maximumSize = 65_536
    /// Objects and arrays within each other.
    static let maximumDepth = 16

    /// The token.
    package var accessToken: SecretBytes
    /// The mobile SDKs' refresh token.
    package var refreshToken: SecretBytes?
    /// 1 to 20 digits.
    package var uid: String
    /// From a users/show answer or the command line.
    package var screenName: String?
    /// The avatar's address, likewise.
    package var avatarLarge: String?
    /// When the token expires; it may lie in the past, if the response is old.
    package var expiry: Expiry
    /// What is odd about the response and yet no reason to reject it.
    package var warnings: [String]

    /// What the command line says beside the response.
    ///
    /// `uid` fills what the response lacks; where both say it and differ, the response is rejected.
    /// `screenName` and `avatarLarge` win over the response's. Of `expiresIn` and `expiresAt` one
    /// may be given. They fill an expiry that the response lacks or writes unusably; beside a usable
    /// one `expiresIn` must agree with it, and `expiresAt` may not promise more than it grants (an
    /// earlier one means that the response is older than it seems). They never revive a token that
    /// was given no time to live.
    package struct Supplement: Sendable {
        /// `--uid`.
        package var uid: String?
        /// `--screen-name`.
        package var screenName: String?
        /// `--avatar`.
        package var avatarLarge: String?
        /// `--expires-in`, seconds.
        package var expiresIn: Int64?
        /// `--expires-at`, seconds since 1970.
        package var expiresAt: Int64?
        /// `--issued-at`, seconds since 1970: when Weibo sent the response.
        package var issuedAt: Int64?
        /// Seconds since 1970; taken as the time of issue where `issuedAt` is nil: the time of the
        /// file's last change, or now for what came through a pipe.
        package var receivedAt: Int64

        /// Makes one of what was given.
        package init(
            receivedAt: Int64, uid: String? = nil, screenName: String? = nil,
            avatarLarge: String? = nil, expiresIn: Int64? = nil, expiresAt: Int64? = nil,
            issuedAt: Int64? = nil
        ) {
            self.receivedAt = receivedAt
            self.uid = uid
            self.screenName = screenName
            self.avatarLarge = avatarLarge
            self.expiresIn = expiresIn
            self.expiresAt = expiresAt
            self.issuedAt = issuedAt
        }
    }

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - text: what was given, or the first `maximumInput + 1` bytes of it.
    ///   - supplement: what the command line says.
    ///   - arena: where the tokens go.
    /// - Throws: why it is rejected.
    package static func parse(
        _ text: Span<UInt8>, supplement: Supplement, arena: SecretArena
    ) throws(TokenResponseError) -> TokenResponse {
        let (start, end) = try document(in: text)
        let body = text.extracting(start..<end)
        var index = JSONIndex(limits: limits)
        do {
            try index.scan(body)
        } catch {
            throw rejection(of: body, because: error)
        }
        return try TokenResponseReader(index: index, supplement: supplement, arena: arena)
            .read(body)
    }

    /// The account that it describes.
    package consuming func account() -> UserAccount {
        UserAccount(
            accessToken: accessToken, refreshToken: refreshToken, uid: uid, screenName: screenName,
            avatarLarge: avatarLarge, expiry: expiry)
    }
}
