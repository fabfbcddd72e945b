import JSON
import Varlink

/// What the daemon says of the token's expiry.
struct Verdict: Equatable {
    /// Whether the token is good for as long as was asked for.
    let isValid: Bool
    /// Seconds since 1970.
    let expiresAt: Int64
    /// Seconds; not above zero once it has expired.
    let remaining: Int64

    /// Asks.
    ///
    /// - Parameter minimum: the validity asked for, in seconds.
    static func ask(
        _ exchange: inout Exchange, minimum: Int64
    ) throws(CommandFailure) -> Verdict {
        try exchange.send("org.accountd.Account.CheckExpiry", minimum: minimum)
        try exchange.receive()
        // No optional verdict comes out of the closure: its type would have to be made at run time.
        var verdict = Verdict(isValid: false, expiresAt: 0, remaining: 0)
        let isPlain = try exchange.withText { text throws(CommandFailure) in
            guard let plain = Verdict(plain: text) else { return false }
            verdict = plain
            return true
        }
        if isPlain { return verdict }
        let path = exchange.path
        return try exchange.read(.asking(minimum: minimum)) {
            answer, index, text throws(CommandFailure) in
            guard let isValid = index.boolean("valid", of: answer.parameters, text),
                let expiresAt = index.integer("expires_at", of: answer.parameters, text),
                let remaining = index.integer("remaining", of: answer.parameters, text)
            else { throw .notUnderstood(path) }
            return Verdict(isValid: isValid, expiresAt: expiresAt, remaining: remaining)
        }
    }

    private init(isValid: Bool, expiresAt: Int64, remaining: Int64) {
        self.isValid = isValid
        self.expiresAt = expiresAt
        self.remaining = remaining
    }

    /// Reads the usual answer; nil for any other.
    init?(plain text: Span<UInt8>) {
        var reply = PlainReply()
        guard reply.take("{\"parameters\":{\"valid\":", in: text) else { return nil }
        let isValid = reply.take("true", in: text)
        guard isValid || reply.take("false", in: text),
            reply.take(",\"expires_at\":", in: text),
            let expiresAt = reply.takeInteger(in: text),
            reply.take(",\"remaining\":", in: text),
            let remaining = reply.takeInteger(in: text),
            reply.take("}}", in: text), reply.isAtEnd(of: text)
        else { return nil }
        self.init(isValid: isValid, expiresAt: expiresAt, remaining: remaining)
    }
}
