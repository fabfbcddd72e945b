import AccountImport
import Accounts
import Foundation
import Testing

/// Files that are well formed, and hold what no app means.
@Suite struct OddFileTests {
    private static let token = "2.00made-up-for-odd-files"

    private func account(_ members: [String: Any]) throws -> [UInt8] {
        var list: [String: Any] = [
            "access_token": Self.token, "uid": "1", "expires_date": 1_800_000_000,
        ]
        list.merge(members) { $1 }
        return try bytes(list)
    }

    private func bytes(_ list: Any) throws -> [UInt8] {
        [UInt8](
            try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
    }

    private func accounts(_ count: Int) -> [[String: String]] {
        (0..<count).map {
            ["access_token": "2.00a", "uid": "\($0)", "screen_name": "n\($0)"]
        }
    }

    @Test("of many accounts some are named, one can be chosen, and too many are refused")
    func manyAccounts() throws {
        let most = try bytes(accounts(256))
        let several = #expect(throws: ImportError.self) { try read(most) }
        #expect(several?.reason == "several-accounts")
        #expect(several?.message.contains("uid 15 (n15), and 240 more") == true)
        #expect(several?.message.contains("n16") == false)
        let other = #expect(throws: ImportError.self) { try read(most, uid: "300") }
        #expect(other?.reason == "uid-mismatch")
        #expect(other?.message.hasSuffix("and 240 more") == true)
        #expect(try read(most, uid: "255", expiresAt: 1_800_000_000).account.uid == "255")
        let tooMany = try bytes(accounts(257))
        for uid in [nil, "255"] {
            let error = #expect(throws: ImportError.self) { try read(tooMany, uid: uid) }
            #expect(error?.reason == "too-many-accounts")
        }
    }

    @Test("as many accounts as a file holds are refused in time that grows with their number alone")
    func mostAccounts() throws {
        let file = try bytes(accounts(16_000))
        let start = ContinuousClock.now
        #expect(throws: ImportError.self) { try read(file) }
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("of several with the uid that is given none is taken, and --uid is not named again")
    func sameUID() throws {
        let file = try bytes(accounts(2) + accounts(2))
        let error = #expect(throws: ImportError.self) { try read(file, uid: "1") }
        #expect(error?.reason == "several-accounts")
        #expect(error?.message == "the file holds 2 accounts of the uid given with --uid")
        #expect(error?.hint?.contains("--uid") == false)
    }

    @Test("a real stands for a uid below 2⁵³ alone")
    func realUID() throws {
        let most = 9_007_199_254_740_991.0
        #expect(try read(account(["uid": most])).account.uid == "9007199254740991")
        let json = #"{"access_token":"2.00a","expires_date":1800000000,"uid":"#
        #expect(try read(Array((json + "9007199254740993}").utf8)).account.uid.hasSuffix("993"))
        for uid in ["9007199254740992.0", "9007199254740993.0", "1e18"] {
            let file = Array((json + uid + "}").utf8)
            let error = #expect(throws: ImportError.self) { try read(file) }
            #expect(error?.reason == "bad-uid")
        }
    }

    @Test("a token that stands in the place of a name or an avatar is not shown")
    func tokenForName() throws {
        for (name, text) in [("screen_name", Self.token), ("avatar_large", "a\(Self.token)b")] {
            let found = try read(account([name: text]))
            #expect(found.account.screenName == nil && found.account.avatarLarge == nil)
            #expect(found.warnings == ["\(name) is not usable and was left out"])
        }
        let twice = try bytes([
            ["access_token": Self.token, "screen_name": Self.token, "uid": "1"],
            ["access_token": "2.00b", "screen_name": "b", "uid": "2"],
        ])
        let error = #expect(throws: ImportError.self) { try read(twice) }
        #expect(error?.message == "the file holds 2 accounts: uid 1, uid 2 (b)")
    }

    @Test("JSON of many small values is read, whatever list it becomes")
    func manySmallValues() throws {
        let json =
            #"{"access_token":"2.00a","uid":"1","expires_date":1800000000,"a":["#
            + (0..<30_000).map { _ in "0" }.joined(separator: ",") + "]}"
        #expect(try read(Array(json.utf8)).account.uid == "1")
    }
}
