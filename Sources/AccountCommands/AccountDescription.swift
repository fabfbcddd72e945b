import Accounts
import JSON
import LinuxSystem
import SecretMemory
import Varlink

/// The account without its tokens, as the daemon describes it. docs/PROTOCOL.md,
/// "Queries"
struct AccountDescription: Equatable {
    let uid: String
    let screenName: String?
    let avatarLarge: String?
    /// Seconds as granted.
    let expiresIn: Int64?
    /// Seconds since 1970.
    let issuedAt: Int64?
    /// Seconds since 1970.
    let expiresAt: Int64
    let isExpired: Bool
    /// Seconds; not above zero once it has expired.
    let remaining: Int64
    /// Weibo's error code, when the server has refused the token.
    let refused: Int64?

    /// Reads the object.
    ///
    /// - Returns: nil when it lacks what every account has.
    init?(
        _ node: JSONIndex.Node?, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ arena: SecretArena
    ) {
        guard let uid = index.string("uid", of: node, text, arena),
            let expiresAt = index.integer("expires_at", of: node, text),
            let isExpired = index.boolean("expired", of: node, text),
            let remaining = index.integer("remaining", of: node, text)
        else { return nil }
        self.uid = uid
        screenName = index.string("screen_name", of: node, text, arena)
        avatarLarge = index.string("avatar_large", of: node, text, arena)
        expiresIn = index.integer("expires_in", of: node, text)
        issuedAt = index.integer("issued_at", of: node, text)
        self.expiresAt = expiresAt
        self.isExpired = isExpired
        self.remaining = remaining
        refused = index.integer("refused", of: node, text)
    }

    /// Reads the answer's `account`, which must be there.
    static func receive(
        _ exchange: inout Exchange, _ task: CommandFailure.Task
    ) throws(CommandFailure) -> AccountDescription {
        let arena = exchange.arena
        let path = exchange.path
        return try exchange.receive(task) { answer, index, text throws(CommandFailure) in
            let node = answer.field("account", index, text)
            guard let account = AccountDescription(node, index, text, arena) else {
                throw .notUnderstood(path)
            }
            return account
        }
    }

    /// Who it is: "NAME (uid U)", or "uid U" when the name is not known.
    var name: String {
        guard let screenName else { return ControlCharacters.escaped("uid \(uid)") }
        return ControlCharacters.escaped("\(screenName) (uid \(uid))")
    }

    /// When the token expires: the date, and how long from now.
    var expiry: String { "\(CivilTime.rfc3339(expiresAt)) (\(RelativeTime.text(remaining)))" }
}
