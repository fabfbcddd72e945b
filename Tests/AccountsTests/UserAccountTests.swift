import Foundation
import PropertyList
import SecretMemory
import TestSupport
import Testing

@testable import Accounts

@Suite struct UserAccountTests {
    static let token = "2.00madeUpToken0000000000000000x"

    private func account(
        in arena: SecretArena, token: String = token, refreshToken: String? = nil,
        screenName: String? = nil, avatarLarge: String? = nil,
        expiry: Expiry? = nil, refused: Int64? = nil
    ) throws -> UserAccount {
        var secret: SecretBytes?
        if let refreshToken { secret = try arena.secret(refreshToken) }
        return UserAccount(
            accessToken: try arena.secret(token), refreshToken: secret, uid: "9900002001",
            screenName: screenName, avatarLarge: avatarLarge,
            expiry: try expiry ?? Expiry(expiresIn: 7200, issuedAt: 1_767_225_600),
            refused: refused)
    }

    private func bytes(_ buffer: borrowing SecretBuffer) -> [UInt8] {
        buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func dictionary(_ bytes: [UInt8]) throws -> [String: Any] {
        // SAFETY: no format is asked for, so nothing is written through the pointer.
        let list = try unsafe PropertyListSerialization.propertyList(
            from: Data(bytes), format: nil)
        return try #require(list as? [String: Any])
    }

    private func decode(_ dictionary: [String: Any]) throws -> UserAccount {
        let data = try PropertyListSerialization.data(
            fromPropertyList: dictionary, format: .binary, options: 0)
        let bytes = [UInt8](data)
        return try UserAccount.decode(bytes.span, arena: try SecretArena.forTest())
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    private var good: [String: Any] {
        [
            "access_token": Self.token, "uid": "9900002001", "schema": 1,
            "expires_date": date(1_767_232_800),
        ]
    }

    @Test("every value is written under its key, in a form that Foundation reads")
    func keys() throws {
        let arena = try SecretArena.forTest()
        let account = try account(
            in: arena, refreshToken: "2.00refresh", screenName: "用户😀",
            avatarLarge: "https://tvax3.sinaimg.cn/a.jpg", refused: 21327)
        let encoded = bytes(try account.encode(arena: arena))
        #expect(encoded.starts(with: Array("bplist00".utf8)))
        let list = try dictionary(encoded)
        #expect(
            Set(list.keys) == [
                "access_token", "uid", "screen_name", "avatar_large", "expires_in", "issued_at",
                "expires_date", "refresh_token", "refused", "schema",
            ])
        #expect(list["access_token"] as? String == Self.token)
        #expect(list["refresh_token"] as? String == "2.00refresh")
        #expect(list["uid"] as? String == "9900002001")
        #expect(list["screen_name"] as? String == "用户😀")
        #expect(list["avatar_large"] as? String == "https://tvax3.sinaimg.cn/a.jpg")
        #expect(list["expires_in"] as? Int64 == 7200)
        #expect(list["issued_at"] as? Date == date(1_767_225_600))
        #expect(list["expires_date"] as? Date == date(1_767_232_800))
        #expect(list["refused"] as? Int64 == 21327)
        #expect(list["schema"] as? Int64 == 1)
    }

    @Test("what an account does not have is not written")
    func absent() throws {
        let arena = try SecretArena.forTest()
        let account = try account(in: arena, expiry: try Expiry(expiresAt: 1_767_232_800))
        let list = try dictionary(bytes(try account.encode(arena: arena)))
        #expect(Set(list.keys) == ["access_token", "uid", "expires_date", "schema"])
    }

    @Test(
        "a round trip changes nothing",
        arguments: [
            "", "a", "𠮷野家😀👩‍👩‍👧", "e\u{301}", "\u{1B}[31m", String(repeating: "字", count: 85),
        ])
    func roundTrip(_ name: String) throws {
        let arena = try SecretArena.forTest()
        let long = String(repeating: "~", count: AccountField.maximumTokenLength)
        let avatar = "https://" + String(repeating: "a", count: 2040)
        let account = try account(
            in: arena, token: long, refreshToken: long, screenName: name, avatarLarge: avatar,
            refused: 21315)
        let encoded = bytes(try account.encode(arena: arena))
        let decoded = try UserAccount.decode(encoded.span, arena: arena)
        #expect(text(decoded.accessToken) == long)
        let refreshToken = decoded.refreshToken.text()
        #expect(refreshToken == long)
        #expect(decoded.uid == "9900002001")
        #expect(decoded.screenName?.utf8.elementsEqual(name.utf8) == true)
        #expect(decoded.avatarLarge == avatar)
        #expect(decoded.expiry == account.expiry)
        #expect(decoded.refused == 21315)
        #expect(bytes(try decoded.encode(arena: arena)) == encoded)
    }

    @Test(
        "times of the whole range come back to the second",
        arguments: [
            0, 1, 978_307_199, 978_307_200, 1_767_225_600, 4_294_967_296, 64_092_211_200,
            AccountField.latestTime,
        ])
    func times(_ time: Int64) throws {
        let arena = try SecretArena.forTest()
        let account = try account(in: arena, expiry: try Expiry(expiresAt: time))
        let encoded = bytes(try account.encode(arena: arena))
        let decoded = try UserAccount.decode(encoded.span, arena: arena)
        #expect(decoded.expiry == account.expiry)
    }

    @Test("unknown keys survive a rewrite, nested ones too")
    func unknown() throws {
        let arena = try SecretArena.forTest()
        var list = good
        list["later"] = [
            "array": [1, "two", date(3.5), Data([0, 1, 2])] as [Any],
            "dictionary": ["真": true, "real": 2.5] as [String: Any],
        ]
        list["expires_at"] = 5
        list["𠮷"] = "👩‍👩‍👧"
        // Shared by all, as Core Foundation writes equal strings once.
        for number in 0..<50 { list["name\(number)"] = String(repeating: "x", count: 300) }
        var account = try decode(list)
        account.screenName = "changed"
        account.refused = 21332
        let first = bytes(try account.encode(arena: arena))
        let again = try UserAccount.decode(first.span, arena: arena)
        let second = bytes(try again.encode(arena: arena))

        list["screen_name"] = "changed"
        list["refused"] = 21332
        #expect(try dictionary(first) as NSDictionary == list as NSDictionary)
        #expect(try dictionary(second) as NSDictionary == list as NSDictionary)
    }

    @Test("an unknown key never holds a token")
    func unknownHoldsNoToken() throws {
        var list = good
        list["later"] = "value"
        let account = try decode(list)
        var keys: Set<String>?
        switch account.unknown {
        case .some(let kept): keys = Set(try dictionary(bytes(kept)).keys)
        case .none: break
        }
        #expect(keys == ["later"])
    }

    @Test("expires_date decides, whatever the other two add up to")
    func authoritative() throws {
        var list = good
        list["expires_in"] = 157_679_999
        list["issued_at"] = date(1_767_225_600)
        let expiry = try decode(list).expiry
        #expect(expiry.expiresAt == 1_767_232_800)
        #expect(expiry.expiresIn == 157_679_999)
        #expect(expiry.issuedAt == 1_767_225_600)
    }

    @Test("an expiry is never derived when the date lacks")
    func neverDerived() throws {
        var list = good
        list["expires_date"] = nil
        list["expires_in"] = 7200
        list["issued_at"] = date(1_767_225_600)
        #expect(throws: AccountError.missing(.expiresDate)) { _ = try decode(list).uid }
    }

    @Test("an account that came with a date alone is whole")
    func dateAlone() throws {
        #expect(try decode(good).expiry == Expiry(expiresAt: 1_767_232_800))
    }

    @Test("a date's fraction of a second is cut off", arguments: [0.0, 0.25, 0.999])
    func fraction(_ fraction: Double) throws {
        var list = good
        list["expires_date"] = date(1_767_232_800 + fraction)
        #expect(try decode(list).expiry.expiresAt == 1_767_232_800)
    }
}

extension UserAccountTests {
    @Test(
        "a value that every account has is missed by name",
        arguments: [
            ("access_token", AccountField.accessToken), ("uid", .uid),
            ("expires_date", .expiresDate), ("schema", .schema),
        ])
    func missing(_ key: String, _ field: AccountField) throws {
        var list = good
        list[key] = nil
        #expect(throws: AccountError.missing(field)) { _ = try decode(list).uid }
    }

    enum Value: CaseIterable, Sendable {
        case string, integer, real, boolean, date, data, array, dictionary, emptyString, negative

        var any: Any {
            switch self {
            case .string: "x y"
            case .integer: 4_000_000_000_000_000_000
            case .real: 1.5
            case .boolean: true
            case .date: Date(timeIntervalSince1970: -5)
            case .data: Data([0x32])
            case .array: ["x"]
            case .dictionary: ["x": "y"]
            case .emptyString: ""
            case .negative: -1
            }
        }
    }

    // What is a good value somewhere in the table.
    private static let good: [String: [Value]] = [
        "screen_name": [.string, .emptyString],
        "avatar_large": [.emptyString],
        "refused": [.integer, .negative],
    ]

    @Test(
        "a value of a wrong type or range is named",
        arguments: [
            AccountField.accessToken, .refreshToken, .uid, .screenName, .avatarLarge, .expiresIn,
            .issuedAt, .expiresDate, .refused, .schema,
        ], Value.allCases)
    func wrong(_ field: AccountField, _ value: Value) throws {
        var list = good
        list[field.rawValue] = value.any
        let expected: AccountError? =
            if Self.good[field.rawValue]?.contains(value) == true {
                nil
            } else if field == .schema && value == .integer {
                .unsupportedSchema(4_000_000_000_000_000_000)
            } else {
                .invalid(field)
            }
        var thrown: AccountError?
        do { _ = try decode(list).uid } catch let error as AccountError { thrown = error }
        #expect(thrown == expected)
    }

    @Test(
        "a value beyond its limit is named",
        arguments: [
            ("access_token", String(repeating: "a", count: 4097), AccountField.accessToken),
            ("access_token", "line\nend", .accessToken), ("access_token", "ümlaut", .accessToken),
            ("refresh_token", "a b", .refreshToken), ("uid", "123456789012345678901", .uid),
            ("uid", "１２３", .uid), ("screen_name", String(repeating: "字", count: 86), .screenName),
            ("screen_name", "a\u{0}b", .screenName), ("avatar_large", "https://a b", .avatarLarge),
            ("avatar_large", String(repeating: "a", count: 2049), .avatarLarge),
        ])
    func limits(_ key: String, _ value: String, _ field: AccountField) throws {
        var list = good
        list[key] = value
        #expect(throws: AccountError.invalid(field)) { _ = try decode(list).uid }
    }

    @Test("a life outside its range is refused", arguments: [0, -1, 315_360_001])
    func life(_ seconds: Int64) throws {
        var list = good
        list["expires_in"] = seconds
        #expect(throws: AccountError.invalid(.expiresIn)) { _ = try decode(list).uid }
    }

    @Test(
        "a date outside the calendar is refused",
        arguments: [
            -1, 253_402_300_800, 1e18, 1e300, -1e300, .infinity, .nan,
        ])
    func dates(_ seconds: Double) throws {
        var list = good
        list["expires_date"] = date(seconds)
        #expect(throws: AccountError.invalid(.expiresDate)) { _ = try decode(list).uid }
    }

    @Test(
        "a later schema is told from a damaged one",
        arguments: [
            (0, AccountError.invalid(.schema)), (2, .unsupportedSchema(2)),
        ] as [(Int64, AccountError)])
    func schema(_ schema: Int64, _ error: AccountError) throws {
        // Nothing else is looked at: a later version may have changed it.
        #expect(throws: error) { _ = try decode(["schema": schema]).uid }
    }

    @Test("another root than a dictionary is refused")
    func root() throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["access_token"], format: .binary, options: 0)
        let bytes = [UInt8](data)
        let arena = try SecretArena.forTest()
        #expect(throws: AccountError.notADictionary) {
            _ = try UserAccount.decode(bytes.span, arena: arena).uid
        }
    }

    @Test(
        "what is no binary property list is damaged",
        arguments: [
            "", "bplist00", "{\"access_token\":\"x\"}", "<?xml version=\"1.0\"?><plist/>",
        ])
    func garbage(_ text: String) throws {
        let arena = try SecretArena.forTest()
        #expect(throws: AccountError.damaged) {
            _ = try UserAccount.decode(text.utf8.span, arena: arena).uid
        }
    }

    @Test("cut anywhere and with any byte changed it is an account or an error, never a trap")
    func hostile() throws {
        let arena = try SecretArena.forTest()
        let account = try account(in: arena, refreshToken: "2.00refresh", screenName: "用户😀")
        let encoded = bytes(try account.encode(arena: arena))
        for end in encoded.indices {
            let cut = Array(encoded[..<end])
            #expect(throws: AccountError.self) {
                _ = try UserAccount.decode(cut.span, arena: arena).uid
            }
        }
        for position in encoded.indices {
            for bit in 0..<8 {
                var changed = encoded
                changed[position] ^= 1 << bit
                let uid = try? UserAccount.decode(changed.span, arena: arena).uid
                #expect(uid == nil || AccountField.check(uid: uid ?? "") == nil)
            }
        }
        #expect(arena.used < 64 * SecretArena.granule)
    }

    @Test("without room it says so and leaves nothing behind")
    func noRoom() throws {
        let arena = try SecretArena(capacity: 4096, preferring: .lockedPages)
        let account = try account(in: arena)
        let hog = try arena.allocate(2048)
        let used = arena.used
        let other = try arena.allocate(1024)
        #expect(throws: AccountError.memory(.exhausted)) {
            _ = try account.encode(arena: arena).count
        }
        #expect(arena.used == used + 1024)
        #expect(hog.count + other.count == 3072)
    }
}
