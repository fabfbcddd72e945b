import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

/// `Tests/Harness/fake_pinentry` answers as each test has it.
@Suite struct PinentryTests {
    private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Harness/fake_pinentry").path
    private static let question = PinentryDialog(
        title: "account", description: "Two lines:\n100 % of them", prompt: "Passphrase:")

    let folder: TemporaryFolder

    init() throws {
        ProcessHardening.ignoreBrokenPipes()
        folder = try TemporaryFolder()
    }

    /// Has the fake ask, with variables that say what it does.
    private func ask(
        _ dialog: PinentryDialog = question, limit: Int = 1024, seconds: Int64 = 20,
        place: Pinentry.Place? = nil, with variables: [String: String]
    ) throws -> (answer: String, isRepeated: Bool?, error: PinentryError?) {
        var pinentry = Pinentry(
            Self.program, place: place,
            environment: [
                "PATH=/usr/bin:/bin", "FAKE_LOG=\(folder("log"))", "FAKE_PID=\(folder("pid"))",
            ] + variables.map { "\($0)=\($1)" })
        pinentry.display = ":7"
        pinentry.characters = "C.UTF-8"
        pinentry.messages = "de_DE\nGETPIN"
        let arena = try SecretArena.forTest()
        var answer = try SecretBuffer(arena: arena, capacity: 64, limit: limit)
        var isRepeated: Bool?
        let error = failure { () throws(PinentryError) in
            isRepeated = try pinentry.ask(dialog, into: &answer, arena: arena, seconds: seconds)
        }
        let left = answer.count
        if error != nil { #expect(left == 0, "a part of an answer is left") }
        if FileManager.default.fileExists(atPath: folder("pid")) {
            let pid = try #require(Int32(folder.text("pid").dropLast()))
            #expect(kill(pid, 0) == -1 && errno == ESRCH, "the program still runs")
        }
        let text = answer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        return (text, isRepeated, error)
    }

    @Test(
        "what was typed is what its lines say together",
        arguments: [
            (#"echo "D secret"; echo OK"#, "secret"),
            (#"echo "D 100%25 %0a+ x"; echo OK"#, "100% \n+ x"),
            (#"echo "D pass"; echo "S note"; echo '# note'; echo "D word"; echo OK"#, "password"),
            (#"echo "D 账户"; echo OK"#, "账户"), (#"printf 'D a\r\nOK\r\n'"#, "a"),
            ("echo OK", ""), (#"echo "D "; echo "OK done""#, ""),
            (#"echo "INQUIRE QUALITY"; read -r l; [ "$l" = CAN ] && echo "D yes"; echo OK"#, "yes"),
        ])
    func answers(script: String, typed: String) throws {
        let result = try ask(with: ["FAKE_GETPIN": script])
        #expect(result.error == nil && result.isRepeated == false)
        #expect(result.answer == typed)
    }

    @Test("it is told where and what to ask, each thing on a line of its own")
    func commands() throws {
        var dialog = Self.question
        dialog.error = "Wrong.\r"
        dialog.repeatPrompt = "Again:"
        dialog.keyInfo = "u/accountd"
        let terminal = try PseudoTerminal()
        _ = try ask(
            dialog,
            place: Pinentry.Place(
                descriptor: terminal.slave.rawValue, name: terminal.path, kind: "xterm"), with: [:])
        // The locale with a line's end in it is left out.
        #expect(
            try folder.text("log") == """
                OPTION ttyname=\(terminal.path)
                OPTION ttytype=xterm
                OPTION display=:7
                OPTION lc-ctype=C.UTF-8
                OPTION allow-external-password-cache
                SETTIMEOUT 20
                SETTITLE account
                SETERROR Wrong.%0D
                SETREPEAT Again:
                SETREPEATERROR The two are not the same. Try again.
                SETKEYINFO u/accountd
                SETDESC Two lines:%0A100 %25 of them
                SETPROMPT Passphrase:
                GETPIN
                BYE

                """)
    }

    @Test("a long text is cut to what a line may have")
    func longLines() throws {
        var dialog = Self.question
        dialog.description = String(repeating: "\n", count: 5000)
        let result = try ask(dialog, with: [:])
        #expect(result.error == nil)
        let line = try #require(
            folder.text("log").split(separator: "\n").first { $0.hasPrefix("SETDESC") })
        #expect(line.utf8.count <= 990 && line.hasSuffix("%0A"))
    }

    @Test("what it need not understand it may refuse")
    func refusedOptions() throws {
        let result = try ask(with: [
            "FAKE_OPTION": "echo ERR 83886254 Unknown option", "FAKE_GETPIN": "echo D x; echo OK",
        ])
        #expect(result.error == nil && result.answer == "x")
    }

    @Test("it says when a passphrase was typed twice")
    func repeated() throws {
        let result = try ask(with: ["FAKE_GETPIN": "echo S PIN_REPEATED; echo D x; echo OK"])
        #expect(result.isRepeated == true && result.answer == "x")
    }

    @Test("1024 bytes fit, however they are written, and one more does not")
    func longAnswers() throws {
        let line = #"echo "D $(printf '%%41%.0s' $(seq 1 256))""#
        let four = [line, line, line, line].joined(separator: ";")
        #expect(
            try ask(with: ["FAKE_GETPIN": four + ";echo OK"]).answer
                == String(repeating: "A", count: 1024))
        try FileManager.default.removeItem(atPath: folder("pid"))
        #expect(try ask(with: ["FAKE_GETPIN": four + ";echo D x;echo OK"]).error == .tooLong)
    }

    @Test(
        "an error is told by its number",
        arguments: [
            ("ERR 83886179 Operation cancelled <Pinentry>", PinentryError.cancelled),
            ("ERR 83886278 Fully cancelled", .cancelled), ("ERR 83886194", .cancelled),
            ("ERR 83886142 Timeout", .timedOut), ("ERR 62", .timedOut),
            (
                "ERR 83918950 No \u{1b}[31mtty",
                .unavailable(.refused(code: 32870, reason: "No ?[31mtty"))
            ),
            ("ERR 83886340", .unavailable(.refused(code: 260, reason: ""))),
        ])
    func errors(line: String, error: PinentryError) throws {
        #expect(try ask(with: ["FAKE_GETPIN": "echo D secret; echo '\(line)'"]).error == error)
    }

    @Test(
        "one that cannot ask is told from one that breaks off",
        arguments: [
            ("FAKE_START", "exit 1", PinentryError.unavailable(.ended)),
            ("FAKE_START", "kill -9 $$", .unavailable(.ended)),
            ("FAKE_START", "echo Hello", .unavailable(.notUnderstood)),
            ("FAKE_START", "head -c 1000000 /dev/zero | tr '\\0' O", .unavailable(.notUnderstood)),
            ("FAKE_START", "echo ERR 1 no", .unavailable(.refused(code: 1, reason: "no"))),
            ("FAKE_START", "echo OK; echo D leaked", .unavailable(.notUnderstood)),
            ("FAKE_NEEDED", "echo ERR 60 no", .unavailable(.refused(code: 60, reason: "no"))),
            ("FAKE_NEEDED", "exit", .unavailable(.ended)),
            ("FAKE_GETPIN", "exit", .failed(.ended)),
            ("FAKE_GETPIN", "printf 'D half'; exit", .failed(.ended)),
            ("FAKE_GETPIN", "echo D half; kill -9 $$", .failed(.ended)),
            ("FAKE_GETPIN", "echo D %4; echo OK", .failed(.notUnderstood)),
            ("FAKE_GETPIN", "echo D %zz; echo OK", .failed(.notUnderstood)),
            ("FAKE_GETPIN", "echo ERR; echo OK", .failed(.notUnderstood)),
            ("FAKE_GETPIN", "echo secret", .failed(.notUnderstood)),
            ("FAKE_GETPIN", "head -c 1000000 /dev/zero | tr '\\0' D", .failed(.notUnderstood)),
            ("FAKE_GETPIN", "exec >&- sleep 100", .failed(.ended)),
            ("FAKE_GETPIN", "trap '' TERM; exec >&- sleep 100", .failed(.ended)),
        ])
    func faults(place: String, script: String, error: PinentryError) throws {
        let start = Clock.monotonicMilliseconds()
        #expect(try ask(with: [place: script]).error == error)
        #expect(Clock.monotonicMilliseconds() - start < 15_000)
    }

    @Test(
        "one that says nothing is waited for no longer than it may take",
        arguments: [
            ("FAKE_START", "exec sleep 100", PinentryError.unavailable(.silent)),
            ("FAKE_GETPIN", "exec sleep 100", .timedOut),
            ("FAKE_GETPIN", "printf 'D secret'; exec sleep 100", .timedOut),
            ("FAKE_GETPIN", "kill -STOP $$", .timedOut),
        ])
    func silence(place: String, script: String, error: PinentryError) throws {
        let start = Clock.monotonicMilliseconds()
        #expect(try ask(seconds: 1, with: [place: script]).error == error)
        #expect(Clock.monotonicMilliseconds() - start < 15_000)
    }

    @Test("a terminal is left as it was, whatever the program did to it")
    func terminalModes() throws {
        let terminal = try PseudoTerminal()
        let place = Pinentry.Place(descriptor: terminal.slave.rawValue, name: terminal.path)
        let result = try ask(
            place: place,
            with: ["FAKE_GETPIN": "stty -echo -icanon <'\(terminal.path)'; kill -9 $$"])
        #expect(result.error == .failed(.ended))
        #expect(terminal.echoes)
    }

    @Test("a program that cannot be run is no program")
    func notThere() throws {
        try folder.write("plain", "text")
        let arena = try SecretArena.forTest()
        for path in [folder("nothing"), folder("plain"), folder.path] {
            var answer = try SecretBuffer(arena: arena, capacity: 64)
            let error = failure { () throws(PinentryError) in
                try Pinentry(path, place: nil, environment: []).ask(
                    Self.question, into: &answer, arena: arena, seconds: 1)
            }
            guard case .unavailable(.system) = error else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("a name is looked for in PATH, and a path is taken as it stands")
    func finding() throws {
        try folder.write("plain", "text")
        let path = "relative:\(folder.path):/nonexistent::/usr/bin:/bin"
        #expect(
            Pinentry.find("sh", in: path) == "/usr/bin/sh"
                || Pinentry.find("sh", in: path) == "/bin/sh")
        #expect(Pinentry.find("plain", in: path) == nil)
        #expect(Pinentry.find("plain", in: "") == nil)
        #expect(Pinentry.find("", in: path) == nil)
        #expect(Pinentry.find("../bin/sh", in: path) == nil)
        #expect(Pinentry.find("/bin/sh", in: nil) == "/bin/sh")
        #expect(Pinentry.find("/bin/nothing", in: path) == nil)
        #expect(Pinentry.find("/bin", in: path) == nil)
    }

    @Test("a terminal has a name, and nothing else has")
    func names() throws {
        let terminal = try PseudoTerminal()
        #expect(Terminal.name(of: terminal.slave.rawValue) == terminal.path)
        #expect(try Terminal.name(of: Files.open("/dev/null", .readOnly).rawValue) == nil)
        #expect(Terminal.name(of: -1) == nil)
    }
}
