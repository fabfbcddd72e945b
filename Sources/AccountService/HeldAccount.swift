import Accounts
import JSON
import SecretMemory
import Varlink

/// The account while it is held: its token stands once, in the ready-made reply.
///
/// A class whose every field is constant: it is handed about as one pointer, where a value of its size
/// would be copied for each query.
final class HeldAccount {
    /// All but the access token, which is empty here.
    let profile: UserAccount
    /// The whole reply to GetToken, terminator included.
    let reply: SecretBuffer
    /// The file that holds it, sealed.
    let file: [UInt8]
    // Where in the reply the token stands, without its quotes.
    private let tokenRange: Range<Int>
    private let tokenCount: Int

    /// Takes over an account.
    ///
    /// - Throws: the account is lost to the caller then; nothing of it stays in memory.
    init(
        _ account: consuming UserAccount, file: [UInt8], arena: SecretArena
    ) throws(SecretMemoryError) {
        self.file = file
        let nothing = try arena.allocate(0)
        let escapes = account.accessToken.withBytes { token in
            var count = 0
            for position in token.indices where Self.needsEscape(token[position]) { count += 1 }
            return count
        }
        let length = account.accessToken.count + escapes
        // The reply is written into a buffer of its final size, so that no second copy is made.
        var out = try SecretBuffer(arena: arena, capacity: length + 160)
        var reply = try MessageWriter.beginReply(&out)
        try reply.name("access_token", &out)
        let start = out.count + 1
        try account.accessToken.withBytes { token throws(SecretMemoryError) in
            try out.appendJSONString(token)
        }
        try reply.field("uid", account.uid, &out)
        try reply.field("expires_at", account.expiry.expiresAt, &out)
        try reply.end(&out)
        tokenRange = start..<(start + length)
        tokenCount = account.accessToken.count
        account.accessToken = nothing
        self.reply = out
        profile = account
    }

    /// A copy of the token, for an export or for a new generation of the file.
    func copyToken(arena: SecretArena) throws(SecretMemoryError) -> SecretBytes {
        var token = try arena.allocate(tokenCount)
        let range = tokenRange
        reply.withBytes { text in
            token.withMutableBytes { out in
                var position = range.lowerBound
                var count = 0
                while position < range.upperBound {
                    // A token is printable ASCII: nothing but `"` and `\` is escaped, each by `\`.
                    if text[position] == UInt8(ascii: "\\") { position += 1 }
                    out[count] = text[position]
                    count += 1
                    position += 1
                }
            }
        }
        return token
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}

extension HeldAccount {
    /// The whole account once more, its token included.
    func copyAccount(arena: SecretArena) throws(SecretMemoryError) -> UserAccount {
        try profile.copy(withToken: copyToken(arena: arena), in: arena)
    }
}
