import Testing

@testable import AccountCommands

@Suite struct UsageTests {
    @Test(
        "a command line that makes no sense exits with 2 and says why, before any daemon is asked",
        arguments: [
            ([], "no command is given", "account help lists the commands"),
            (["tokne"], "account has no command 'tokne'", "did you mean account token?"),
            (["wait"], "account has no command 'wait'", "account help lists the commands"),
            (["oauth"], "account has no command 'oauth'", "account help lists the commands"),
            (["--jsn"], "account has no option --jsn", "account help lists the commands"),
            (["token", "--jsn"], "token has no option --jsn", "did you mean --json?"),
            (["token", "--frob"], "token has no option --frob", "account help token lists them"),
            (["token", "x"], "'x' is one word too many", nil),
            (
                ["login", "2.00secret"], "there is one word too many",
                "name the response's file with --from FILE; a token is not taken from an argument"
            ),
            (["token", "--min-validity"], "--min-validity needs a value", nil),
            (
                ["token", "--min-validity", "-5"], "--min-validity takes a duration, not '-5'",
                "durations are written 90, 90s, 10m, 6h, 7d or 1h30m"
            ),
            (["token", "--json=1"], "--json takes no value", nil),
            (["token", "--timeout", "0"], "--timeout must be between 1 second and 1 day", nil),
            (["token", "--timeout", "2d"], "--timeout must be between 1 second and 1 day", nil),
            (["token", "--socket", ""], "--socket needs a path, not an empty text", nil),
            (
                ["--system", "token", "--socket", "/x"], "--socket and --system exclude each other",
                nil
            ),
            (
                ["check", "--format", "nagios"], "check knows no format 'nagios'",
                "the formats are text and json"
            ),
            (
                ["expires", "--format", "iso"], "expires knows no format 'iso'",
                "the formats are rfc3339, unix, seconds and relative"
            ),
            (
                ["login", "--issued-at", "yesterday"],
                "--issued-at takes a point in time, not 'yesterday'",
                "for example 2026-01-08T00:00:00Z, or seconds since 1970"
            ),
            (
                ["login", "--expires-in", "1d", "--expires-at", "9"],
                "--expires-in and --expires-at exclude each other", nil
            ),
            (["help", "wait"], "account has no command 'wait'", "account help lists the commands"),
            (["help", "token", "x"], "'x' is one word too many", nil),
            (
                ["unlock", "secret"], "there is one word too many",
                "a passphrase is not taken from an argument"
            ),
            (
                ["unlock", "--passphrase-fd", "secret"],
                "--passphrase-fd takes a descriptor's number",
                "for example --passphrase-fd 3 3<FILE; a passphrase itself is not taken from an argument"
            ),
            (
                ["unlock", "--passphrase-fd", "999"], "descriptor 999 is not open",
                "open it on the command line: 999<FILE"
            ),
            (["key"], "what is to be done with the keys?", "account help key lists what it can do"),
            (
                ["key", "frob"], "account key has no 'frob'",
                "account help key lists what it can do"
            ),
            (
                ["key", "add"], "which kind of slot is to be added?",
                "the kinds are passphrase, credential, keyfile and recovery"
            ),
            (
                ["key", "add", "passphrase", "secret"], "there is one word too many",
                "account help key lists what it can do"
            ),
            (["key", "remove"], "which slot is to be removed?", "account key list shows the ids"),
            (
                ["key", "rotate", "--json"], "--json makes no sense with account key rotate",
                "account help key lists what it can do"
            ),
            (
                ["key", "list", "--no-rotate"], "--no-rotate makes no sense with account key list",
                "account help key lists what it can do"
            ),
            (
                ["key", "add", "recovery", "--passphrase-fd", "0"],
                "--passphrase-fd makes no sense with account key add recovery",
                "account help key lists what it can do"
            ),
            (
                ["key", "add", "keyfile", "--keep-keyfile"],
                "--keep-keyfile makes no sense with account key add keyfile",
                "account help key lists what it can do"
            ),
            (
                ["key", "add", "passphrase", "--code-file", "/x"],
                "--code-file makes no sense with account key add passphrase",
                "account help key lists what it can do"
            ),
            (
                ["key", "remove", "1", "--passphrase-file", "/x"],
                "--passphrase-file makes no sense with account key remove",
                "account help key lists what it can do"
            ),
            (["a\u{1B}b"], "account has no command 'a\\u{1b}b'", "account help lists the commands"),
        ] as [([String], String, String?)])
    func refuses(_ words: [String], _ message: String, _ hint: String?) throws {
        let run = try CommandRun(words)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == "account: \(message)\n" + (hint.map { "hint: \($0)\n" } ?? ""))
    }

    @Test("every command says how it is used", arguments: Command.listed.map(\.name))
    func explains(_ command: String) throws {
        let run = try CommandRun([command, "--help"])
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
        #expect(run.output.hasPrefix("usage: account \(command)"))
        #expect(try CommandRun(["help", command]).output == run.output)
        #expect(try CommandRun(["--help", command]).output == run.output)
        #expect(try CommandRun([command, "--no-such-option", "-h"]).output == run.output)
        #expect(run.output.split(separator: "\n").allSatisfy { $0.utf8.count <= 100 })
    }

    @Test("the overview lists every command and no other")
    func overview() throws {
        let run = try CommandRun(["help"])
        #expect(run.status == .done)
        let listed = run.output.split(separator: "\n")
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("  -") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(listed == Command.listed.map(\.name))
        #expect(try CommandRun(["--help"]).output == run.output)
        #expect(try CommandRun(["-h"]).output == run.output)
        for words in [["--help", "--help"], ["-h", "-h"], ["--version", "--help"]] {
            #expect(try CommandRun(words).output == run.output)
        }
    }

    @Test("the version is one line")
    func version() throws {
        let run = try CommandRun(["--version"])
        #expect(run.status == .done)
        #expect(run.output == "account \(AccountCommand.version)\n")
    }

    @Test(
        "a mistyped command is recognised by its letters",
        arguments: [
            ("tokn", "token"), ("chekc", "check"), ("lgoin", "login"), ("statsu", "status"),
            ("exitcodes", "exit-codes"), ("", nil), ("x", nil), ("watch", nil), ("sho", "show"),
        ] as [(String, String?)])
    func guesses(_ word: String, _ meant: String?) {
        #expect(NearMatch.of(word, among: Command.listed.map(\.name)) == meant)
    }
}
