import Foundation
import Testing

/// One case of Tests/Vectors/responses/MANIFEST.json.
struct ResponseFile: Decodable, CustomTestStringConvertible, Sendable {
    struct Fields: Decodable {
        let access_token: String
        let uid: String
        let screen_name: String?
        let avatar_large: String?
        let expires_in: Int64
        let expires_unix: Int64
    }

    private struct Manifest: Decodable {
        let cases: [ResponseFile]
    }

    let file: String
    let outcome: String
    let reason: String?
    let fields: Fields?
    var testDescription: String { file }

    var path: String { Programs.responses + "/" + file }

    static let all: [ResponseFile] = {
        let place = URL(fileURLWithPath: Programs.responses + "/MANIFEST.json")
        guard let data = try? Data(contentsOf: place) else { return [] }
        return (try? JSONDecoder().decode(Manifest.self, from: data))?.cases ?? []
    }()

    static let accepted = all.filter { $0.outcome == "accept" }
    static let rejected = all.filter { $0.outcome == "reject" }
}

/// Every token response of the vectors, through the program.
@Suite(.needsPrograms, .timeLimit(.minutes(2)))
struct ResponseFileTests {
    // The manifest's received_at.
    private static let receivedAt = "2026-01-01T00:00:00Z"

    private struct Shown: Decodable {
        let uid: String
        let screen_name: String?
        let avatar_large: String?
        let expires_in: Int64?
        let expires_at: Int64
    }

    @Test("there are vectors of both kinds")
    func complete() {
        #expect(ResponseFile.accepted.count >= 11)
        #expect(ResponseFile.rejected.count >= 30)
        #expect(
            ResponseFile.accepted.count + ResponseFile.rejected.count == ResponseFile.all.count)
    }

    @Test("a response that is accepted is stored as it is", arguments: ResponseFile.accepted)
    func accepted(_ response: ResponseFile) throws {
        let fields = try #require(response.fields)
        try Home.with { home in
            let login = try home.account(
                "login", "--from", response.path, "--issued-at", Self.receivedAt)
            #expect(login.status == 0)
            #expect(
                login.errorLines
                    == (response.reason.map {
                        ["account: warning: " + $0.replacing("warn: ", with: "")]
                    } ?? []))
            #expect(login.output.hasPrefix("Logged in as "))
            let show = try home.account("show", "--json")
            let shown = try JSONDecoder().decode(Shown.self, from: Data(show.output.utf8))
            #expect(shown.uid == fields.uid)
            #expect(shown.screen_name == fields.screen_name)
            #expect(shown.avatar_large == fields.avatar_large)
            #expect(shown.expires_in == fields.expires_in)
            #expect(shown.expires_at == fields.expires_unix)
            // The vectors' tokens are long expired, and those are not given out.
            let token = try home.account("token")
            let isExpired = Double(fields.expires_unix) < Date().timeIntervalSince1970
            #expect(token.status == (isExpired ? 1 : 0))
            #expect(token.output == (isExpired ? "" : fields.access_token + "\n"))
        }
    }

    @Test(
        "a response that is rejected says why and stores nothing", arguments: ResponseFile.rejected)
    func rejected(_ response: ResponseFile) throws {
        let reason = try #require(response.reason)
        try Home.with { home in
            func reject() throws {
                let login = try home.account("login", "--from", response.path, "--replace")
                #expect(login.status == 8)
                #expect(login.output.isEmpty)
                let lines = login.errorLines
                #expect((1...2).contains(lines.count))
                #expect(
                    lines.first?.hasPrefix("account: the token response was rejected (") ?? false)
                #expect(lines.first?.contains("(\(reason)): ") ?? false)
                #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("hint: ") })
            }
            try reject()
            // Not even a daemon was started.
            #expect(!FileManager.default.fileExists(atPath: home.state))

            let before = TokenText.response()
            #expect(try home.account("login", input: before).status == 0)
            let file = try Data(contentsOf: URL(fileURLWithPath: home.account))
            try reject()
            #expect(try Data(contentsOf: URL(fileURLWithPath: home.account)) == file)
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }
}
