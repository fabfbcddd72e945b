import PropertyList
package import SecretMemory

extension UserAccount {
    /// The schema that this program writes and reads. FORMAT, plaintext of the account
    static let schema: Int64 = 1
    /// Bytes that an account of ordinary tokens takes, with room to spare.
    private static let usualSize = 1024

    /// Writes the account as the plaintext of `account.plist.sealed`: a binary property list of one
    /// dictionary, what `decode` did not know included.
    ///
    /// - Throws: `.memory`; `.damaged` when what is unknown takes it beyond a property list's limits.
    package borrowing func encode(arena: SecretArena) throws(AccountError) -> SecretBuffer {
        do throws(PropertyListError) {
            let buffer: SecretBuffer
            do {
                buffer = try SecretBuffer(
                    arena: arena, capacity: Self.usualSize,
                    limit: PropertyListLimits().maximumBytes)
            } catch {
                throw PropertyListError.memory(error)
            }
            var writer = try PropertyListWriter(into: buffer)
            var members = try addKnown(to: &writer)
            switch unknown {
            case .some(let unknown):
                try unknown.withBytes { bytes throws(PropertyListError) in
                    try Self.copyMembers(of: bytes, to: &writer, &members)
                }
            case .none: break
            }
            let root = try writer.add(dictionary: members)
            return try writer.finish(root: root)
        } catch {
            throw AccountError(error)
        }
    }

    private typealias Members = [(
        key: PropertyListWriter.Reference, value: PropertyListWriter.Reference
    )]

    private borrowing func addKnown(
        to writer: inout PropertyListWriter
    ) throws(PropertyListError) -> Members {
        var members: Members = []
        let token = try accessToken.withBytes { bytes throws(PropertyListError) in
            try writer.add(string: bytes)
        }
        members.append((try writer.add(string: "access_token" as StaticString), token))
        members.append((try writer.add(string: "uid" as StaticString), try writer.add(string: uid)))
        if let screenName {
            let key = try writer.add(string: "screen_name" as StaticString)
            members.append((key, try writer.add(string: screenName)))
        }
        if let avatarLarge {
            let key = try writer.add(string: "avatar_large" as StaticString)
            members.append((key, try writer.add(string: avatarLarge)))
        }
        if let seconds = expiry.expiresIn {
            let key = try writer.add(string: "expires_in" as StaticString)
            members.append((key, try writer.add(integer: seconds)))
        }
        if let time = expiry.issuedAt {
            let key = try writer.add(string: "issued_at" as StaticString)
            members.append((key, try writer.add(date: Double(time))))
        }
        let date = try writer.add(string: "expires_date" as StaticString)
        members.append((date, try writer.add(date: Double(expiry.expiresAt))))
        switch refreshToken {
        case .some(let refreshToken):
            let token = try refreshToken.withBytes { bytes throws(PropertyListError) in
                try writer.add(string: bytes)
            }
            members.append((try writer.add(string: "refresh_token" as StaticString), token))
        case .none: break
        }
        if let refused {
            let key = try writer.add(string: "refused" as StaticString)
            members.append((key, try writer.add(integer: refused)))
        }
        let schema = try writer.add(string: "schema" as StaticString)
        members.append((schema, try writer.add(integer: Self.schema)))
        return members
    }

    // `bytes` is a property list that `decode` has made.
    private static func copyMembers(
        of bytes: Span<UInt8>, to writer: inout PropertyListWriter, _ members: inout Members
    ) throws(PropertyListError) {
        var index = PropertyListIndex()
        try index.scan(bytes)
        try index.forEachMember(of: index.root, in: bytes) {
            key, value throws(PropertyListError) in
            let key = try writer.addCopy(of: key, from: index, in: bytes)
            members.append((key, try writer.addCopy(of: value, from: index, in: bytes)))
        }
    }
}

extension AccountError {
    // A buffer past its limit is a property list past its own, not a lack of memory.
    init(_ error: PropertyListError) {
        if case .memory(let error) = error, error != .overLimit {
            self = .memory(error)
        } else {
            self = .damaged
        }
    }
}
