import Foundation
import Testing

/// A login at a terminal, which script(1) plays.
@Suite(.needsPrograms, .needs("script"), .needs("stty"), .timeLimit(.minutes(1)))
struct TerminalTests {
    private static let prompt = "Paste Weibo's token response and press Enter (it is not shown): "

    /// Runs a login at a terminal.
    ///
    /// - Parameter typing: what is typed once it has asked. Where a passphrase is offered, nothing is
    ///   typed but the line's end.
    /// - Returns: everything that is shown, and behind it the exit status and whether the terminal
    ///   shows again what is typed.
    private func login(
        _ home: Home, typing text: String, options: String = ""
    ) throws -> [String] {
        let session = """
            trap : INT
            export ACCOUNT_PINENTRY=/nonexistent
            account login \(options)
            echo "status $?"
            stty -a | grep -o '.echo '
            """
        try Data(session.utf8).write(to: URL(fileURLWithPath: home.path + "/session"))
        let result = try home.shell(
            """
            cd
            {
                n=0
                while ! grep -q shown typescript 2>/dev/null && [ $n -lt 200 ]; do
                    sleep 0.02; n=$((n+1))
                done
                cat
                n=0
                while ! grep -q Passphrase typescript && [ -e session ] && [ $n -lt 400 ]; do
                    sleep 0.02; n=$((n+1))
                done
                echo
                n=0
                while [ -e session ] && [ $n -lt 400 ]; do sleep 0.02; n=$((n+1)); done
            } | { script -qfec 'bash session' typescript >/dev/null; rm session; }
            sed '1d;$d' typescript | tr -d '\\r'
            """, input: text, timeout: 20)
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test("a response is asked for and not shown")
    func pasted() throws {
        try Home.with { home in
            let lines = try login(home, typing: TokenText.response() + "\n")
            try #require(lines.count >= 3, "\(lines)")
            #expect(lines[0] == Self.prompt)
            #expect(lines[1].hasPrefix("This is the first account here."))
            let end = Array(lines.suffix(3))
            #expect(end[0].hasPrefix("Logged in as uid 9900001001; "))
            #expect(end[1...] == ["status 0", " echo "])
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test("a response of several lines ends where its last bracket does")
    func severalLines() throws {
        try Home.with { home in
            let text = TokenText.response().replacing(",", with: ",\n") + "\n"
            let lines = try login(home, typing: text)
            #expect(lines.contains("status 0"), "\(lines)")
            #expect(!lines.joined().contains(TokenText.token))
            #expect(try home.account("token").output == TokenText.token + "\n")
        }
    }

    @Test(
        "whoever gives up has a terminal that shows what is typed",
        arguments: [("\u{3}", "status 130"), ("\u{4}", "status 8"), ("{\"a\":\n\u{4}", "status 8")])
    func givingUp(_ typed: String, _ status: String) throws {
        try Home.with { home in
            let lines = try login(home, typing: typed)
            #expect(Array(lines.suffix(2)) == [status, " echo "], "\(lines)")
            #expect(home.daemon == nil)
        }
    }

    @Test("nobody who pastes is waited for no longer than asked")
    func patience() throws {
        try Home.with { home in
            let lines = try login(home, typing: "", options: "--timeout 1")
            #expect(Array(lines.suffix(2)) == ["status 10", " echo "], "\(lines)")
        }
    }
}
