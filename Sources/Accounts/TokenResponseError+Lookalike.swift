/// Answers without a token that are often taken for a token response.
enum Lookalike {
    /// The token stands inside another object.
    case wrapped
    /// `accessToken`, as other programs write it.
    case otherNames
    /// An answer of oauth2/get_token_info.
    case tokenInfo
    /// An answer of users/show.
    case profile
    /// An authorization code.
    case code
    /// The member is there, but it is null or empty.
    case noValue
    case unknown
}

/// Members that speak of an expiry and are not Weibo's `expires_in`.
enum ExpiryLookalike {
    case date, remindIn, expireIn, none
}

extension TokenResponseError {
    static func noAccessToken(_ lookalike: Lookalike) -> TokenResponseError {
        let (message, hint) =
            switch lookalike {
            case .wrapped:
                (
                    "the access_token stands inside another object of the response",
                    "give that inner object alone"
                )
            case .otherNames:
                (
                    "the response has an accessToken but no access_token",
                    "give Weibo's own response, or use its names: access_token, expires_in, uid"
                )
            case .tokenInfo:
                (
                    "this is an answer of oauth2/get_token_info, which never holds the token",
                    "give the answer of oauth2/access_token"
                )
            case .profile:
                (
                    "this is an answer of users/show, which holds no token",
                    "merge it into the token response, or give the token response alone"
                )
            case .code:
                (
                    "the response holds an authorization code, not yet a token",
                    "exchange the code at Weibo's oauth2/access_token, and give what that answers"
                )
            case .noValue:
                ("the access_token of the response is empty", "log in again for a new token")
            case .unknown:
                (
                    "the response has no access_token",
                    "give the answer of oauth2/access_token, a JSON object"
                )
            }
        return TokenResponseError("no-access-token", message, hint: hint)
    }

    static func expiryUnknown(_ lookalike: ExpiryLookalike) -> TokenResponseError {
        let give = "give --expires-in or --expires-at"
        let hint =
            switch lookalike {
            case .date:
                "give --expires-at; the response has a date of some other program, not used here"
            case .remindIn: give + "; remind_in is not used: Weibo no longer says what it means"
            case .expireIn: give + "; expire_in counts from when get_token_info was asked"
            case .none: give
            }
        return TokenResponseError(
            "expiry-unknown", "the response does not say when the token expires", hint: hint)
    }
}
