import Testing

@testable import Accounts

@Suite struct ExpiryTests {
    @Test(
        "a life is added to its time of issue once",
        arguments: [
            (1, 0, 1), (7200, 1_767_225_600, 1_767_232_800),
            (315_360_000, 1_767_225_600, 2_082_585_600),
            (1, AccountField.latestTime - 1, AccountField.latestTime),
        ] as [(Int64, Int64, Int64)])
    func sum(_ expiresIn: Int64, _ issuedAt: Int64, _ expiresAt: Int64) throws {
        let expiry = try Expiry(expiresIn: expiresIn, issuedAt: issuedAt)
        #expect(expiry.expiresIn == expiresIn)
        #expect(expiry.issuedAt == issuedAt)
        #expect(expiry.expiresAt == expiresAt)
    }

    @Test(
        "what is out of range is named and nothing overflows",
        arguments: [
            (0, 0, AccountField.expiresIn), (-1, 0, .expiresIn), (315_360_001, 0, .expiresIn),
            (.max, .max, .expiresIn), (.min, .min, .expiresIn), (1, -1, .issuedAt),
            (1, .max, .issuedAt), (1, .min, .issuedAt),
            (1, AccountField.latestTime, .expiresAt),
            (315_360_000, AccountField.latestTime - 1, .expiresAt),
        ] as [(Int64, Int64, AccountField)])
    func range(_ expiresIn: Int64, _ issuedAt: Int64, _ field: AccountField) {
        #expect(throws: AccountError.invalid(field)) {
            try Expiry(expiresIn: expiresIn, issuedAt: issuedAt)
        }
    }

    @Test("a date alone knows no life", arguments: [0, 1_767_232_800, AccountField.latestTime])
    func date(_ time: Int64) throws {
        let expiry = try Expiry(expiresAt: time)
        #expect(expiry.expiresAt == time)
        #expect(expiry.expiresIn == nil)
        #expect(expiry.issuedAt == nil)
    }

    @Test(
        "a date outside the calendar is refused",
        arguments: [
            -1, .min, .max, AccountField.latestTime + 1,
        ] as [Int64])
    func dateRange(_ time: Int64) {
        #expect(throws: AccountError.invalid(.expiresAt)) { try Expiry(expiresAt: time) }
    }

    @Test(
        "what is left stays at the ends of 64 bits",
        arguments: [
            (0, 1000), (999, 1), (1000, 0), (1001, -1), (-1, 1001), (.max, 1000 - .max),
            (.min + 1000, .max), (.min + 1001, .max), (.min, .max), (.min + 1002, .max - 1),
        ] as [(Int64, Int64)])
    func remaining(_ now: Int64, _ left: Int64) throws {
        #expect(try Expiry(expiresAt: 1000).remaining(at: now) == left)
    }

    @Test(
        "a token expires in the second of its expiry",
        arguments: [
            (0, 999, true), (0, 1000, false), (0, 1001, false), (1, 999, true), (2, 999, false),
            (1000, 0, true), (1001, 0, false), (.max, 0, false), (-5, 1000, false), (-5, 999, true),
            (.max, .min, true),
        ] as [(Int64, Int64, Bool)])
    func valid(_ minimum: Int64, _ now: Int64, _ isValid: Bool) throws {
        let expiry = try Expiry(expiresAt: 1000)
        #expect(expiry.isValid(for: minimum, at: now) == isValid)
        #expect(expiry.isExpired(at: now) == (now >= 1000))
    }
}
