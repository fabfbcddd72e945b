import Foundation

/// Token responses of made-up accounts.
enum TokenText {
    /// A token that stands nowhere else.
    static let token = "2.00e2eTokenOfATestAccount8a91"
    /// Another one.
    static let other = "2.00otherTokenOfATestAccount33"

    /// A response as Weibo sends it.
    static func response(
        _ token: String = token, uid: String = "9900001001", expiresIn: Int = 157_679_999,
        more: String = ""
    ) -> String {
        #"{"access_token":"\#(token)","expires_in":\#(expiresIn),"uid":"\#(uid)"\#(more)}"#
    }
}
