import JSON

// Whose token it is.
extension TokenResponseReader {
    /// m.weibo.cn's containers are named by such a prefix before a uid of ten digits.
    private static let containerPrefixes = ["100505", "107603"]
    /// Digits that no uid has today and every container's name has.
    private static let containerLength = 15

    mutating func uid(_ text: Span<UInt8>) throws(TokenResponseError) -> String {
        if let given = supplement.uid, AccountField.check(uid: given) != nil {
            throw .badGivenUID
        }
        var uid = supplement.uid
        if let node = value("uid", text), !isEmptyString(node) {
            guard let own = try digits(node, text) else { throw .badUID }
            if let uid, uid != own { throw .uidMismatch }
            uid = own
        }
        guard let uid else {
            throw has("id", text) || has("idstr", text) ? .uidMissingBesideID : .uidMissing
        }
        if uid.utf8.count >= Self.containerLength {
            for prefix in Self.containerPrefixes where uid.hasPrefix(prefix) {
                warnings.append("uid looks like a container id")
            }
        }
        if uid.utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) { warnings.append("uid is zero") }
        return uid
    }

    // The id of a users/show answer is the uid. Where a profile is taken from the response it must
    // be the token's own; where none is, some other program's `id` is none of our business.
    func matchProfile(_ uid: String, _ text: Span<UInt8>) throws(TokenResponseError) {
        guard has("screen_name", text) || has("avatar_large", text) || has("idstr", text) else {
            return
        }
        for name: StaticString in ["idstr", "id"] {
            guard let node = value(name, text), let id = try digits(node, text) else { continue }
            if id != uid { throw .profileMismatch }
        }
    }

    private func isEmptyString(_ node: JSONIndex.Node) -> Bool {
        index.kind(of: node) == .string && index.range(of: node).isEmpty
    }

    // A string of digits, or an integer as it is written, be it beyond 64 bits; else nil.
    private func digits(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(TokenResponseError) -> String? {
        var digits: String?
        switch index.kind(of: node) {
        case .string: digits = try string(node, upTo: AccountField.maximumUIDLength, text)
        case .number:
            let range = index.range(of: node)
            if range.count <= AccountField.maximumUIDLength {
                digits = String(validating: text.extracting(range))
            }
        default: break
        }
        guard let digits, AccountField.check(uid: digits) == nil else { return nil }
        return digits
    }
}

// The profile: an ornament. A bad one in the response costs the user the ornament, not the login.
extension TokenResponseReader {
    mutating func screenName(_ text: Span<UInt8>) throws(TokenResponseError) -> String? {
        if let given = supplement.screenName {
            guard AccountField.check(screenName: given) == nil else {
                throw .badGiven(.screenName, option: "--screen-name")
            }
            return given.isEmpty ? nil : given
        }
        guard let node = value("screen_name", text), !isEmptyString(node) else { return nil }
        if let name = try string(node, upTo: AccountField.maximumScreenNameLength, text),
            AccountField.check(screenName: name) == nil
        {
            return name
        }
        warnings.append("screen_name is not usable and was left out")
        return nil
    }

    mutating func avatarLarge(_ text: Span<UInt8>) throws(TokenResponseError) -> String? {
        if let given = supplement.avatarLarge {
            guard AccountField.check(avatarLarge: given) == nil else {
                throw .badGiven(.avatarLarge, option: "--avatar")
            }
            return given.isEmpty ? nil : given
        }
        guard let node = value("avatar_large", text), !isEmptyString(node) else { return nil }
        if let address = try string(node, upTo: AccountField.maximumAvatarLength, text),
            AccountField.check(avatarLarge: address) == nil
        {
            return address
        }
        warnings.append("avatar_large is not usable and was left out")
        return nil
    }
}
