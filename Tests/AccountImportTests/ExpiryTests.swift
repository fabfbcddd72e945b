import AccountImport
import Accounts
import Foundation
import Testing

/// Of the date, the life and the time of issue two say the third; a file and the command line may
/// each know some of them.
@Suite struct ExpiryTests {
    /// What a file says, what is given, and what comes of it: the expiry, or the reason.
    struct Case: CustomTestStringConvertible, Sendable {
        let file: [String: Int64]
        let expiresAt: Int64?
        let expiresIn: Int64?
        let issuedAt: Int64?
        let result: String
        var testDescription: String {
            "\(file), \(expiresAt ?? -1) \(expiresIn ?? -1) \(issuedAt ?? -1) gives \(result)"
        }

        init(
            _ file: [String: Int64], at expiresAt: Int64? = nil, in expiresIn: Int64? = nil,
            from issuedAt: Int64? = nil, _ result: String
        ) {
            self.file = file
            self.expiresAt = expiresAt
            self.expiresIn = expiresIn
            self.issuedAt = issuedAt
            self.result = result
        }
    }

    static let cases = [
        Case(["expires_date": 1_800_000_000], "1800000000"),
        Case(["expires_date": 1_800_000_000], at: 1_800_000_000, "1800000000"),
        Case(["expires_date": 1_800_000_000], at: 1_800_000_001, "expiry-mismatch"),
        Case(
            ["expires_date": 1_800_000_000], from: 1_799_000_000,
            "1799000000 + 1000000 = 1800000000"),
        Case(
            ["expires_date": 1_800_000_000], in: 1_000_000, "1799000000 + 1000000 = 1800000000"),
        Case(
            ["expires_date": 1_800_000_000], in: 1_000_000, from: 1_799_000_000,
            "1799000000 + 1000000 = 1800000000"),
        Case(
            ["expires_date": 1_800_000_000], in: 1_000_001, from: 1_799_000_000,
            "expiry-mismatch"),
        Case(["expires_date": 1_800_000_000], from: 1_800_000_000, "expiry-mismatch"),
        Case(["expires_date": 1_800_000_000, "expires_in": 5], "1800000000"),
        Case(
            ["expires_date": 1_800_000_000, "expires_in": 5], from: 1_799_999_994, "expiry-mismatch"
        ),
        Case(["expires_date": 1_800_000_000, "expires_in": 5], in: 6, "expiry-mismatch"),
        Case(
            ["expires_date": 1_800_000_000, "expires_in": 5], in: 5, "1799999995 + 5 = 1800000000"),
        Case(["expires_in": 86_400], "expiry-unknown"),
        Case(["expires_in": 86_400], from: 1_799_000_000, "1799000000 + 86400 = 1799086400"),
        Case(["expires_in": 86_400], at: 1_800_000_000, "1800000000"),
        Case(["expires_in": 86_400], in: 86_400, "1767225600 + 86400 = 1767312000"),
        Case(["expires_in": 86_400], in: 86_401, "expiry-mismatch"),
        Case(
            ["expires_in": 86_400, "created_time": 1_799_000_000],
            "1799000000 + 86400 = 1799086400"),
        Case(
            ["expires_in": 86_400, "created_time": 1_799_000_000], from: 1_799_000_001,
            "expiry-mismatch"),
        Case(["created_time": 1_799_000_000], "expiry-unknown"),
        Case(["created_time": 1_799_000_000], in: 5, "1799000000 + 5 = 1799000005"),
        Case(["created_time": 1_799_000_000], at: 1_799_000_005, "1799000005"),
        Case([:], "expiry-unknown"),
        Case([:], from: 1_799_000_000, "expiry-unknown"),
        Case([:], in: 60, "1767225600 + 60 = 1767225660"),
        Case([:], at: 1_800_000_000, "1800000000"),
        Case([:], at: 1_800_000_000, in: 5, from: 1_799_999_994, "expiry-conflict"),
        Case([:], in: 0, "expires_in-out-of-range"),
        Case([:], in: 315_360_001, "expires_in-out-of-range"),
        Case(["expires_in": -1], in: 60, "1767225600 + 60 = 1767225660"),
        Case(["expires_in": 1_000_000_000], "expires_in-out-of-range"),
        Case(["expires_date": 999_999_999], "expiry-unknown"),
        Case(["expires_date": 1_000_000_000], "1000000000"),
        Case(["expires_date": 99_999_999_999], "99999999999"),
        Case(["expires_date": 100_000_000_000], "100000000"),
        Case(
            ["expires_in": 86_400, "created_time": 1_799_000_000], at: 1_800_000_000,
            "expiry-mismatch"),
        Case(["expires_date": -1], at: 1_800_000_000, "1800000000"),
        Case(["created_time": -1], "bad-issued_at"),
        Case(["created_time": -1], at: 1_800_000_000, "1800000000"),
        Case(["expires_in": 0], at: 1_800_000_000, "1800000000"),
        Case(["expires_date": -1], "bad-expires_date"),
        Case(["expires_date": 999_999_999_999_999], "bad-expires_date"),
    ]

    @Test("what is known on either side gives the expiry", arguments: cases)
    func expiry(_ given: Case) throws {
        let members = given.file.merging([:]) { one, _ in one }
        var list: [String: Any] = ["access_token": "2.00made-up", "uid": "1"]
        for (name, value) in members { list[name] = value }
        let file = try PropertyListSerialization.data(
            fromPropertyList: list, format: .binary, options: 0)
        let result: String
        do {
            let expiry = try read(
                [UInt8](file), expiresAt: given.expiresAt, expiresIn: given.expiresIn,
                issuedAt: given.issuedAt
            ).account.expiry
            result =
                expiry.issuedAt.map { "\($0) + \(expiry.expiresIn ?? -1) = \(expiry.expiresAt)" }
                ?? "\(expiry.expiresAt)"
        } catch let error as ImportError { result = error.reason }
        #expect(result == given.result)
    }

    @Test("a time before 2001 in Android's milliseconds is a duration")
    func android() throws {
        for (value, result) in [
            ("1000000000000", "1000000000"), ("999999999999", "expires_in-out-of-range"),
            ("86400", "expiry-unknown"),
        ] {
            let file = """
                <map><string name="access_token">2.00made-up</string><string name="uid">1</string>\
                <long name="expires_in" value="\(value)"/></map>
                """
            do {
                #expect(try "\(read(Array(file.utf8)).account.expiry.expiresAt)" == result)
            } catch let error as ImportError { #expect(error.reason == result) }
        }
    }
}
