import Accounts
import JSON
import SecretMemory

extension AccountService {
    /// A token, decoded into secret memory and checked.
    func token(
        _ name: StaticString, _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> SecretBytes {
        let count = index.decodedCount(of: node, in: text)
        guard count <= AccountField.maximumTokenLength else {
            throw .invalidField(name, Self.sentence("too-long"))
        }
        let token = try secret(node, text)
        let fault = token.withBytes { AccountField.check(accessToken: $0) }
        if let fault { throw .invalidField(name, Self.sentence(fault)) }
        return token
    }

    /// A text that is no secret, once it was seen to be what its field may hold.
    ///
    /// It is decoded and checked in secret memory: a token that was sent in the wrong field must not
    /// stay behind in ordinary memory.
    func string(
        _ name: StaticString, _ node: JSONIndex.Node, _ text: Span<UInt8>,
        _ check: (Span<UInt8>) -> String?
    ) throws(Refusal) -> String {
        let decoded = try decode(node, text)
        if let fault = decoded.withBytes(check) {
            throw .invalidField(name, Self.sentence(fault))
        }
        return decoded.withBytes { bytes in
            // SAFETY: the room has as many bytes as were asked for.
            unsafe String(unsafeUninitializedCapacity: bytes.count) { room in
                for position in bytes.indices { unsafe room[position] = bytes[position] }
                return bytes.count
            }
        }
    }

    /// A text that is one, decoded from one block of secret memory into another.
    func secret(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> SecretBytes {
        let decoded = try decode(node, text)
        do throws(SecretMemoryError) {
            return try SecretBytes(copying: decoded, in: arena)
        } catch { throw .memory(error) }
    }

    /// A text as its bytes, in secret memory, whatever it is.
    func decode(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> SecretBuffer {
        do throws(SecretMemoryError) {
            var decoded = try SecretBuffer(
                arena: arena, capacity: index.decodedCount(of: node, in: text))
            try index.appendString(node, in: text, to: &decoded)
            return decoded
        } catch { throw .memory(error) }
    }

    /// Takes over what is given of the profile; an empty text removes it.
    func setProfile(
        _ account: inout UserAccount, _ screenName: JSONIndex.Node?, _ avatar: JSONIndex.Node?,
        _ text: Span<UInt8>
    ) throws(Refusal) {
        if let screenName {
            let value = try string("screen_name", screenName, text) {
                AccountField.check(screenName: $0)
            }
            account.screenName = value.isEmpty ? nil : value
        }
        if let avatar {
            let value = try string("avatar_large", avatar, text) {
                AccountField.check(avatarLarge: $0)
            }
            account.avatarLarge = value.isEmpty ? nil : value
        }
    }

    /// The expiry that a login gives: a duration or a time, not both.
    func expiry(
        _ expiresIn: Int64?, _ issuedAt: Int64?, _ expiresAt: Int64?, _ now: Instant
    ) throws(Refusal) -> Expiry {
        switch (expiresIn, expiresAt) {
        case (nil, nil):
            throw .invalidField("expires_in", "is missing, and so is expires_at; give one of them")
        case (.some, .some):
            throw .invalidField("expires_at", "is given beside expires_in; give one of them")
        case (.some(let expiresIn), nil):
            let start = issuedAt ?? now.realtime
            return try checked("expires_in") { () throws(AccountError) in
                try Expiry(expiresIn: expiresIn, issuedAt: start)
            }
        case (nil, .some(let expiresAt)):
            guard issuedAt == nil else {
                throw .invalidField("issued_at", "goes with expires_in, not with expires_at")
            }
            return try checked("expires_at") { () throws(AccountError) in
                try Expiry(expiresAt: expiresAt)
            }
        }
    }

    private func checked(
        _ name: StaticString, _ make: () throws(AccountError) -> Expiry
    ) throws(Refusal) -> Expiry {
        do throws(AccountError) {
            return try make()
        } catch {
            let field: StaticString =
                switch error {
                case .invalid(.issuedAt): "issued_at"
                case .invalid(.expiresAt): "expires_at"
                default: name
                }
            throw .invalidField(field, Self.sentence("out-of-range"))
        }
    }

    /// What is wrong with a value, for people.
    ///
    /// The codes are AccountField's.
    static func sentence(_ fault: String) -> String {
        switch AccountField.Fault(rawValue: fault) {
        case .empty: "is empty"
        case .tooLong: "is too long"
        case .hasControlCharacters: "has control characters"
        case .hasWhitespace: "has white space in it"
        case .notASCII: "has characters beyond ASCII"
        case .notDigits: "is not made of digits alone"
        case .outOfRange: "is out of its range"
        case nil: "is not valid"
        }
    }
}
