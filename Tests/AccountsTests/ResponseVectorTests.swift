import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import Accounts

/// One case of Tests/Vectors/responses/MANIFEST.json.
struct ResponseVector: Decodable, CustomTestStringConvertible, Sendable {
    struct Fields: Decodable {
        let access_token: String?
        let refresh_token: String?
        let uid: String?
        let screen_name: String?
        let avatar_large: String?
        let expires_in: Int64?
        let expires_unix: Int64?
    }

    let file: String
    let outcome: String
    let reason: String?
    let fields: Fields?
    var testDescription: String { file }

    private struct Manifest: Decodable {
        let received_at: String
        let cases: [ResponseVector]
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors/responses")

    // 2026-01-01T00:00:00Z, which the manifest is held to below.
    static let receivedAt: Int64 = 1_767_225_600

    static let all: [ResponseVector] = {
        guard let data = try? Data(contentsOf: folder.appending(path: "MANIFEST.json")),
            let manifest = try? JSONDecoder().decode(Manifest.self, from: data),
            manifest.received_at == "2026-01-01T00:00:00Z"
        else { return [] }
        return manifest.cases
    }()

    func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appending(path: file)))
    }
}

@Suite struct ResponseVectorTests {
    @Test("the manifest lists every file beside it")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: ResponseVector.folder.path())
        #expect(ResponseVector.all.count > 40)
        #expect(
            Set(files).subtracting(["MANIFEST.json"]) == Set(ResponseVector.all.map(\.file)))
    }

    @Test("a response gives what its manifest says", arguments: ResponseVector.all)
    func matches(_ vector: ResponseVector) throws {
        let arena = try SecretArena.forTest()
        let bytes = try vector.bytes()
        do {
            let response = try TokenResponse.parse(
                bytes.span, supplement: .init(receivedAt: ResponseVector.receivedAt), arena: arena)
            #expect(vector.outcome == "accept")
            #expect(response.warnings.first.map { "warn: " + $0 } == vector.reason)
            let fields = try #require(vector.fields)
            #expect(text(response.accessToken) == fields.access_token)
            let refreshToken = response.refreshToken.text()
            #expect(refreshToken == fields.refresh_token)
            #expect(response.uid == fields.uid)
            #expect(response.screenName == fields.screen_name)
            #expect(response.avatarLarge == fields.avatar_large)
            #expect(response.expiry.expiresIn == fields.expires_in)
            #expect(response.expiry.expiresAt == fields.expires_unix)
            #expect(response.expiry.issuedAt == ResponseVector.receivedAt)
        } catch let error as TokenResponseError {
            #expect(vector.outcome == "reject")
            #expect(error.reason == vector.reason)
        }
    }
}
