/// The names of errors that an `error` member may hold.
///
/// Only these are ever repeated in a message, from here and not from the text: what else stands in
/// an answer may be a secret, the authorization code for example.
enum OAuthErrorName: String, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case unsupportedResponseType = "unsupported_response_type"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    case redirectURIMismatch = "redirect_uri_mismatch"
    case expiredToken = "expired_token"
    case invalidAccessToken = "invalid_access_token"

    /// Whether RFC 6749 (4.1.2.1, 5.2) defines it; the last three are Weibo's own.
    var isStandard: Bool {
        switch self {
        case .redirectURIMismatch, .expiredToken, .invalidAccessToken: false
        default: true
        }
    }

    /// Weibo's code for it, if there is one.
    var code: Int64? {
        switch self {
        case .redirectURIMismatch: 21322
        case .invalidRequest: 21323
        case .invalidClient: 21324
        case .invalidGrant: 21325
        case .unauthorizedClient: 21326
        case .expiredToken: 21327
        case .unsupportedGrantType: 21328
        case .unsupportedResponseType: 21329
        case .accessDenied: 21330
        case .temporarilyUnavailable: 21331
        case .invalidAccessToken: 21332
        case .invalidScope, .serverError: nil
        }
    }

    /// The name that these bytes are, if they are one.
    static func of(_ bytes: Span<UInt8>) -> OAuthErrorName? {
        for name in allCases where bytes.count == name.rawValue.utf8.count {
            if TextLook.has(bytes, name.rawValue, at: 0) { return name }
        }
        return nil
    }
}
