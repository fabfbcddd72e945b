import Foundation
import Testing

/// Where output cannot be written, and where data tries to be more than data.
@Suite(.needsPrograms, .timeLimit(.minutes(1)))
struct OutputTests {
    private func with(_ more: String = "", _ body: (Home) throws -> Void) throws {
        try Home.with { home in
            let login = try home.account(
                "login", "--issued-at", "2026-01-01T00:00:00Z",
                input: TokenText.response(more: more))
            try #require(login.status == 0, "\(login.errors)")
            try body(home)
        }
    }

    @Test("output that cannot be written is exit 9 and names the errno")
    func failingOutput() throws {
        try with { home in
            for command in [
                "token", "token --json", "token --no-newline", "header", "show", "show --json",
                "check", "check --format json", "expires", "status", "status --json", "doctor",
                "doctor --json", "help", "exit-codes", "--version",
            ] {
                for (place, why) in [
                    (">/dev/full", "No space left on device (ENOSPC)"),
                    (">&-", "Bad file descriptor (EBADF)"),
                    // The reader has gone before the command starts.
                    ("| :", "Broken pipe (EPIPE)"),
                ] {
                    let script =
                        place == "| :"
                        ? "(sleep 0.05; account \(command); echo $? >&2) | :"
                        : "account \(command) \(place); echo $? >&2"
                    let result = try home.shell(script)
                    #expect(result.output.isEmpty)
                    #expect(
                        result.errors == "account: cannot write to standard output: \(why)\n9\n",
                        "account \(command) \(place)")
                }
            }
            // Nothing to write, nothing to fail.
            #expect(try home.shell("account check --quiet >&-").status == 0)
            #expect(try home.shell("account check --quiet >/dev/full").status == 0)
        }
    }

    @Test("a reader that stops early is no reason to be killed")
    func head() throws {
        try with { home in
            let result = try home.shell(
                "set -o pipefail; account show | head -c0; echo \"${PIPESTATUS[@]}\"")
            #expect(["0 0\n", "9 0\n"].contains(result.output))
        }
    }

    @Test("descriptors that are closed never become the daemon's, nor the other way round")
    func closedDescriptors() throws {
        try Home.with { home in
            let response = home.path + "/response"
            try Data(TokenText.response().utf8).write(to: URL(fileURLWithPath: response))
            for closed in [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"] {
                let isOutputClosed = closed.split(separator: " ").contains(">&-")
                let login = try home.shell(
                    "account login --from \"$HOME/response\" --replace \(closed)")
                // What cannot be said was done all the same.
                #expect(login.status == (isOutputClosed ? 9 : 0))
                #expect(try home.account("token").output == TokenText.token + "\n")
                let token = try home.shell("account token \(closed) | cat")
                #expect(token.output == (isOutputClosed ? "" : TokenText.token + "\n"))
                try home.endDaemon()
            }
        }
    }

    /// Screen names that would like to be something else: as JSON has them, as a person sees them.
    private static let names: [(json: String, shown: String)] = [
        (#"a\u001b[31mred\u0007"#, #"a\u{1b}[31mred\u{7}"#),
        (#"a\nuid: 1"#, #"a\nuid: 1"#),
        (#"a\r\n\tb"#, #"a\r\n\tb"#),
        (#"\u009b31m"#, #"\u{9b}31m"#),
        (#"$(id) `id` ; rm -rf ~ && : '"#, #"$(id) `id` ; rm -rf ~ && : '"#),
        (#"\"},{\"uid\":\"1"#, #""},{"uid":"1"#),
        (#"a\u202edcb\u2066x"#, #"a\u{202e}dcb\u{2066}x"#),
        (#"a\u2028b"#, #"a\u{2028}b"#),
        (#"\\ \/ %s %n"#, #"\ / %s %n"#),
        (#"<script>&amp;"#, #"<script>&amp;"#),
        (#"\ud83d\ude00"#, "😀"),
    ]

    @Test("a screen name is data in every output", arguments: names.indices)
    func screenName(_ index: Int) throws {
        let (json, shown) = Self.names[index]
        struct Shown: Decodable { let screen_name: String, uid: String }
        let expected = try JSONDecoder().decode([String].self, from: Data("[\"\(json)\"]".utf8))[0]
        try Home.with { home in
            let login = try home.account(
                "login", input: TokenText.response(more: #","screen_name":"\#(json)""#))
            #expect(login.status == 0, "\(login.errors)")
            #expect(login.output.hasPrefix("Logged in as \(shown) (uid 9900001001); "))
            #expect(login.output.split(separator: "\n").count == 1)
            let show = try home.account("show").output.split(separator: "\n")
            #expect(show.count == 6)
            #expect(show[1] == "screen name:  \(shown)")
            let text = try home.account("show", "--json")
            #expect(text.output.split(separator: "\n").count == 1)
            let decoded = try JSONDecoder().decode(Shown.self, from: Data(text.output.utf8))
            #expect(decoded.screen_name == expected)
            #expect(decoded.uid == "9900001001")
            // No output of any command holds a byte that a terminal obeys.
            for words in [["show"], ["show", "--json"], ["status"], ["doctor"], ["expires"]] {
                let bytes = try home.run([home.programs + "/account"] + words).outputBytes
                #expect(!bytes.contains { ($0 < 0x20 && $0 != 0x0A) || $0 == 0x7F })
            }
        }
    }

    @Test("a NUL is never part of a screen name")
    func nul() throws {
        try Home.with { home in
            // Escaped, it makes the name unusable, which is no reason to refuse the token.
            let escaped = try home.account(
                "login", input: TokenText.response(more: #","screen_name":"a\u0000b""#))
            #expect(escaped.status == 0)
            #expect(escaped.output.hasPrefix("Logged in as uid 9900001001; "))
            #expect(
                escaped.errors == "account: warning: screen_name is not usable and was left out\n")
            // As it stands it makes the response no JSON.
            let raw = try home.account(
                "login", input: TokenText.response(more: ",\"screen_name\":\"a\u{0}b\""))
            #expect(raw.status == 8)
            #expect(raw.output.isEmpty)
        }
    }

    @Test("what is mistyped is shown without what a terminal obeys")
    func mistyped() throws {
        try Home.with { home in
            for words in [
                ["\u{1B}[2J"], ["token", "\u{1B}[2J\n"], ["expires", "--format", "\u{1B}[2J"],
            ] {
                let result = try home.run([home.programs + "/account"] + words)
                #expect(result.status == 2)
                #expect(!result.errorBytes.contains(0x1B))
                #expect(result.errorLines.count <= 2)
            }
        }
    }

    @Test("language and time zone change nothing")
    func locale() throws {
        try with(#","screen_name":"İıZoë""#) { home in
            // `remaining` counts on.
            let script = "account show; account show --json; account expires; account check"
            func output(_ adding: [String: String]) throws -> String {
                // Not bash, which has to say something of languages that are not installed.
                let result = try home.run(["/bin/sh", "-c", script], adding: adding)
                #expect(result.status == 0)
                #expect(result.errors.isEmpty)
                return result.output.replacing(#/[0-9]+ s\b|"remaining":[0-9]+/#, with: "")
            }
            let usual = try output([:])
            #expect(usual.contains("İıZoë"))
            #expect(usual.contains("2030-12-30T23:59:59Z"))
            for adding in [
                ["LC_ALL": "C"], ["LC_ALL": "tr_TR.UTF-8"], ["LC_ALL": "zh_CN.GB18030"],
                ["LANG": "ar_EG.UTF-8", "LANGUAGE": "ar"], ["TZ": "Asia/Shanghai"],
                ["TZ": "America/St_Johns"], ["TZ": "right/UTC"], ["TZ": ":/etc/passwd"],
                ["TZ": "XXX-167:59:59"],
            ] {
                #expect(try output(adding) == usual, "\(adding)")
            }
            #expect(try home.account("TOKEN", adding: ["LC_ALL": "tr_TR.UTF-8"]).status == 2)
        }
    }

    @Test(
        "tokens of every length there may be go in and out whole",
        arguments: [1, 2, 31, 32, 255, 256, 4095, 4096])
    func lengths(_ count: Int) throws {
        // Every printable character but the space, quotes and backslashes among them.
        let characters = (0..<count).map { Character(Unicode.Scalar(UInt8(0x21 + $0 % 94))) }
        let token = String(characters)
        let written = token.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try Home.with { home in
            let login = try home.account(
                "login",
                input: TokenText.response(written, more: #","refresh_token":"\#(written)""#))
            #expect(login.status == 0, "\(login.errors)")
            try home.endDaemon(SIGKILL)
            #expect(try home.account("token").output == token + "\n")
            #expect(try home.account("token", "--no-newline").output == token)
            #expect(try home.account("header").output == "Authorization: OAuth2 \(token)\n")
            struct Answer: Decodable { let access_token: String }
            let json = try home.account("token", "--json").output
            #expect(
                try JSONDecoder().decode(Answer.self, from: Data(json.utf8)).access_token == token)
        }
    }

    @Test("a token of 4097 bytes is refused, and shown nowhere")
    func tooLong() throws {
        try Home.with { home in
            let token = String(repeating: "t", count: 4097)
            let login = try home.account("login", input: TokenText.response(token))
            #expect(login.status == 8)
            #expect(login.errors.contains("(access_token-too-long)"))
            #expect(!login.errors.contains("tttt"))
        }
    }

    @Test("modes of what is stored do not depend on the umask", arguments: ["000", "022", "777"])
    func umask(_ mask: String) throws {
        try Home.with { home in
            let login = try home.shell(
                "umask \(mask); account login; account login", input: TokenText.response())
            // The second one has nothing to read.
            #expect(login.errors.contains("empty-input"))
            _ = try home.shell("umask \(mask); account login", input: TokenText.response())
            let modes = try home.shell(
                "cd; find .local/state/account .config/account -printf '%m %y %P\\n' | sort"
            ).output
            #expect(
                modes == """
                    600 f account.plist.sealed
                    600 f account.plist.sealed~
                    600 f key
                    600 f keyslots.plist
                    600 f keyslots.plist~
                    600 f lock
                    666 s socket
                    700 d\u{20}
                    700 d\u{20}

                    """)
            try home.endDaemon(SIGKILL)
            #expect(
                try home.shell("umask \(mask); account token").output == TokenText.token + "\n")
        }
    }
}
