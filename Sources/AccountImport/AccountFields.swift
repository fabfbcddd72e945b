import Accounts
import PropertyList
import SecretMemory

/// Finds accounts among the objects of a file and reads their fields, whatever the app called them.
struct AccountFields {
    /// Names of a field, the first of them that has a value counts.
    enum Names {
        static let accessToken: [StaticString] = ["access_token", "accessToken"]
        static let refreshToken: [StaticString] = ["refresh_token", "refreshToken"]
        static let uid: [StaticString] = ["uid", "userID"]
        static let screenName: [StaticString] = ["screen_name", "name", "userName"]
        static let avatarLarge: [StaticString] = [
            "avatar_large", "avatar_hd", "profile_image_url", "avater_large",
        ]
        static let expiresDate: [StaticString] = [
            "expires_date", "expires_Date", "expiresDate", "expireDate", "expires_time",
            "expiresTime", "date", "expirationDate",
        ]
        static let created: [StaticString] = ["created_time", "createAccessTokenDate", "issued_at"]
        static let expiresIn: [StaticString] = ["expires_in"]
    }

    /// 2⁵³, from where on not each whole number is a real.
    static let leastInexact = 9_007_199_254_740_992.0

    typealias Object = ObjectGraph.Object

    let graph: ObjectGraph
    let arena: SecretArena
    let dialect: ImportDialect

    /// The account that is meant.
    ///
    /// An account is an object or a dictionary that has an access token, be it nil. What such a one
    /// holds is not searched for further accounts.
    func choose(uid: String?, in bytes: Span<UInt8>) throws(ImportError) -> Object {
        if let uid, AccountField.check(uid: uid) != nil { throw .badGivenUID }
        let found = try find(in: bytes)
        if found.count == 1 { return found[0] }
        guard let uid else { throw .severalAccounts(try names(of: found, in: bytes)) }
        var matching: [Object] = []
        for account in found where try self.uid(of: account, in: bytes) == uid {
            matching.append(account)
        }
        if matching.isEmpty { throw .noSuchAccount(try names(of: found, in: bytes)) }
        guard matching.count == 1 else { throw .severalOfUID(matching.count) }
        return matching[0]
    }

    private func find(in bytes: Span<UInt8>) throws(ImportError) -> [Object] {
        var accounts: [Object] = []
        var isUnkeyed = false
        var isEmpty = true
        do throws(ObjectGraphError) {
            try graph.walk(in: bytes) { object, kind throws(ObjectGraphError) in
                if kind != .null { isEmpty = false }
                guard kind == .object || kind == .dictionary else { return .into }
                for name in Names.accessToken
                where try graph.member(name, of: object, in: bytes) != nil {
                    // One more than are read, and the file is refused: the rest is not looked at.
                    if accounts.count <= ImportLimits.maximumAccounts,
                        !accounts.contains(object)
                    {
                        accounts.append(object)
                    }
                    return .past
                }
                if try graph.member("$0", of: object, in: bytes) != nil { isUnkeyed = true }
                return .into
            }
        } catch { throw ImportError(error) }
        guard accounts.count <= ImportLimits.maximumAccounts else { throw .tooManyAccounts }
        guard accounts.isEmpty else { return accounts }
        if isUnkeyed { throw .unkeyed }
        throw isEmpty ? .emptyArchive : .noAccount
    }

    // For a person who is to choose.
    private func names(
        of accounts: [Object], in bytes: Span<UInt8>
    ) throws(ImportError) -> [String] {
        var names: [String] = []
        for account in accounts {
            let uid = try uid(of: account, in: bytes).map { "uid \($0)" } ?? "one without a uid"
            let name = try value(Names.screenName, of: account, in: bytes)
                .flatMap { object throws(ImportError) in
                    try text(object, upTo: AccountField.maximumScreenNameLength, in: bytes)
                }
            let isToken = try name.map { name throws(ImportError) in
                try holdsToken(name, of: account, in: bytes)
            }
            names.append(isToken == false ? "\(uid) (\(name ?? ""))" : uid)
        }
        return names
    }

    // nil where it is not known or no uid.
    private func uid(of account: Object, in bytes: Span<UInt8>) throws(ImportError) -> String? {
        guard let object = try value(Names.uid, of: account, in: bytes) else { return nil }
        guard let uid = try digits(object, in: bytes), AccountField.check(uid: uid) == nil else {
            return nil
        }
        return uid
    }

    /// The value of the first of the names that has one; nil where none has.
    func value(
        _ names: [StaticString], of account: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Object? {
        do throws(ObjectGraphError) {
            for name in names {
                guard let member = try graph.member(name, of: account, in: bytes),
                    try graph.kind(of: member, in: bytes) != .null
                else { continue }
                return member
            }
        } catch { throw ImportError(error) }
        return nil
    }

    func kind(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> ObjectGraph.Kind {
        do { return try graph.kind(of: object, in: bytes) } catch { throw ImportError(error) }
    }

    /// A text that is no secret; nil when it is no string, is too long, or is an address that
    /// counts from another one.
    func text(
        _ object: Object, upTo limit: Int, in bytes: Span<UInt8>
    ) throws(ImportError) -> String? {
        let object = try address(object, in: bytes) ?? object
        guard let count = try count(of: object, in: bytes), count <= limit else { return nil }
        do throws(SecretMemoryError) {
            var buffer = try SecretBuffer(arena: arena, capacity: max(1, count))
            try graph.appendString(object, in: bytes, to: &buffer)
            return buffer.withBytes { bytes in
                guard let text = try? UTF8Span(validating: bytes) else { return nil }
                return String(copying: text)
            }
        } catch { throw .memory(error) }
    }

    /// Bytes of a string; nil for another kind.
    func count(of object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Int? {
        do { return try graph.decodedCount(of: object, in: bytes) } catch {
            throw ImportError(error)
        }
    }

    // What an NSURL holds.
    private func address(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Object? {
        do throws(ObjectGraphError) {
            guard try graph.object(object, isOf: "NSURL", in: bytes) else { return nil }
            return try graph.member("NS.relative", of: object, in: bytes)
        } catch { throw ImportError(error) }
    }

    /// Digits: those of a text, or a whole number's that is not negative; else nil.
    func digits(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> String? {
        switch try kind(object, in: bytes) {
        case .string: return try text(object, upTo: AccountField.maximumUIDLength, in: bytes)
        case .integer: return graph.integer(object, in: bytes).flatMap { $0 < 0 ? nil : "\($0)" }
        case .real:
            // Beyond, a real stands for its neighbours too: which uid was meant, nobody can say.
            guard let real = graph.real(object, in: bytes), real < Self.leastInexact,
                let whole = Int64(exactly: real), whole >= 0
            else { return nil }
            return "\(whole)"
        default: return nil
        }
    }
}
