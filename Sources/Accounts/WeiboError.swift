/// What Weibo's error codes mean and what can be done about them.
///
/// Source: open.weibo.com/wiki/Error_code and the tables of the OAuth2 pages. 21501, which some
/// programs take for a fault of the token, is "Urls is null" there.
package enum WeiboError {
    /// What a code says, as the rest of a sentence; nil for a code that is not known.
    package static func meaning(of code: Int64) -> String? { entry(code)?.meaning }

    /// What the user should do about a code; nil for a code that is not known.
    package static func action(for code: Int64) -> String? { entry(code)?.action }

    /// Whether the code says that this token will not be accepted again, whatever is asked with it.
    package static func refusesToken(_ code: Int64) -> Bool {
        switch code {
        case 21301, 21314, 21315, 21316, 21317, 21319, 21327, 21332, 40112: true
        default: false
        }
    }

    private static let logIn = "log in again: the token is of no more use"
    private static let checkKey = "check the app key and secret on open.weibo.com"
    private static let newCode =
        "log in again: an authorization code is good once, for a short time, and with the"
        + " redirect address that it was asked with"
    private static let checkRequest = "check the parameters of the request against Weibo's document"
    private static let signature =
        "use OAuth2: this is an answer about the signed requests of OAuth 1"
    private static let wait = "wait, then ask less often"

    private static func entry(_ code: Int64) -> (meaning: String, action: String)? {
        switch code {
        case 401: ("the old interface does not accept the token", logIn)
        case 10006:
            ("the app key is missing, or the token has expired", "send the token or log in again")
        case 10013: ("the user is not valid", "check the account on weibo.com")
        case 10014:
            (
                "the app has no permission for this interface",
                "ask for the permission on open.weibo.com"
            )
        case 10021: ("the HTTP method is wrong", "send the request with POST, not with GET")
        case 10022: ("this address has sent too many requests", wait)
        case 10023: ("this user has sent too many requests", wait)
        case 10024: ("this user has asked this interface too often", wait)
        case 40112: ("the token of the old interface was revoked", logIn)
        default: oauth(code)
        }
    }

    private static func oauth(_ code: Int64) -> (meaning: String, action: String)? {
        switch code {
        case 21301: ("authorization has failed", logIn)
        case 21302: ("the user name or the password is wrong", "enter them again on Weibo's page")
        case 21303: ("a wrong password was entered too often", "wait before you log in again")
        case 21304: ("the version of OAuth is not supported", signature)
        case 21305: ("a parameter of the request is missing", checkRequest)
        case 21306: ("a parameter of the request was rejected", checkRequest)
        case 21307: ("the request's time was rejected", "set the clock of this machine")
        case 21308: ("the request's nonce was used before", signature)
        case 21309: ("the signature method is not supported", signature)
        case 21310: ("the signature is wrong", signature)
        case 21311: ("the app key is unknown", checkKey)
        case 21312: ("the app key was refused", checkKey)
        case 21313: ("the app key is missing", checkKey)
        case 21314: ("the token was used already", logIn)
        case 21315: ("the token has expired", logIn)
        case 21316: ("the token was revoked", logIn)
        case 21317: ("the token was rejected", logIn)
        case 21318: ("the verification code is wrong", "log in again and copy the code whole")
        case 21319: ("the user has withdrawn the app's authorization", logIn)
        default: oauth2(code)
        }
    }

    private static func oauth2(_ code: Int64) -> (meaning: String, action: String)? {
        switch code {
        case 21320: ("the request must use HTTPS", "send the request to an https address")
        case 21321:
            (
                "the app is not audited and has as many users as it may have",
                "add the user as a test account on open.weibo.com, or have the app audited"
            )
        case 21322:
            (
                "the redirect address is not the one registered for the app",
                "use the redirect address that stands in the app's settings on open.weibo.com"
            )
        case 21323: ("the request is not valid", checkRequest)
        case 21324: ("the app key or the app secret is wrong", checkKey)
        case 21325: ("the authorization code or refresh token is wrong, used or too old", newCode)
        case 21326: ("the app may not use this way to log in", checkKey)
        case 21327: ("the token has expired", logIn)
        case 21328: ("the grant type is not supported", checkRequest)
        case 21329: ("the response type is not supported", checkRequest)
        case 21330: ("the user or Weibo has denied access", "log in again and allow the app")
        case 21331: ("Weibo's service is not available for now", "try again later")
        case 21332: ("the access token is not valid", logIn)
        case 21335:
            (
                "the uid must be that of the token's own user",
                "give the uid that the token came with"
            )
        case 21337: ("the app key may not do this", "ask for the permission on open.weibo.com")
        case 21338:
            (
                "the mobile app's package name or signature is not the registered one",
                "register both on open.weibo.com"
            )
        case 21501: ("the list of addresses is empty", "this says nothing about the token")
        default: nil
        }
    }
}
