import Foundation
import Testing

@testable import AccountCommands

@Suite struct LoginTests {
    private static let response =
        #"{"access_token":"2.00abc","expires_in":604800,"uid":"9900001001"}"#
    private static let received = Date(timeIntervalSince1970: 1_767_225_600)

    private func parameters(_ daemon: FakeDaemon) throws -> [String: any Sendable] {
        let message = try #require(daemon.received.last)
        let object = try JSONSerialization.jsonObject(with: Data(message.utf8)) as? [String: Any]
        #expect(object?["method"] as? String == "org.accountd.Account.Login")
        return try #require(object?["parameters"] as? [String: any Sendable])
    }

    @Test("a file's response is stored as received when the file was last changed")
    func file() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let file = try directory.file("response.json", Self.response, changedAt: Self.received)
        let run = try CommandRun(["login", "--from", file, "--socket", daemon.socket])
        #expect(run.errors.isEmpty)
        #expect(run.status == .done)
        #expect(
            run.output == "Logged in as Zoë (uid 9900001001);"
                + " the token expires on 2026-01-08T00:00:00Z (in 1 day).\n")
        #expect(
            daemon.received == [
                #"{"method":"org.accountd.Account.GetStatus","parameters":{}}"#,
                #"{"method":"org.accountd.Account.Login","parameters":{"access_token":"2.00abc","#
                    + #""uid":"9900001001","expires_in":604800,"issued_at":1767225600}}"#,
            ])
    }

    @Test("a file on standard input is taken by its time too, and a file of the future as of now")
    func redirected() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let file = try directory.file("response.json", Self.response, changedAt: Self.received)
        for words in [["login"], ["login", "--from", "-"]] {
            #expect(
                try CommandRun(words + ["--socket", daemon.socket], input: file).status == .done)
            #expect(try parameters(daemon)["issued_at"] as? Int == 1_767_225_600)
        }
        let late = try directory.file(
            "late.json", Self.response, changedAt: Date(timeIntervalSinceNow: 86_400))
        #expect(
            try CommandRun(["login", "--from", late, "--socket", daemon.socket]).status == .done)
        let issuedAt = try #require(parameters(daemon)["issued_at"] as? Int)
        #expect(abs(Date().timeIntervalSince1970 - Double(issuedAt)) < 60)
    }

    @Test("a response that comes through a pipe was received now")
    func piped() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(Self.response.utf8))
        try pipe.fileHandleForWriting.close()
        let sink = try #require(FileHandle(forWritingAtPath: "/dev/null"))
        let status = withExtendedLifetime((pipe, sink)) {
            CommandRun.status(
                ["login", "--socket", daemon.socket],
                StandardDescriptors(
                    input: pipe.fileHandleForReading.fileDescriptor, output: sink.fileDescriptor))
        }
        #expect(status == .done)
        let issuedAt = try #require(parameters(daemon)["issued_at"] as? Int)
        #expect(abs(Date().timeIntervalSince1970 - Double(issuedAt)) < 60)
    }

    @Test("what the command line says goes along")
    func options() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let file = try directory.file(
            "response.json", #"{"access_token":"2.00abc","refresh_token":"2.00def"}"#)
        let run = try CommandRun([
            "login", "--from", file, "--socket", daemon.socket, "--uid", "77", "--screen-name",
            "N\u{1B}", "--avatar", "https://example.com/a.jpg", "--issued-at",
            "2026-01-01T08:00:00+08:00", "--expires-in", "1d", "--replace",
        ])
        #expect(run.status == .done)
        let sent = try parameters(daemon)
        #expect(sent["uid"] as? String == "77")
        #expect(sent["screen_name"] as? String == "N\u{1B}")
        #expect(sent["avatar_large"] as? String == "https://example.com/a.jpg")
        #expect(sent["issued_at"] as? Int == 1_767_225_600)
        #expect(sent["expires_in"] as? Int == 86_400)
        #expect(sent["expires_at"] == nil)
        #expect(sent["refresh_token"] as? String == "2.00def")
        #expect(sent["replace"] as? Bool == true)
    }

    @Test("an expiry date alone is sent as such")
    func expiryDate() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let file = try directory.file(
            "response.json", #"{"access_token":"2.00abc","uid":"77"}"#, changedAt: Self.received)
        let run = try CommandRun([
            "login", "--from", file, "--socket", daemon.socket, "--expires-at", "1767830400",
        ])
        #expect(run.status == .done)
        let sent = try parameters(daemon)
        #expect(sent["expires_at"] as? Int == 1_767_830_400)
        #expect(sent["expires_in"] == nil)
        #expect(sent["issued_at"] == nil)
    }

    @Test(
        "a response that is rejected is exit 8 with the reason's code, and no daemon is asked",
        arguments: [
            ("", "empty-input"), ("<html>", "not-json:html"),
            (#"{"error":"expired_token","error_code":21327}"#, "api-error:21327"),
            (#"{"access_token":"x","uid":"1","expires_in":"7d"}"#, "bad-expires_in"),
            (#"{"access_token":"x","expires_in":1}"#, "uid-missing"),
            (#"{"access_token":"x","uid":"1"}"#, "expiry-unknown"),
            (String(repeating: " ", count: 200_000), "too-large"),
        ])
    func rejected(_ text: String, _ reason: String) throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let file = try directory.file("response", text)
        let run = try CommandRun(["login", "--from", file, "--socket", daemon.socket])
        #expect(run.status == .inputRejected)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("account: the token response was rejected (\(reason)"))
        #expect(run.errors.split(separator: "\n").count <= 2)
        #expect(daemon.received.isEmpty)
    }

    @Test(
        "what is no file that can be read to its end is refused in bounded time",
        arguments: [
            ("/nonexistent/file", Status.systemRefused, "(ENOENT)"),
            ("/", .systemRefused, "(EISDIR)"),
            ("/dev/zero", .inputRejected, "rejected (too-large)"),
            ("/dev/null", .inputRejected, "rejected (empty-input)"),
            ("/dev/full", .inputRejected, "rejected (too-large)"),
        ])
    func oddFiles(_ path: String, _ status: Status, _ part: String) throws {
        let run = try CommandRun(["login", "--from", path, "--socket", "/nonexistent"])
        #expect(run.status == status)
        #expect(run.errors.contains(part))
    }

    @Test("a FIFO that nobody writes to is given up after the time that was given")
    func silentFIFO() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/fifo"
        // SAFETY: the path lives for the call.
        let made = unsafe mkfifo(path, 0o600)
        #expect(made == 0)
        let run = try CommandRun(["login", "--from", path, "--timeout", "1"])
        #expect(run.status == .timedOut)
        #expect(run.errors.hasPrefix("account: nothing more has come from \(path) for too long\n"))
    }

    @Test("a FIFO is read once somebody writes to it")
    func fifo() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let path = directory.path + "/fifo"
        // SAFETY: the path lives for the call.
        let made = unsafe mkfifo(path, 0o600)
        #expect(made == 0)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.2)
            let writer = FileHandle(forWritingAtPath: path)
            try? writer?.write(contentsOf: Data(Self.response.utf8))
            try? writer?.close()
        }
        let run = try CommandRun([
            "login", "--from", path, "--timeout", "10", "--socket", daemon.socket,
        ])
        #expect(run.errors.isEmpty)
        #expect(run.status == .done)
    }

    @Test("an account that is in the way is exit 8, and the hint says how to replace it")
    func otherAccount() throws {
        let daemon = try FakeDaemon(
            FakeDaemon.present(but: [
                "Login": #"{"error":"org.accountd.Account.AccountExists","parameters":{"uid":"8"}}"#
            ]))
        let directory = try TemporaryDirectory()
        let file = try directory.file("response", Self.response)
        let run = try CommandRun(["login", "--from", file, "--socket", daemon.socket])
        #expect(run.status == .inputRejected)
        #expect(
            run.errors == """
                account: another account is stored already: uid 8
                hint: --replace forgets it and stores this one

                """)
    }

    @Test("a warning about the response does not hinder the login")
    func warning() throws {
        let daemon = try FakeDaemon(FakeDaemon.present)
        let directory = try TemporaryDirectory()
        let file = try directory.file(
            "response",
            #"{"access_token":"2.00abc","expires_in":86399,"uid":"1005059900001008"}"#)
        let run = try CommandRun(["login", "--from", file, "--socket", daemon.socket])
        #expect(run.status == .done)
        #expect(run.errors.hasPrefix("account: warning: "))
    }

    @Test(
        "a paste ends where its brackets do",
        arguments: [
            ("", true), ("{", false), ("{}", true), ("{\"a\":", false), ("{\"a\":[", false),
            ("{\"a\":\"}", true), ("{\"a\":\"\\\"}\",\n\"b\":1}", true), ("nonsense", true),
            ("{\n\"a\":1,\n", false), ("]", true), ("{\"a\":\"{\"}", true),
        ])
    func paste(_ text: String, _ isWhole: Bool) {
        let found = PastedJSON.isWhole(text.utf8.span)
        #expect(found == isWhole)
    }

    @Test(
        "the longest line of a paste is known",
        arguments: [("", 0), ("ab\nabcd\nabc", 4), ("ab\nabcd", 4), ("abc\n", 3)])
    func longestLine(_ text: String, _ count: Int) {
        let found = PastedJSON.longestLine(text.utf8.span)
        #expect(found == count)
    }
}
