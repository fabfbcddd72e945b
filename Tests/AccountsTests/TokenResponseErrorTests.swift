import SecretMemory
import TestSupport
import Testing

@testable import Accounts

@Suite struct TokenResponseErrorTests {
    private func error(_ text: String) throws -> TokenResponseError? {
        try error(Array(text.utf8))
    }

    private func error(_ bytes: [UInt8]) throws -> TokenResponseError? {
        let arena = try SecretArena.forTest()
        do {
            _ = try TokenResponse.parse(
                bytes.span, supplement: .init(receivedAt: Outcome.now), arena: arena
            ).uid
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Weibo's errors reject, whatever else is there",
        arguments: [
            ("\"error_code\":21327,\"error\":\"expired_token\"", "api-error:21327"),
            ("\"error_code\":21325,\"error\":\"invalid_grant\"", "api-error:21325 invalid_grant"),
            ("\"error_code\":21330,\"error\":\"access_denied\"", "api-error:21330 access_denied"),
            ("\"error_code\":\"10006\"", "api-error:10006"), ("\"error_code\":0", "api-error:0"),
            ("\"error_code\":null", "api-error"), ("\"error_code\":-1", "api-error"),
            ("\"error_code\":\"\"", "api-error"), ("\"error_code\":\"x\"", "api-error"),
            ("\"error_code\":1.5", "api-error"), ("\"error_code\":[21327]", "api-error"),
            ("\"error_code\":999999999", "api-error:999999999"),
            ("\"error_code\":1000000000", "api-error"), ("\"error\":null", "api-error"),
            ("\"error\":\"invalid_grant\"", "api-error:invalid_grant"),
            ("\"error\":\"expired_token\"", "api-error:expired_token"),
            ("\"error\":\"invalid_grant \"", "api-error"),
            ("\"error\":\"2.00made-up\"", "api-error"),
            ("\"error\":{\"code\":190}", "api-error"), ("\"error\":false", "api-error"),
        ])
    func api(_ members: String, _ reason: String) throws {
        #expect(try error(response(members))?.reason == reason)
        #expect(try error("{\(members)}")?.reason == reason)
    }

    @Test(
        "errors in forms and addresses are found too",
        arguments: [
            ("error_code=401&error=40112%3AOAuth+Error", "api-error:401"),
            (
                "https://example.com/cb?error=access_denied&error_code=21330&state=x",
                "api-error:21330 access_denied"
            ),
            ("https://example.com/cb#error=invalid_scope", "api-error:invalid_scope"),
            ("error_code=", "api-error"), ("error=2.00made-up", "api-error"),
            ("xerror=1&a=b", "not-json"), ("error", "not-json"),
            ("access_token=2.00x&error_description=1", "not-json"),
        ])
    func form(_ text: String, _ reason: String) throws {
        #expect(try error(text)?.reason == reason)
    }

    @Test(
        "an error says what it means and what to do",
        arguments: [
            (
                "{\"error_code\":21327}", "Weibo answered with error 21327: the token has expired",
                "log in again: the token is of no more use"
            ),
            (
                "{\"error_code\":21325,\"error\":\"invalid_grant\"}",
                "Weibo answered with error 21325 invalid_grant: the authorization code or refresh token"
                    + " is wrong, used or too old",
                "log in again: an authorization code is good once, for a short time, and with the"
                    + " redirect address that it was asked with"
            ),
            (
                "{\"error_code\":4711}", "Weibo answered with error 4711",
                "the answer holds no token; what error_description says in it may help"
            ),
            (
                "{\"uid\":1,\"access_token\":\"x\"}",
                "the response does not say when the token expires",
                "give --expires-in or --expires-at"
            ),
            (
                "{\"uid\":1,\"access_token\":\"x\",\"remind_in\":1}",
                "the response does not say when the token expires",
                "give --expires-in or --expires-at; remind_in is not used: Weibo no longer says what it"
                    + " means"
            ),
            (
                "{\"expires_in\":1,\"access_token\":\"x\"}",
                "the response does not say whose token it is: it has no uid",
                "give --uid; Weibo's account/get_uid says it"
            ),
            (
                "{\n  \"a\": \"字\" x}", "the JSON is malformed, at line 2, column 12",
                "give the response exactly as Weibo sent it"
            ),
            (
                "{\"a\":1", "the response is cut off: its end is missing",
                "give it whole, up to the last }; a terminal cuts long lines, so use --from FILE"
            ),
        ])
    func texts(_ text: String, _ message: String, _ hint: String) throws {
        let error = try #require(try error(text))
        #expect(error.message == message)
        #expect(error.hint == hint)
    }

    @Test(
        "what looks like a token response and is none gets its own hint",
        arguments: [
            ("{\"data\":{\"access_token\":\"x\"}}", Lookalike.wrapped),
            ("{\"accessToken\":\"x\"}", .otherNames),
            ("{\"uid\":1,\"expire_in\":5}", .tokenInfo), ("{\"idstr\":\"1\"}", .profile),
            ("{\"code\":\"x\",\"state\":\"\"}", .code), ("{\"access_token\":null}", .noValue),
            ("{\"access_token\":\"\"}", .noValue), ("{}", .unknown),
        ])
    func lookalikes(_ text: String, _ lookalike: Lookalike) throws {
        #expect(try error(text) == .noAccessToken(lookalike))
    }

    @Test("every error of every vector is one line without a byte of the secrets")
    func nothingLeaks() throws {
        for vector in ResponseVector.all where vector.outcome == "reject" {
            let bytes = try vector.bytes()
            let error = try #require(try error(bytes))
            let said = [error.reason, error.message, error.hint ?? ""].joined(separator: "\n")
            for line in [error.message, error.hint ?? "x"] {
                #expect(!line.isEmpty && !line.hasSuffix("."))
                #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
            }
            // Whatever stands in the text from a token's or uid's start on.
            let text = bytes.filter { $0 != 0 }
            for start in text.indices.dropLast(6) {
                let window = Array(text[start..<start + 7])
                guard
                    window.starts(with: Array("2.00".utf8))
                        || window.starts(with: Array("99000".utf8))
                else { continue }
                #expect(!said.utf8.contains(sequence: window), "\(vector.file)")
            }
        }
    }

    @Test(
        "no error repeats the text it is about",
        arguments: [
            "CANARY", "{\"CANARY\":1}", "{\"access_token\":\"CANARY CANARY\"}", "[\"CANARY\"]",
            "{\"error\":\"CANARY\",\"error_code\":\"CANARY\",\"request\":\"CANARY\"}",
            "{\"access_token\":\"x\",\"uid\":\"CANARY\"}", "CANARY(CANARY)", "{CANARY=CANARY}",
            "{\"access_token\":\"x\",\"uid\":1,\"expires_in\":\"CANARY\"}",
            "https://CANARY/?code=CANARY",
            "error=CANARY&error_code=CANARY", "{\"CANARY\":CANARY}", "{\"CANARY\":1,\"CANARY\":2}",
            "<CANARY>", "'{CANARY}'", "\"CANARY",
        ])
    func noEcho(_ text: String) throws {
        let error = try #require(try error(text))
        #expect(!"\(error)".contains("CANARY"))
    }
}

extension Sequence where Element == UInt8 {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        let all = Array(self)
        guard all.count >= sequence.count else { return false }
        return (0...(all.count - sequence.count)).contains {
            all[$0..<($0 + sequence.count)].elementsEqual(sequence)
        }
    }
}
