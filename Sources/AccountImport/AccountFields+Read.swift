import Accounts
import PropertyList
import SecretMemory

extension AccountFields {
    /// Reads an account, in the order in which a person wants to hear of faults: the token, whose it
    /// is, its expiry, the rest.
    func read(
        _ account: Object, _ supplement: ImportSupplement, in bytes: Span<UInt8>
    ) throws(ImportError) -> ImportedAccount {
        try refuseFailedLogin(account, in: bytes)
        guard let accessToken = try token(.accessToken, Names.accessToken, of: account, in: bytes)
        else { throw .noAccessToken }
        let refreshToken = try token(.refreshToken, Names.refreshToken, of: account, in: bytes)
        let uid = try uid(of: account, given: supplement.uid, in: bytes)
        if dialect == .json { try refuseTokenResponse(account, in: bytes) }
        let expiry = try expiry(of: account, supplement, in: bytes)
        var warnings: [String] = []
        let screenName = try ornament(
            .screenName, Names.screenName, of: account, accessToken, &warnings, in: bytes)
        let avatarLarge = try ornament(
            .avatarLarge, Names.avatarLarge, of: account, accessToken, &warnings, in: bytes)
        if try isLoggedOut(account, in: bytes) {
            warnings.append("the app had logged this account out, and kept its token")
        }
        if expiry.isExpired(at: supplement.now) {
            warnings.append("the token expired on \(CivilTime.rfc3339(expiry.expiresAt))")
        }
        let className = try className(of: account, in: bytes)
            .flatMap { Self.holds($0, accessToken) ? nil : $0 }
        return ImportedAccount(
            account: UserAccount(
                accessToken: accessToken, refreshToken: refreshToken, uid: uid,
                screenName: screenName, avatarLarge: avatarLarge, expiry: expiry),
            className: className,
            format: dialect.name(isArchive: graph.isArchive), warnings: warnings)
    }

    // nil when there is none, or an empty one.
    private func token(
        _ field: AccountField, _ names: [StaticString], of account: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> SecretBytes? {
        guard let object = try value(names, of: account, in: bytes) else { return nil }
        guard let count = try count(of: object, in: bytes) else { throw .notAString(field) }
        if count == 0 { return nil }
        guard count <= AccountField.maximumTokenLength else { throw .badToken(field, "too-long") }
        let token = try copy(object, count, in: bytes)
        if let fault = token.withBytes({ AccountField.check(accessToken: $0) }) {
            throw .badToken(field, fault)
        }
        return token
    }

    private func copy(
        _ object: Object, _ count: Int, in bytes: Span<UInt8>
    ) throws(ImportError) -> SecretBytes {
        do throws(SecretMemoryError) {
            var buffer = try SecretBuffer(arena: arena, capacity: count)
            try graph.appendString(object, in: bytes, to: &buffer)
            return try SecretBytes(copying: buffer, in: arena)
        } catch { throw .memory(error) }
    }

    private func uid(
        of account: Object, given: String?, in bytes: Span<UInt8>
    ) throws(ImportError) -> String {
        guard let object = try value(Names.uid, of: account, in: bytes),
            try count(of: object, in: bytes) != 0
        else {
            guard let given else { throw .uidMissing }
            return given
        }
        guard let uid = try digits(object, in: bytes), AccountField.check(uid: uid) == nil else {
            throw .badUID
        }
        if let given, given != uid { throw .uidMismatch }
        return uid
    }

    // Shorter ones are none of Weibo's, and stand in names by chance.
    private static let leastToken = 16

    // A bad one costs the user the ornament, not the account. Nor is it shown where it is the token,
    // as one flipped bit of a reference makes it.
    private func ornament(
        _ field: AccountField, _ names: [StaticString], of account: Object,
        _ token: borrowing SecretBytes, _ warnings: inout [String], in bytes: Span<UInt8>
    ) throws(ImportError) -> String? {
        guard let object = try value(names, of: account, in: bytes) else { return nil }
        let isName = field == .screenName
        let limit = isName ? AccountField.maximumScreenNameLength : AccountField.maximumAvatarLength
        if let text = try text(object, upTo: limit, in: bytes) {
            let fault =
                isName
                ? AccountField.check(screenName: text) : AccountField.check(avatarLarge: text)
            if fault == nil, !Self.holds(text, token) { return text.isEmpty ? nil : text }
        }
        warnings.append("\(field.rawValue) is not usable and was left out")
        return nil
    }

    /// Whether a text that is to be shown holds the token of its account.
    func holdsToken(
        _ text: String, of account: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Bool {
        do throws(ImportError) {
            guard let token = try token(.accessToken, Names.accessToken, of: account, in: bytes)
            else { return false }
            return Self.holds(text, token)
        } catch {
            // What is no token may stand in a name, but for want of memory to tell.
            if error.reason == ImportError.memory(.exhausted).reason { throw error }
            return false
        }
    }

    private static func holds(_ text: String, _ token: borrowing SecretBytes) -> Bool {
        let text = text.utf8.span
        return token.withBytes { token in
            guard token.count >= leastToken, text.count >= token.count else { return false }
            for start in 0...(text.count - token.count) {
                var count = 0
                while count < token.count, text[start + count] == token[count] { count += 1 }
                if count == token.count { return true }
            }
            return false
        }
    }

    private func isLoggedOut(
        _ account: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Bool {
        guard let flag = try value(["isLogin"], of: account, in: bytes) else { return false }
        return graph.boolean(flag, in: bytes) == false || graph.integer(flag, in: bytes) == 0
    }

    // What the Weibo app hands back to the app that has asked it, as the SDK archives it.
    private func refuseFailedLogin(
        _ account: Object, in bytes: Span<UInt8>
    ) throws(ImportError) {
        guard let status = try value(["statusCode"], of: account, in: bytes),
            let code = graph.integer(status, in: bytes), code != 0
        else { return }
        throw .refused(code)
    }

    // An app's model knows when the token expires, or when it was granted. Weibo's answer does not.
    private func refuseTokenResponse(
        _ account: Object, in bytes: Span<UInt8>
    ) throws(ImportError) {
        guard try value(Names.expiresIn, of: account, in: bytes) != nil,
            try value(Names.expiresDate, of: account, in: bytes) == nil,
            try value(Names.created, of: account, in: bytes) == nil
        else { return }
        throw .tokenResponse
    }

    private func className(
        of account: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> String? {
        do throws(ObjectGraphError) {
            guard let name = try graph.className(of: account, in: bytes) else { return nil }
            return try? text(name, upTo: 256, in: bytes)
        } catch { throw ImportError(error) }
    }
}
