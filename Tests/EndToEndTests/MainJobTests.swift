import Foundation
import Testing

/// The main job: log in once, ask from scripts, log out; whatever happens to the daemon meanwhile.
@Suite(.needsPrograms, .timeLimit(.minutes(1)))
struct MainJobTests {
    @Test("an account is logged in, asked for and logged out")
    func session() throws {
        try Home.with { home in
            let session = try home.shell(
                """
                set -e
                printf '%s' "$RESPONSE" | account login --from -
                account token
                account check --min-validity 1h >/dev/null && echo good
                account expires --format unix
                account show --json >/dev/null && echo shown
                account logout
                """, adding: ["RESPONSE": TokenText.response(expiresIn: 604_800)])
            #expect(session.errors.isEmpty)
            #expect(session.status == 0)
            let lines = session.output.split(separator: "\n").map(String.init)
            try #require(lines.count == 6)
            #expect(lines[0].hasPrefix("Logged in as uid 9900001001; the token expires on "))
            #expect(lines[1] == TokenText.token)
            #expect(lines[2] == "good")
            let left = (Double(lines[3]) ?? 0) - Date().timeIntervalSince1970
            #expect((604_700...604_801).contains(left))
            #expect(lines[4...] == ["shown", "Logged out uid 9900001001."])
            #expect(try home.account("token").status == 3)
            #expect(!FileManager.default.fileExists(atPath: home.account))
        }
    }

    @Test(
        "the account outlives its daemon, however that ends",
        arguments: [SIGTERM, SIGINT, SIGKILL, SIGSEGV, SIGABRT])
    func restart(_ signal: Int32) throws {
        try Home.with { home in
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            for words in [["token"], ["expires"], ["check"], ["show"], ["header"]] {
                let before = try #require(home.daemon)
                kill(before, signal)
                // Not waited for: the next command may meet what is left of it.
                let result = try home.run([home.programs + "/account"] + words)
                #expect(result.status == 0, "\(words): \(result.errors)")
                #expect(result.errors.isEmpty)
                #expect(!result.output.isEmpty)
                #expect(ProcessTable.wait { home.daemon != nil && home.daemon != before })
            }
        }
    }

    @Test("what changes something works right after a kill too")
    func changes() throws {
        try Home.with { home in
            for round in 1...5 {
                let login = try home.account(
                    "login", input: TokenText.response("2.00round\(round)"))
                #expect(login.status == 0, "\(login.errors)")
                kill(try #require(home.daemon), SIGKILL)
                #expect(try home.account("doctor").status == 0)
                kill(try #require(home.daemon), SIGKILL)
                #expect(try home.account("token").output == "2.00round\(round)\n")
                kill(try #require(home.daemon), SIGKILL)
                #expect(try home.account("logout").status == 0)
                kill(try #require(home.daemon), SIGKILL)
            }
        }
    }

    @Test("status starts no daemon, every other command does")
    func starting() throws {
        try Home.with { home in
            #expect(try home.account("status").status == 5)
            #expect(home.daemon == nil)
            for words in [["token"], ["check"], ["show"], ["expires"], ["header"], ["logout"]] {
                let result = try home.run([home.programs + "/account"] + words)
                #expect(result.status == 3)
                #expect(try home.account("status").status == 0)
                try home.endDaemon()
                #expect(try home.account("status").status == 5)
            }
        }
    }

    @Test("a login that is answered has reached the disk: a kill loses nothing")
    func durable() throws {
        try Home.with { home in
            for round in 1...20 {
                let login = try home.shell(
                    "account login && kill -9 \"$(cat \"$ACCOUNT_STATE_DIR/lock\")\"",
                    input: TokenText.response("2.00round\(round)"))
                #expect(login.status == 0, "\(login.errors)")
                #expect(try home.account("token").output == "2.00round\(round)\n")
            }
            #expect(try home.account("doctor").status == 0)
        }
    }
}
