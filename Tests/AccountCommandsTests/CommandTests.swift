import Testing

@testable import AccountCommands

@Suite struct CommandTests {
    struct Case: CustomTestStringConvertible {
        let words: [String]
        var answers: [String: String] = [:]
        var status = Status.done
        var output = ""
        var errors = ""
        var testDescription: String { words.joined(separator: " ") }
    }

    private static let expired =
        #"{"error":"org.accountd.Account.TokenExpired","parameters":{"expires_at":1767830400,"#
        + #""remaining":-60}}"#
    private static let invalid =
        #"{"parameters":{"valid":false,"expires_at":1767830400,"remaining":86400}}"#
    private static let past =
        #"{"parameters":{"valid":false,"expires_at":1767830400,"remaining":-90000}}"#

    @Test(
        "a command prints just this",
        arguments: [
            Case(words: ["token"], output: "2.00abc\n"),
            Case(words: ["token", "--no-newline"], output: "2.00abc"),
            Case(
                words: ["token", "--json"],
                output: #"{"access_token":"2.00abc","uid":"9900001001","expires_at":1767830400}"#
                    + "\n"),
            Case(
                words: ["token"],
                answers: [
                    "GetToken":
                        #"{"parameters": {"expires_at":1e1,"uid":"9","access_token":"2\u002E00\/a"}}"#
                ], output: "2.00/a\n"),
            Case(
                words: ["token", "--json"],
                answers: [
                    "GetToken":
                        #"{"parameters": {"expires_at":10,"uid":"9","access_token":"2\u002E00"}}"#
                ], output: #"{"access_token":"2\u002E00","uid":"9","expires_at":10}"# + "\n"),
            Case(words: ["header"], output: "Authorization: OAuth2 2.00abc\n"),
            Case(
                words: ["token"], answers: ["GetToken": expired], status: .expired,
                errors: """
                    account: the token expired on 2026-01-08T00:00:00Z
                    hint: log in again: account login

                    """),
            Case(words: ["check"], output: "valid: expires 2026-01-08T00:00:00Z, in 86400 s\n"),
            Case(
                words: ["check", "--min-validity", "7d"], answers: ["CheckExpiry": invalid],
                status: .expired,
                output: "too short: expires 2026-01-08T00:00:00Z, in 86400 s; asked for 604800 s\n"),
            Case(
                words: ["check"], answers: ["CheckExpiry": past], status: .expired,
                output: "expired: 2026-01-08T00:00:00Z, 90000 s ago\n"),
            Case(
                words: ["check", "--quiet"], answers: ["CheckExpiry": past], status: .expired),
            Case(
                words: ["check", "--format=json", "--min-validity", "1m"],
                output: #"{"valid":true,"expires_at":1767830400,"#
                    + #""expires_date":"2026-01-08T00:00:00Z","remaining":86400,"min_validity":60}"#
                    + "\n"),
            Case(words: ["expires"], output: "2026-01-08T00:00:00Z\n"),
            Case(words: ["expires", "--format", "unix"], output: "1767830400\n"),
            Case(words: ["expires", "--format", "seconds"], output: "86400\n"),
            Case(words: ["expires", "--format", "relative"], output: "in 1 day\n"),
            Case(
                words: ["expires", "--format", "relative"], answers: ["CheckExpiry": past],
                output: "1 day 1 h ago\n"),
            Case(
                words: ["show"],
                output: """
                    uid:          9900001001
                    screen name:  Zoë
                    avatar:       -
                    granted:      2026-01-01T00:00:00Z for 7 days
                    expires:      2026-01-08T00:00:00Z (in 1 day)
                    protection:   keyfile

                    """),
            Case(
                words: ["show"],
                answers: [
                    "GetAccount":
                        #"{"parameters":{"account":{"uid":"1","screen_name":"a\nb\u001b[m","#
                        + #""expires_at":60,"expired":true,"remaining":-61,"refused":21327}}}"#
                ],
                output: """
                    uid:          1
                    screen name:  a\\nb\\u{1b}[m
                    avatar:       -
                    granted:      -
                    expires:      1970-01-01T00:01:00Z (1 min 1 s ago)
                    refused:      by Weibo with 21327: the token has expired
                    protection:   keyfile

                    """),
            Case(
                words: ["show", "--json"],
                output: #"{"uid":"9900001001","screen_name":"Zoë","avatar_large":null,"#
                    + #""expires_in":604800,"issued_at":1767225600,"#
                    + #""issued_date":"2026-01-01T00:00:00Z","expires_at":1767830400,"#
                    + #""expires_date":"2026-01-08T00:00:00Z","expired":false,"remaining":86400,"#
                    + #""refused":null,"protection":["keyfile"]}"# + "\n"),
            Case(words: ["logout"], output: "Logged out uid 9900001001.\n"),
            Case(
                words: ["logout"], answers: ["Logout": #"{"parameters":{}}"#],
                output: """
                    Logged out. The store could not be opened, so whose account it was is not known.

                    """),
            Case(
                words: ["logout", "--if-uid", "7"],
                answers: [
                    "Logout":
                        #"{"error":"org.accountd.Account.AccountExists","parameters":{"uid":"8"}}"#
                ], status: .inputRejected,
                errors: "account: the account that is stored is another one: uid 8\n"),
            Case(
                words: ["show"], answers: ["GetAccount": #"{"parameters":{"account":{}}}"#],
                status: .noDaemon,
                errors: """
                    account: what answers at SOCKET does not speak this program's language
                    hint: the daemon and this program may be of different versions: account status

                    """),
            Case(
                words: ["token"], answers: ["GetToken": "[]"], status: .noDaemon,
                errors: """
                    account: what answers at SOCKET does not speak this program's language
                    hint: the daemon and this program may be of different versions: account status

                    """),
            Case(
                words: ["header"],
                answers: [
                    "GetToken":
                        #"{"parameters":{"access_token":"a\r\nHost: b","uid":"9","expires_at":1}}"#
                ], status: .noDaemon,
                errors: """
                    account: what answers at SOCKET does not speak this program's language
                    hint: the daemon and this program may be of different versions: account status

                    """),
        ])
    func prints(_ given: Case) throws {
        let daemon = try FakeDaemon(FakeDaemon.present(but: given.answers))
        let run = try CommandRun(given.words + ["--socket", daemon.socket])
        #expect(run.status == given.status)
        #expect(run.output == given.output)
        #expect(run.errors == given.errors.replacing("SOCKET", with: daemon.socket))
    }

    @Test(
        "a command asks just this",
        arguments: [
            (["token"], [#"{"method":"org.accountd.Account.GetToken","parameters":{}}"#]),
            (
                ["--min-validity", "1h"],
                [#"{"method":"org.accountd.Account.GetToken","parameters":{"min_validity":3600}}"#]
            ),
            (
                ["logout", "--if-uid", "7\""],
                [
                    #"{"method":"org.accountd.Account.GetStatus","parameters":{}}"#,
                    #"{"method":"org.accountd.Account.Logout","parameters":{"if_uid":"7\""}}"#,
                ]
            ),
            (
                ["show"],
                [
                    #"{"method":"org.accountd.Account.GetAccount","parameters":{}}"#,
                    #"{"method":"org.accountd.Account.GetStatus","parameters":{}}"#,
                ]
            ),
        ] as [([String], [String])])
    func asks(_ words: [String], _ messages: [String]) throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let command = words[0].hasPrefix("-") ? ["token"] + words : words
        #expect(try CommandRun(["--socket", daemon.socket] + command).status == .done)
        #expect(daemon.received == messages)
    }

    @Test("the longest token there can be is printed, even if every byte of it is escaped")
    func longestToken() throws {
        let token = String(repeating: "\\\"", count: 2048)
        let written = String(repeating: #"\\\""#, count: 2048)
        let daemon = try FakeDaemon([
            "GetToken":
                #"{"parameters":{"access_token":"\#(written)","uid":"9","expires_at":1}}"#
        ])
        let run = try CommandRun(["token", "--socket", daemon.socket])
        #expect(run.output == token + "\n")
        #expect(try CommandRun(["token", "--json", "--socket", daemon.socket]).status == .done)
    }
}
