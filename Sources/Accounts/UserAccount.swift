package import SecretMemory

/// The account: a Weibo user, the token that speaks for them, and when it expires.
///
/// The tokens stand in secret memory and nowhere else; uid, name and avatar are no secrets.
package struct UserAccount: ~Copyable {
    /// Sent to Weibo as `Authorization: OAuth2 …`.
    package var accessToken: SecretBytes
    /// From the mobile SDKs only.
    package var refreshToken: SecretBytes?
    /// Weibo's number of the user, as decimal digits.
    package var uid: String
    /// The name that the user chose.
    package var screenName: String?
    /// The address of the avatar of 180 pixels.
    package var avatarLarge: String?
    /// When the token expires.
    package var expiry: Expiry
    /// Weibo's error code, when the server has refused the token before its expiry.
    package var refused: Int64?
    // What another version of this program has stored: a property list of one dictionary, to be
    // written again as it was.
    var unknown: SecretBuffer?

    /// Makes an account of values that have been checked as AccountField does.
    package init(
        accessToken: consuming SecretBytes, refreshToken: consuming SecretBytes? = nil,
        uid: String, screenName: String? = nil, avatarLarge: String? = nil, expiry: Expiry,
        refused: Int64? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.uid = uid
        self.screenName = screenName
        self.avatarLarge = avatarLarge
        self.expiry = expiry
        self.refused = refused
        unknown = nil
    }
}
