package import SecretMemory

@testable import Accounts

/// What a person gives to `account login`: a token response, and all that is taken for one.
package final class ResponseBody: FuzzBody {
    package static let name = "response"
    package static let vectors = ["responses"]
    private static let now: Int64 = 1_700_000_000

    package let arena: SecretArena

    package init() throws { arena = try SecretArena(capacity: 1 << 20, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let bare = TokenResponse.Supplement(receivedAt: Self.now)
        guard let error = try read(input, bare) else { return }
        // What lacks a value gets past that with one.
        var full = bare
        switch error.reason {
        case "uid-missing", "expiry-unknown", "bad-expires_in", "expires_in-out-of-range":
            full.uid = "1234567890"
            full.expiresAt = Self.now + 86_400
            _ = try read(input, full)
            full.expiresAt = nil
            full.expiresIn = 3600
            full.screenName = "made up"
            _ = try read(input, full)
        default: break
        }
    }

    private func read(
        _ text: Span<UInt8>, _ supplement: TokenResponse.Supplement
    ) throws -> TokenResponseError? {
        let response: TokenResponse
        do throws(TokenResponseError) {
            response = try TokenResponse.parse(text, supplement: supplement, arena: arena)
        } catch {
            try visit(error)
            return error
        }
        try response.accessToken.withBytes {
            try require(AccountField.check(accessToken: $0) == nil, "a token that is none")
            try require(text.count >= $0.count, "a token that was not there")
        }
        try require(AccountField.check(uid: response.uid) == nil, "a uid that is none")
        if let given = supplement.uid { try require(response.uid == given, "another uid") }
        let expiry = response.expiry
        try require(AccountField.check(expiresAt: expiry.expiresAt) == nil, "a wrong expiry")
        try require(expiry.expiresAt > 0, "an expiry before all")
        if let life = expiry.expiresIn, let issued = expiry.issuedAt {
            try require(issued + life == expiry.expiresAt, "an expiry that does not add up")
            try require(issued <= Self.now, "a token of tomorrow")
        }
        for warning in response.warnings { try Self.requireOwnWords(warning) }
        let account = response.account()
        try AccountBody.requireRoundTrip(of: account, arena)
        return nil
    }

    // It tells what is wrong and repeats nothing of the text, which may be the token.
    private func visit(_ error: TokenResponseError) throws {
        let reason = error.reason
        try require(!reason.isEmpty && reason.utf8.count < 80, "a long reason: \(reason)")
        try Self.requireOwnWords(reason)
        try Self.requireOwnWords(error.message)
        try require(error.message.utf8.count < 200, "a long message: \(error.message)")
        if let hint = error.hint { try Self.requireOwnWords(hint) }
        try require(!reason.hasPrefix("out-of-memory"), "a response that takes all memory")
    }

    // The program's words are ASCII without control characters.
    static func requireOwnWords(_ text: String) throws {
        try require(
            text.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "foreign words in a message: \(text)")
    }
}
