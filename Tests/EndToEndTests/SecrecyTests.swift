import Foundation
import Testing

/// Where the token must not be seen; what the processes' memory holds is another test's matter.
@Suite(.needsPrograms, .timeLimit(.minutes(1)))
struct SecrecyTests {
    private static let refreshToken = "2.00refreshTokenOfATest771bc0"

    private static func isSecret(_ text: String) -> Bool {
        [TokenText.token, TokenText.other, refreshToken, "TokenOfATest", "accessToken"].contains {
            text.contains($0)
        }
    }

    @Test("no token stands in arguments, environments or logs")
    func processes() throws {
        try Home.with { home in
            let log = home.path + "/log"
            let daemon = try home.startDaemon(["--verbose"], errors: log)
            // What has come with a FIFO can be looked at while it is read.
            let fifo = home.path + "/fifo"
            _ = try home.shell("mkfifo -m 600 \"$HOME/fifo\"")
            let client = try Launch.start(
                [home.programs + "/account", "login", "--from", fifo],
                environment: home.environment, passing: [])
            let writer = try #require(FileHandle(forWritingAtPath: fifo))
            let response = TokenText.response(more: #","refresh_token":"\#(Self.refreshToken)""#)
            let half = response.index(response.startIndex, offsetBy: 60)
            try writer.write(contentsOf: Data(response[..<half].utf8))
            usleep(50_000)
            for pid in [client, daemon] {
                for name in ["cmdline", "environ"] {
                    // The daemon's environment is not even this user's to read.
                    #expect(!Self.isSecret(ProcessTable.text(pid, name) ?? ""))
                }
            }
            try writer.write(contentsOf: Data(response[half...].utf8))
            try writer.close()
            #expect(Launch.wait(client, until: Date(timeIntervalSinceNow: 10)) == 0)

            for words in [
                ["token"], ["header"], ["token", "--json"], ["show"], ["check"], ["doctor"],
                ["login"], ["logout", "--if-uid", "1"], ["status"],
            ] {
                _ = try home.run(
                    [home.programs + "/account"] + words,
                    input: Array(TokenText.response(TokenText.other).utf8))
            }
            // Not JSON, no method, wrong types, half a message: nothing of it is repeated.
            for message in [
                "\(TokenText.token)", #"{"method":"\#(TokenText.token)"}"#,
                #"{"method":"org.accountd.Account.Login","parameters":{"access_token":["\#(TokenText.token)"]}}"#,
                #"{"method":"org.accountd.Account.Login","parameters":{"access_token":"\#(TokenText.token)","uid":"x"}}"#,
                #"{"method":"org.accountd.Account.Login","parameters":{"\#(TokenText.token)":1}}"#,
            ] {
                _ = try? home.talk(message)
            }
            for name in ["cmdline", "environ", "comm"] {
                #expect(!Self.isSecret(ProcessTable.text(daemon, name) ?? ""))
            }
            #expect(
                ProcessTable.wait {
                    let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                    return said.contains("Logout verdict=")
                })
            try home.endDaemon()
            let said = try String(contentsOfFile: log, encoding: .utf8)
            #expect(said.contains("method=org.accountd.Account.GetToken verdict=answered"))
            #expect(!Self.isSecret(said))
            #expect(!said.contains("9900001001"))
        }
    }

    @Test("no file of the store holds the token, and no other file is made")
    func files() throws {
        try Home.with { home in
            let response = TokenText.response(more: #","refresh_token":"\#(Self.refreshToken)""#)
            for _ in 1...2 { #expect(try home.account("login", input: response).status == 0) }
            _ = try home.account("token")
            let files = try #require(FileManager.default.enumerator(atPath: home.path))
            var names: Set<String> = []
            for case let name as String in files {
                let path = home.path + "/" + name
                guard
                    (try? FileManager.default.attributesOfItem(atPath: path)[.type])
                        as? FileAttributeType == .typeRegular
                else { continue }
                names.insert(name)
                let data = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(!Self.isSecret(String(decoding: data, as: UTF8.self)))
                #expect(data.range(of: Data("9900001001".utf8)) == nil)
            }
            #expect(
                names == [
                    ".local/state/account/account.plist.sealed",
                    ".local/state/account/account.plist.sealed~",
                    ".local/state/account/keyslots.plist", ".local/state/account/keyslots.plist~",
                    ".local/state/account/lock", ".config/account/key",
                ])
        }
    }

    @Test("a token that is given as an argument or in the environment is not taken")
    func arguments() throws {
        try Home.with { home in
            for words in [
                ["login", TokenText.token], ["login", "--token", TokenText.token],
                ["login", "--token=" + TokenText.token], ["token", TokenText.token],
            ] {
                let result = try home.run(
                    [home.programs + "/account"] + words,
                    adding: ["ACCESS_TOKEN": TokenText.token, "WEIBO_TOKEN": TokenText.token])
                #expect(result.status == 2)
            }
            #expect(try home.account("token").status == 3)
        }
    }

    @Test(
        "another process of the same user cannot trace the daemon or read its memory", .needsRoot,
        .needs("setpriv"))
    func tracing() throws {
        try Home.with { home in
            home.prefix = ["setpriv", "--reuid=61001", "--regid=61001", "--clear-groups", "--"]
            try home.giveAway(to: 61001)
            #expect(try home.account("login", input: TokenText.response()).status == 0)
            let pid = try #require(home.daemon)
            for name in ["mem", "environ", "maps", "fd/"] {
                let result = try home.shell("ls /proc/\(pid)/fd/ && head -c1 /proc/\(pid)/\(name)")
                #expect(result.status != 0)
                #expect(result.errors.contains("Permission denied"))
            }
            let limits = try #require(ProcessTable.text(pid, "limits"))
            #expect(limits.contains(#/Max core file size +0 +0/#))
            let status = try #require(ProcessTable.text(pid, "status"))
            #expect(status.contains("NoNewPrivs:\t1"))
        }
    }
}

extension Home {
    /// Sends one message to the daemon, and gives back what it answers before it closes or is silent.
    func talk(_ message: String) throws -> String {
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.settimeout(0.3)
            s.sendall(sys.stdin.buffer.read() + b"\\0")
            try:
                while True:
                    part = s.recv(65536)
                    if not part: break
                    sys.stdout.buffer.write(part)
            except (socket.timeout, ConnectionError): pass
            """
        return try run(
            ["python3", "-c", script, socket], input: Array(message.utf8)
        ).output
    }
}
