package import SecretMemory

@testable import Accounts
@testable import PropertyList

/// The account behind the seal: docs/FORMAT.md, "Plaintext of the account".
package final class AccountBody: FuzzBody {
    package static let name = "account"

    package let arena: SecretArena

    package init() throws { arena = try SecretArena(capacity: 1 << 21, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let account: UserAccount
        do throws(AccountError) {
            account = try UserAccount.decode(input, arena: arena)
        } catch {
            if case .memory = error { throw error }
            return
        }
        try Self.visit(account)
        try Self.requireRoundTrip(of: account, arena)
    }

    private static func visit(_ account: borrowing UserAccount) throws {
        try account.accessToken.withBytes {
            try require(AccountField.check(accessToken: $0) == nil, "a token that is none")
        }
        switch account.refreshToken {
        case .some(let token):
            try token.withBytes {
                try require(AccountField.check(refreshToken: $0) == nil, "a token that is none")
            }
        case .none: break
        }
        try require(AccountField.check(uid: account.uid) == nil, "a uid that is none")
        if let name = account.screenName {
            try require(AccountField.check(screenName: name) == nil, "a name that is none")
        }
        if let avatar = account.avatarLarge {
            try require(AccountField.check(avatarLarge: avatar) == nil, "an avatar that is none")
        }
        try require(
            AccountField.check(expiresAt: account.expiry.expiresAt) == nil, "an expiry that is none"
        )
    }

    /// What is written is read as the same account, and written as the same bytes.
    static func requireRoundTrip(
        of account: borrowing UserAccount, _ arena: SecretArena
    ) throws {
        let once: SecretBuffer
        do throws(AccountError) {
            once = try account.encode(arena: arena)
        } catch {
            // Keys that were shared are written apart, and may be too many then.
            try require(error == .damaged && account.hasUnknown, "an account cannot be written")
            return
        }
        try once.withBytes { bytes in
            let read = try UserAccount.decode(bytes, arena: arena)
            let twice = try read.encode(arena: arena)
            try require(twice.array() == bytes.array, "an account is written otherwise")
            try require(
                read.uid == account.uid && read.screenName == account.screenName
                    && read.avatarLarge == account.avatarLarge && read.expiry == account.expiry
                    && read.refused == account.refused
                    && read.accessToken.isEqual(to: account.accessToken)
                    && read.hasUnknown == account.hasUnknown,
                "an account is read otherwise")
        }
    }
}

extension UserAccount {
    /// Whether it keeps what this program does not know.
    var hasUnknown: Bool {
        switch unknown {
        case .some: true
        case .none: false
        }
    }
}
