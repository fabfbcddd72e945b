/// What a peer may do. org.accountd.Account, `Status.role`
package enum Role: Sendable, Comparable {
    /// Nothing: one PermissionDenied, then the end of the connection.
    case stranger
    /// The status and the expiry.
    case observer
    /// The status, the account, the token, the expiry.
    case reader
    /// Everything.
    case owner

    /// Its name in a status.
    package var name: String {
        switch self {
        case .stranger: "stranger"
        case .observer: "observer"
        case .reader: "reader"
        case .owner: "owner"
        }
    }
}
