import PropertyList
package import SecretMemory

extension UserAccount {
    /// Reads the plaintext of `account.plist.sealed`.
    ///
    /// Every value is checked as if it came from outside: the seal says who wrote it, not that the
    /// program that did was right. `expires_date` decides; `issued_at` and `expires_in` may lack and
    /// are never added up.
    ///
    /// - Throws: what is wrong with it; no byte of a value.
    package static func decode(
        _ plaintext: Span<UInt8>, arena: SecretArena
    ) throws(AccountError) -> UserAccount {
        var index = PropertyListIndex()
        do { try index.scan(plaintext) } catch { throw AccountError(error) }
        guard index.kind(of: index.root) == .dictionary else { throw .notADictionary }
        return try AccountReader(index: index, arena: arena).read(plaintext)
    }
}

private struct AccountReader {
    let index: PropertyListIndex
    let arena: SecretArena

    func read(_ bytes: Span<UInt8>) throws(AccountError) -> UserAccount {
        // First, since a later version may mean something else by the other keys.
        let schema = try integer(required(.schema, "schema", bytes), .schema, bytes)
        guard schema > 0 else { throw .invalid(.schema) }
        guard schema == UserAccount.schema else { throw .unsupportedSchema(schema) }

        let accessToken = try token(
            required(.accessToken, "access_token", bytes), .accessToken, bytes)
        var refreshToken: SecretBytes?
        if let node = member("refresh_token", bytes) {
            refreshToken = try token(node, .refreshToken, bytes)
        }
        let uid = try string(
            required(.uid, "uid", bytes), .uid, upTo: AccountField.maximumUIDLength, bytes)
        guard AccountField.check(uid: uid) == nil else { throw .invalid(.uid) }
        let expiry = try expiry(bytes)
        let screenName = try screenName(bytes)
        let avatarLarge = try avatarLarge(bytes)
        var refused: Int64?
        if let node = member("refused", bytes) { refused = try integer(node, .refused, bytes) }
        var account = UserAccount(
            accessToken: accessToken, refreshToken: refreshToken, uid: uid, screenName: screenName,
            avatarLarge: avatarLarge, expiry: expiry, refused: refused)
        account.unknown = try unknown(bytes)
        return account
    }

    private func expiry(_ bytes: Span<UInt8>) throws(AccountError) -> Expiry {
        let expiresAt = try time(
            required(.expiresDate, "expires_date", bytes), .expiresDate, bytes)
        var issuedAt: Int64?
        if let node = member("issued_at", bytes) { issuedAt = try time(node, .issuedAt, bytes) }
        var expiresIn: Int64?
        if let node = member("expires_in", bytes) {
            let seconds = try integer(node, .expiresIn, bytes)
            guard AccountField.check(expiresIn: seconds) == nil else { throw .invalid(.expiresIn) }
            expiresIn = seconds
        }
        return Expiry(expiresIn: expiresIn, issuedAt: issuedAt, authoritative: expiresAt)
    }

    private func screenName(_ bytes: Span<UInt8>) throws(AccountError) -> String? {
        guard let node = member("screen_name", bytes) else { return nil }
        let name = try string(
            node, .screenName, upTo: AccountField.maximumScreenNameLength, bytes)
        guard AccountField.check(screenName: name) == nil else { throw .invalid(.screenName) }
        return name
    }

    private func avatarLarge(_ bytes: Span<UInt8>) throws(AccountError) -> String? {
        guard let node = member("avatar_large", bytes) else { return nil }
        let address = try string(
            node, .avatarLarge, upTo: AccountField.maximumAvatarLength, bytes)
        guard AccountField.check(avatarLarge: address) == nil else { throw .invalid(.avatarLarge) }
        return address
    }

    private func member(
        _ name: StaticString, _ bytes: Span<UInt8>
    ) -> PropertyListIndex.Node? {
        index.member(name, of: index.root, in: bytes)
    }

    private func required(
        _ field: AccountField, _ name: StaticString, _ bytes: Span<UInt8>
    ) throws(AccountError) -> PropertyListIndex.Node {
        guard let node = member(name, bytes) else { throw .missing(field) }
        return node
    }

    private func token(
        _ node: PropertyListIndex.Node, _ field: AccountField, _ bytes: Span<UInt8>
    ) throws(AccountError) -> SecretBytes {
        let count = index.decodedCount(of: node, in: bytes)
        guard index.kind(of: node) == .string, 1...AccountField.maximumTokenLength ~= count else {
            throw .invalid(field)
        }
        let token: SecretBytes
        do {
            var buffer = try SecretBuffer(arena: arena, capacity: count)
            try index.appendString(node, in: bytes, to: &buffer)
            token = try buffer.bytes(in: arena)
        } catch {
            throw .memory(error)
        }
        guard token.withBytes({ AccountField.fault(ofToken: $0) }) == nil else {
            throw .invalid(field)
        }
        return token
    }

    // Of what is no secret.
    private func string(
        _ node: PropertyListIndex.Node, _ field: AccountField, upTo limit: Int,
        _ bytes: Span<UInt8>
    ) throws(AccountError) -> String {
        guard index.kind(of: node) == .string, index.decodedCount(of: node, in: bytes) <= limit
        else { throw .invalid(field) }
        let text: String?
        do {
            var buffer = try SecretBuffer(arena: arena, capacity: limit)
            try index.appendString(node, in: bytes, to: &buffer)
            text = buffer.text()
        } catch {
            throw .memory(error)
        }
        guard let text else { throw .invalid(field) }
        return text
    }

    private func integer(
        _ node: PropertyListIndex.Node, _ field: AccountField, _ bytes: Span<UInt8>
    ) throws(AccountError) -> Int64 {
        guard let value = index.integer(node, in: bytes) else { throw .invalid(field) }
        return value
    }

    // Whole seconds, down, so that an expiry never says more than was stored.
    private func time(
        _ node: PropertyListIndex.Node, _ field: AccountField, _ bytes: Span<UInt8>
    ) throws(AccountError) -> Int64 {
        guard let seconds = index.date(node, in: bytes)?.rounded(.down),
            let time = Int64(exactly: seconds), AccountField.isTime(time)
        else { throw .invalid(field) }
        return time
    }

    // A property list of the members that this version does not know; nil when there are none.
    private func unknown(_ bytes: Span<UInt8>) throws(AccountError) -> SecretBuffer? {
        do throws(PropertyListError) {
            var members: [(key: PropertyListIndex.Node, value: PropertyListIndex.Node)] = []
            index.forEachMember(of: index.root, in: bytes) { key, value in
                if !isKnown(key, bytes) { members.append((key, value)) }
            }
            if members.isEmpty { return nil }
            let buffer: SecretBuffer
            do {
                buffer = try SecretBuffer(
                    arena: arena, capacity: SecretArena.granule,
                    limit: PropertyListLimits().maximumBytes)
            } catch {
                throw PropertyListError.memory(error)
            }
            var writer = try PropertyListWriter(into: buffer)
            var copies: [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)] =
                []
            for member in members {
                let key = try writer.addCopy(of: member.key, from: index, in: bytes)
                let value = try writer.addCopy(of: member.value, from: index, in: bytes)
                copies.append((key, value))
            }
            let root = try writer.add(dictionary: copies)
            return try writer.finish(root: root)
        } catch {
            throw AccountError(error)
        }
    }

    private func isKnown(_ key: PropertyListIndex.Node, _ bytes: Span<UInt8>) -> Bool {
        let known: [StaticString] = [
            "access_token", "refresh_token", "uid", "screen_name", "avatar_large", "expires_in",
            "issued_at", "expires_date", "refused", "schema",
        ]
        return known.contains { index.string(key, equals: $0, in: bytes) }
    }
}
