/// What became of a call, for the access records.
package enum Verdict: UInt8, Sendable, CaseIterable {
    case answered
    case noAccount
    case expired
    case locked
    case accountExists
    case invalid
    case damaged
    case failed
    case denied
    case unknownMethod
    case malformed
    case tooLarge
    case timedOut
    case wrongKey
    case refused

    /// Its name in a record.
    package var name: String {
        switch self {
        case .answered: "answered"
        case .noAccount: "no-account"
        case .expired: "expired"
        case .locked: "locked"
        case .accountExists: "account-exists"
        case .invalid: "invalid"
        case .damaged: "damaged"
        case .failed: "failed"
        case .denied: "denied"
        case .unknownMethod: "unknown-method"
        case .malformed: "malformed"
        case .tooLarge: "too-large"
        case .timedOut: "timed-out"
        case .wrongKey: "wrong-key"
        case .refused: "refused"
        }
    }
}
