import SecretMemory
import TestSupport

@testable import Accounts

/// What became of a response, to be compared.
struct Outcome: Equatable {
    var reason: String?
    var accessToken: String?
    var refreshToken: String?
    var uid: String?
    var screenName: String?
    var avatarLarge: String?
    var expiry: Expiry?
    var warnings: [String] = []

    static let now: Int64 = 1_767_225_600

    /// Reads a response that came now.
    init(_ response: String, _ supplement: TokenResponse.Supplement = .init(receivedAt: now)) throws
    {
        try self.init(Array(response.utf8), supplement)
    }

    init(
        _ response: [UInt8], _ supplement: TokenResponse.Supplement = .init(receivedAt: now)
    ) throws {
        let arena = try SecretArena.forTest()
        do {
            let response = try TokenResponse.parse(
                response.span, supplement: supplement, arena: arena)
            accessToken = text(response.accessToken)
            refreshToken = response.refreshToken.text()
            uid = response.uid
            screenName = response.screenName
            avatarLarge = response.avatarLarge
            expiry = response.expiry
            warnings = response.warnings
        } catch {
            reason = error.reason
        }
        // Whatever happened, nothing is held any longer.
        if arena.used != 0 { reason = "secret memory is left behind" }
    }
}

/// A response with one member replaced, or left out.
func response(
    token: String? = "\"2.00made-up\"", uid: String? = "\"99\"", expiresIn: String? = "3600",
    _ rest: String = ""
) -> String {
    let members = [("access_token", token), ("uid", uid), ("expires_in", expiresIn)]
    var texts = members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    if !rest.isEmpty { texts.append(rest) }
    return "{" + texts.joined(separator: ",") + "}"
}
