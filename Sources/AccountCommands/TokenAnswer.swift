import JSON
import Varlink

/// Where in the daemon's answer the token and what belongs to it are, as they are written there.
struct TokenAnswer {
    let token: Range<Int>
    let uid: Range<Int>
    let expiresAt: Range<Int>

    /// Reads the usual answer; nil for any other.
    ///
    /// Its token is printable ASCII and needs no decoding.
    init?(plain text: Span<UInt8>) {
        var reply = PlainReply()
        guard reply.take("{\"parameters\":{\"access_token\":\"", in: text),
            let token = reply.takeText(in: text),
            reply.take("\",\"uid\":\"", in: text),
            let uid = reply.takeText(in: text),
            reply.take("\",\"expires_at\":", in: text)
        else { return nil }
        let start = reply.position
        guard reply.takeInteger(in: text) != nil else { return nil }
        expiresAt = start..<reply.position
        guard reply.take("}}", in: text), reply.isAtEnd(of: text) else { return nil }
        self.token = token
        self.uid = uid
    }

    /// Reads an answer that is written otherwise; nil when it is none.
    init?(_ answer: ClientReply, _ index: borrowing JSONIndex, _ text: Span<UInt8>) {
        guard let token = answer.field("access_token", index, text),
            index.kind(of: token) == .string,
            let uid = answer.field("uid", index, text), index.kind(of: uid) == .string,
            let expiresAt = answer.field("expires_at", index, text),
            index.kind(of: expiresAt) == .number
        else { return nil }
        self.token = index.range(of: token)
        self.uid = index.range(of: uid)
        self.expiresAt = index.range(of: expiresAt)
        // They are printed as they are written. A server that is not ours could write anything
        // there; ours writes nothing but this.
        guard Self.isPrintable(text.extracting(self.token)),
            Self.isPrintable(text.extracting(self.uid))
        else { return nil }
    }

    private static func isPrintable(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !(0x21...0x7E ~= text[index]) { return false }
        return true
    }
}

extension Output {
    /// Appends the answer as it is written: what JSON escapes stays escaped.
    mutating func append(
        _ answer: TokenAnswer, _ form: TokenCommand.Form, _ text: Span<UInt8>
    ) throws(CommandFailure) {
        switch form {
        case .bare: break
        case .header: try append(TokenCommand.header)
        case .json: try append("{\"access_token\":\"")
        }
        try append(text.extracting(answer.token))
        guard form == .json else { return }
        try append("\",\"uid\":\"")
        try append(text.extracting(answer.uid))
        try append("\",\"expires_at\":")
        try append(text.extracting(answer.expiresAt))
        try append("}")
    }
}
