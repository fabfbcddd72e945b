import Foundation
import Testing

/// Many at once.
@Suite(.needsPrograms, .timeLimit(.minutes(1)))
struct CrowdTests {
    @Test("of fifty logins at once one stands whole in the end, and no temporary file is left")
    func logins() throws {
        try Home.with { home in
            // Half of them long, so that a part of one in another would be seen.
            let tokens = (1...50).map { number in
                "2.00login\(number)." + String(repeating: "x", count: number % 2 == 0 ? 4000 : 0)
            }
            for (number, token) in tokens.enumerated() {
                try Data(TokenText.response(token).utf8).write(
                    to: URL(fileURLWithPath: home.path + "/\(number)"))
            }
            let result = try home.shell(
                """
                cd
                for i in $(seq 0 49); do
                    (account login --from $i >/dev/null 2>&1; echo $?) &
                done
                wait
                """, timeout: 60)
            #expect(result.output == String(repeating: "0\n", count: 50))
            let token = try home.account("token").output
            #expect(tokens.contains(String(token.dropLast())))
            #expect(try home.account("doctor").status == 0)
            try home.endDaemon(SIGKILL)
            #expect(try home.account("token").output == token)
            #expect(
                Set(try FileManager.default.contentsOfDirectory(atPath: home.state)) == [
                    "account.plist.sealed", "account.plist.sealed~", "keyslots.plist",
                    "keyslots.plist~", "lock", "socket",
                ])
            #expect(home.daemons.count == 1)
        }
    }

    @Test("logins of different users at once leave one of them, whole")
    func users() throws {
        try Home.with { home in
            for number in 1...20 {
                let response = TokenText.response("2.00of\(number)", uid: "99000010\(number + 10)")
                try Data(response.utf8).write(
                    to: URL(fileURLWithPath: home.path + "/\(number)"))
            }
            let result = try home.shell(
                """
                cd
                for i in $(seq 20); do
                    (account login --from $i >/dev/null 2>&1; echo $?) &
                done
                wait
                """)
            let statuses = result.output.split(separator: "\n")
            #expect(statuses.filter { $0 == "0" }.count == 1)
            #expect(statuses.filter { $0 == "8" }.count == 19)
            struct Answer: Decodable { let access_token: String, uid: String }
            let json = try home.account("token", "--json").output
            let answer = try JSONDecoder().decode(Answer.self, from: Data(json.utf8))
            let number = try #require(Int(answer.uid.suffix(2)))
            #expect(answer.access_token == "2.00of\(number - 10)")
        }
    }

    @Test("two hundred commands at once all get the token")
    func tokens() throws {
        try Home.with { home in
            try #require(home.account("login", input: TokenText.response()).status == 0)
            let result = try home.shell(
                "for i in $(seq 200); do account token & done; wait", timeout: 60)
            #expect(result.errors.isEmpty)
            #expect(
                result.output == String(repeating: TokenText.token + "\n", count: 200))
        }
    }

    @Test("whoever asks while logins and kills go on gets a whole token or an honest error")
    func turmoil() throws {
        try Home.with { home in
            let tokens = ["2.00a", "2.00b" + String(repeating: "b", count: 2000)]
            for token in tokens {
                try Data(TokenText.response(token).utf8).write(
                    to: URL(fileURLWithPath: home.path + "/" + String(token.prefix(5).last ?? " ")))
            }
            let result = try home.shell(
                """
                cd
                account login --from a >/dev/null
                for i in $(seq 10); do
                    account login --from a >/dev/null 2>&1
                    account login --from b >/dev/null 2>&1
                done &
                for i in $(seq 5); do
                    sleep 0.05
                    kill -9 "$(cat "$ACCOUNT_STATE_DIR/lock")" 2>/dev/null
                done &
                for i in $(seq 4); do
                    for j in $(seq 20); do
                        account token || echo "status $?"
                    done &
                done
                wait
                """)
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 80, "\(result.errors)")
            let failed = lines.filter { !tokens.contains($0) }
            #expect(failed.allSatisfy { $0 == "status 5" }, "\(failed): \(result.errors)")
            // Where a daemon takes long to start, a kill meets one that is not ready yet. It costs
            // each of the four who ask one answer at the most.
            #expect(failed.count <= 5 * 4, "\(result.errors)")
            #expect(result.errorLines.filter { $0.hasPrefix("account: ") }.count == failed.count)
            #expect(!result.errors.contains("2.00"))
            #expect(try home.account("doctor").status == 0)
            #expect(ProcessTable.wait { home.daemons.count == 1 })
        }
    }
}
