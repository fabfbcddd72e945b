import JSON
import Varlink

/// The methods that are served.
package enum Method: UInt8, Sendable, CaseIterable {
    case getToken
    case checkExpiry
    case getStatus
    case getAccount
    case login
    case updateProfile
    case logout
    case export
    case verify
    case repair
    case lock
    case unlock
    case listSlots
    case addSlot
    case removeSlot
    case rotate
    case newRecoveryCode
    case deriveArchiveKey
    case finishRotation
    case getInfo
    case getInterfaceDescription

    /// Its full name.
    package var name: StaticString {
        switch self {
        case .getToken: "org.accountd.Account.GetToken"
        case .checkExpiry: "org.accountd.Account.CheckExpiry"
        case .getStatus: "org.accountd.Account.GetStatus"
        case .getAccount: "org.accountd.Account.GetAccount"
        case .login: "org.accountd.Account.Login"
        case .updateProfile: "org.accountd.Account.UpdateProfile"
        case .logout: "org.accountd.Account.Logout"
        case .export: "org.accountd.Account.Export"
        case .verify: "org.accountd.Account.Verify"
        case .repair: "org.accountd.Account.Repair"
        case .lock: "org.accountd.Account.Lock"
        case .unlock: "org.accountd.Account.Unlock"
        case .listSlots: "org.accountd.Keys.ListSlots"
        case .addSlot: "org.accountd.Keys.AddSlot"
        case .removeSlot: "org.accountd.Keys.RemoveSlot"
        case .rotate: "org.accountd.Keys.Rotate"
        case .newRecoveryCode: "org.accountd.Keys.NewRecoveryCode"
        case .deriveArchiveKey: "org.accountd.Keys.DeriveArchiveKey"
        case .finishRotation: "org.accountd.Keys.FinishRotation"
        case .getInfo: "org.varlink.service.GetInfo"
        case .getInterfaceDescription: "org.varlink.service.GetInterfaceDescription"
        }
    }

    /// The least role that may call it.
    package var requiredRole: Role {
        switch self {
        case .getInfo, .getInterfaceDescription, .getStatus, .checkExpiry: .observer
        case .getAccount, .getToken: .reader
        case .login, .updateProfile, .logout, .export, .verify, .repair, .lock, .unlock: .owner
        case .listSlots, .addSlot, .removeSlot, .rotate, .newRecoveryCode: .owner
        case .deriveArchiveKey, .finishRotation: .owner
        }
    }

    /// Whether the daemon's own user alone may call it, and root not, unless that is who it is.
    ///
    /// What it gives is for a program of that user's, which seals files of that user's with it.
    package var isForOwnUserAlone: Bool { self == .deriveArchiveKey }

    /// Finds the method that a call names, the most asked for first.
    static func find(
        _ name: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) -> Method? {
        var candidate: UInt8 = 0
        while let method = Method(rawValue: candidate) {
            if index.string(name, equals: method.name, in: text) { return method }
            candidate += 1
        }
        return nil
    }
}
