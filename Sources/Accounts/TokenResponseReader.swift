import JSON
import SecretMemory

/// Reads the members of a token response, in the order in which a person wants to hear of faults:
/// Weibo's own error, the token, whose it is, its expiry, the rest.
struct TokenResponseReader {
    /// Digits of an error code; Weibo's have five.
    static let maximumErrorCodeLength = 9

    let index: JSONIndex
    let supplement: TokenResponse.Supplement
    let arena: SecretArena
    var warnings: [String] = []

    init(index: JSONIndex, supplement: TokenResponse.Supplement, arena: SecretArena) {
        self.index = index
        self.supplement = supplement
        self.arena = arena
    }

    consuming func read(_ text: Span<UInt8>) throws(TokenResponseError) -> TokenResponse {
        let root = index.root
        guard index.kind(of: root) == .object else {
            throw .notAnObject(
                isArray: index.kind(of: root) == .array, isString: index.kind(of: root) == .string)
        }
        try refuseError(text)
        guard let token = value("access_token", text) else {
            throw .noAccessToken(lookalike(text))
        }
        let accessToken = try self.token(token, .accessToken, text)
        guard let accessToken else { throw .noAccessToken(.noValue) }
        var refreshToken: SecretBytes?
        if let token = value("refresh_token", text) {
            refreshToken = try self.token(token, .refreshToken, text)
        }
        // Said now, since a token that is too long has its own reason.
        guard text.count <= TokenResponse.maximumSize else { throw .tooLarge }
        let uid = try uid(text)
        try matchProfile(uid, text)
        let expiry = try expiry(text)
        let screenName = try screenName(text)
        let avatarLarge = try avatarLarge(text)
        return TokenResponse(
            accessToken: accessToken, refreshToken: refreshToken, uid: uid, screenName: screenName,
            avatarLarge: avatarLarge, expiry: expiry, warnings: warnings)
    }

    // A member of the response itself; nil when it is not there or null.
    func value(_ name: StaticString, _ text: Span<UInt8>) -> JSONIndex.Node? {
        guard let node = index.member(name, of: index.root, in: text),
            index.kind(of: node) != .null
        else { return nil }
        return node
    }

    // Whether a member is there, be it null.
    func has(_ name: StaticString, _ text: Span<UInt8>) -> Bool {
        index.member(name, of: index.root, in: text) != nil
    }

    // A string that is not secret; nil when it is no string, or longer than `limit` bytes.
    func string(_ node: JSONIndex.Node, upTo limit: Int, _ text: Span<UInt8>)
        throws(TokenResponseError) -> String?
    {
        guard index.kind(of: node) == .string,
            index.decodedCount(of: node, in: text) <= limit
        else { return nil }
        do {
            var buffer = try SecretBuffer(arena: arena, capacity: limit)
            try index.appendString(node, in: text, to: &buffer)
            return buffer.text()
        } catch {
            throw .memory(error)
        }
    }

    // nil when it is empty.
    private func token(
        _ node: JSONIndex.Node, _ field: AccountField, _ text: Span<UInt8>
    ) throws(TokenResponseError) -> SecretBytes? {
        guard index.kind(of: node) == .string else { throw .notAString(field) }
        let count = index.decodedCount(of: node, in: text)
        if count == 0 { return nil }
        guard count <= AccountField.maximumTokenLength else { throw .badToken(field, .tooLong) }
        let bytes: SecretBytes
        do {
            var buffer = try SecretBuffer(arena: arena, capacity: count)
            try index.appendString(node, in: text, to: &buffer)
            bytes = try buffer.bytes(in: arena)
        } catch {
            throw .memory(error)
        }
        if let fault = bytes.withBytes({ AccountField.fault(ofToken: $0) }) {
            throw .badToken(field, fault)
        }
        return bytes
    }

    // Weibo's refusal: either member, whatever its value.
    private func refuseError(_ text: Span<UInt8>) throws(TokenResponseError) {
        let code = index.member("error_code", of: index.root, in: text)
        let name = index.member("error", of: index.root, in: text)
        guard code != nil || name != nil else { return }
        throw .api(
            code: code.flatMap { errorCode($0, text) },
            name: name.flatMap { errorName($0, text) })
    }

    private func errorCode(_ node: JSONIndex.Node, _ text: Span<UInt8>) -> Int64? {
        switch index.kind(of: node) {
        case .number, .string: Self.errorCode(text, index.range(of: node))
        default: nil
        }
    }

    private func errorName(_ node: JSONIndex.Node, _ text: Span<UInt8>) -> OAuthErrorName? {
        guard index.kind(of: node) == .string else { return nil }
        return OAuthErrorName.of(text.extracting(index.range(of: node)))
    }

    /// A code of up to nine digits; nil for anything else, which is not to be repeated.
    static func errorCode(_ text: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        guard 1...maximumErrorCodeLength ~= range.count else { return nil }
        var code: Int64 = 0
        for position in range {
            guard AccountField.isDigit(text[position]) else { return nil }
            code = code * 10 + Int64(text[position] - UInt8(ascii: "0"))
        }
        return code
    }

    private func lookalike(_ text: Span<UInt8>) -> Lookalike {
        if has("access_token", text) { return .noValue }
        var isWrapped = false
        index.forEachMember(of: index.root) { _, value in
            if index.member("access_token", of: value, in: text) != nil { isWrapped = true }
        }
        if isWrapped { return .wrapped }
        if has("accessToken", text) { return .otherNames }
        if has("create_at", text) || has("expire_in", text) { return .tokenInfo }
        if has("idstr", text) || has("screen_name", text) { return .profile }
        return has("code", text) && index.count(of: index.root) <= 2 ? .code : .unknown
    }
}
