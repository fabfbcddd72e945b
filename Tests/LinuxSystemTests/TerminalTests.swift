import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@Suite struct TerminalTests {
    let terminal: PseudoTerminal

    init() throws { terminal = try PseudoTerminal() }

    /// Asks at the terminal, while `typed` is typed once the question stands there.
    private func ask(
        typing typed: [UInt8], limit: Int = 64, timeout: Int64 = 10_000, lines: Int = 1
    ) throws -> (answer: String?, shown: String, error: Errno?) {
        let fd = terminal.slave.rawValue
        let other = terminal.master.rawValue
        let shown = try EventCounter()
        let typist = shown.signal
        var output = ""
        try WorkerThread.start(name: "typing") {
            // The question comes after what was typed too early is discarded.
            if Self.waitsForQuestion(other) { try? StandardStream.writeAll(typed.span, to: other) }
            typist()
        }
        let arena = try SecretArena.forTest()
        var line = try SecretBuffer(arena: arena, capacity: limit, limit: limit)
        var answer: String?
        let error = failure { () throws(Errno) in
            if try Terminal.readLineWithoutEcho(
                fd, prompt: "Passphrase: ", into: &line, timeoutMilliseconds: timeout,
                isWhole: { text in
                    text.indices.count { text[$0] == UInt8(ascii: "\n") } == lines - 1
                })
            {
                answer = line.withBytes { bytes in
                    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                }
            }
        }
        if error != nil { #expect(line.count == 0, "a part of the line is left") }
        while shown.take() == 0 { usleep(1000) }
        output = try terminal.shown()
        return (answer, output, error)
    }

    private static func waitsForQuestion(_ fd: Int32) -> Bool {
        var seen = [UInt8]()
        while !seen.suffix(2).elementsEqual(": ".utf8) {
            let ready = try? Poll.wait(fd, for: .readable, timeoutMilliseconds: 10_000)
            var room = [UInt8](repeating: 0, count: 64)
            var span = room.mutableSpan
            guard ready?.contains(.readable) == true, let count = try? Files.read(fd, into: &span)
            else { return false }
            seen += room[..<count]
        }
        return true
    }

    @Test(
        "a line is read and not shown",
        arguments: [
            ("secret\n", "secret"), ("\n", ""), ("pass word \t账户\n", "pass word \t账户"),
            ("first\nsecond\n", "first"), ("typo\u{15}right\n", "right"), ("in\u{4}two\n", "intwo"),
        ])
    func reads(typed: String, answer: String) throws {
        let result = try ask(typing: Array(typed.utf8))
        #expect(result.answer == answer)
        #expect(result.error == nil)
        // The line's end alone.
        #expect(result.shown.allSatisfy { $0.isNewline })
        #expect(terminal.echoes)
    }

    @Test("the end of the input is no line")
    func end() throws {
        let result = try ask(typing: [4])
        #expect(result.answer == nil && result.error == nil)
        #expect(terminal.echoes)
    }

    @Test(
        "a line of the limit is read, a longer one refused and discarded", arguments: [15, 16, 40])
    func long(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let result = try ask(typing: Array((text + "\n").utf8), limit: 16)
        #expect(result.answer == (length < 16 ? text : nil))
        #expect(result.error == (length < 16 ? nil : .messageTooLong))
        #expect(terminal.echoes)
    }

    @Test("several lines are read until they are whole")
    func severalLines() throws {
        let result = try ask(typing: Array("a\nb\nc\n".utf8), lines: 2)
        #expect(result.answer == "a\nb")
    }

    @Test("nobody who types nothing is waited for longer than asked")
    func timeout() throws {
        let result = try ask(typing: Array("half".utf8), timeout: 200)
        #expect(result.error == .timedOut)
        #expect(terminal.echoes)
    }

    @Test("what was typed before the question is no answer to it")
    func early() throws {
        try StandardStream.print("early\n", to: terminal.master.rawValue)
        usleep(20_000)
        let result = try ask(typing: Array("late\n".utf8))
        #expect(result.answer == "late")
    }

    @Test("a signal ends the program with the echo on again", arguments: [SIGTERM, SIGHUP, SIGINT])
    func signals(number: Int32) async throws {
        await #expect(processExitsWith: .signal(number)) {
            [path = terminal.path as String, number = number as Int32] in
            // A shell starts what runs in the background with some of them ignored.
            signal(number, SIG_DFL)
            unblockSignals()
            let fd = try Files.open(path, .readWrite)
            // To this thread, since others of the test's process do not block it.
            let asking = pthread_self()
            try WorkerThread.start(name: "signalling") {
                usleep(100_000)
                _ = pthread_kill(asking, number)
            }
            let arena = try SecretArena.forTest()
            var line = try SecretBuffer(arena: arena, capacity: 64)
            _ = try Terminal.readLineWithoutEcho(
                fd.rawValue, prompt: "? ", into: &line, timeoutMilliseconds: 10_000)
            exit(1)
        }
        #expect(terminal.echoes)
    }

    @Test("the question is asked anew after a signal that does not end the program")
    func ignoredSignal() async throws {
        await #expect(processExitsWith: .exitCode(0)) { [path = terminal.path as String] in
            signal(SIGHUP, SIG_IGN)
            unblockSignals()
            let fd = try Files.open(path, .readWrite)
            let asking = pthread_self()
            try WorkerThread.start(name: "signalling") {
                usleep(100_000)
                _ = pthread_kill(asking, SIGHUP)
            }
            let arena = try SecretArena.forTest()
            var line = try SecretBuffer(arena: arena, capacity: 64)
            let error = failure { () throws(Errno) in
                try Terminal.readLineWithoutEcho(
                    fd.rawValue, prompt: "? ", into: &line, timeoutMilliseconds: 500)
            }
            exit(error == .timedOut ? 0 : 1)
        }
        #expect(try terminal.shown().filter { $0 == "?" }.count == 2)
        #expect(terminal.echoes)
    }

    @Test("a terminal is told from what is none, and its width read")
    func kinds() throws {
        #expect(Terminal.isTerminal(terminal.slave.rawValue))
        let null = try Files.open("/dev/null", .readWrite)
        let number = null.rawValue
        #expect(!Terminal.isTerminal(number))
        #expect(!Terminal.isForeground(number))
        #expect(Terminal.windowWidth(number) == nil)
        #expect(Terminal.windowWidth(terminal.slave.rawValue) == nil)
        var size = winsize(ws_row: 24, ws_col: 91, ws_xpixel: 0, ws_ypixel: 0)
        #expect(unsafe ioctl(terminal.master.rawValue, UInt(TIOCSWINSZ), &size) == 0)
        #expect(Terminal.windowWidth(terminal.slave.rawValue) == 91)
        let arena = try SecretArena.forTest()
        var line = try SecretBuffer(arena: arena, capacity: 64)
        let error = failure { () throws(Errno) in
            try Terminal.readLineWithoutEcho(number, prompt: "", into: &line)
        }
        #expect(error == .notATerminal)
    }
}

/// The testing library's threads block every signal, a program's first one none.
private func unblockSignals() {
    var none = sigset_t()
    // SAFETY: one structure of our own.
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
}
