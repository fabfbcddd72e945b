import Accounts
import LinuxSystem
import SecretMemory

/// Where `account login` gets the token response: a file, a pipe, or a person.
struct LoginSource {
    /// The most bytes that are read; one more than can be made use of tells that there are more.
    static let maximumSize = TokenResponse.maximumInput + 1
    /// Seconds that a pipe or a person may take, unless `--timeout` says otherwise.
    static let patience: Int64 = 300
    /// The longest line that a terminal passes on; it drops the rest. N_TTY_BUF_SIZE, n_tty.c
    static let longestTerminalLine = 4095

    /// Nil and `-` stand for standard input.
    let path: String?
    /// The descriptor of standard input.
    let input: Int32
    let options: GlobalOptions

    /// Whether a person is asked for it.
    var isPerson: Bool { (path == nil || path == "-") && Terminal.isTerminal(input) }

    /// Reads all of it.
    ///
    /// - Returns: when the response was received, in seconds since 1970: a file's last change, be it
    ///   named or standard input, since a response that has lain there for a day has a day less to
    ///   live; else now.
    func read(into buffer: inout SecretBuffer) throws(CommandFailure) -> Int64 {
        guard let path, path != "-" else {
            return try read(input, "standard input", into: &buffer)
        }
        let file: FileDescriptor
        do {
            // Non-blocking: a FIFO that nobody writes to would not even be opened.
            file = try Files.open(path, [.readOnly, .nonBlocking])
        } catch { throw .system("cannot read \(path)", error) }
        return try read(file.rawValue, path, into: &buffer)
    }

    private func read(
        _ descriptor: Int32, _ name: String, into buffer: inout SecretBuffer
    ) throws(CommandFailure) -> Int64 {
        if Terminal.isTerminal(descriptor) {
            try ask(into: &buffer)
            return Clock.realtime().seconds
        }
        do throws(Errno) {
            let status = try FileStatus.of(fd: descriptor)
            if status.kind == .directory { throw Errno.isADirectory }
            try readAll(descriptor, into: &buffer)
            let now = Clock.realtime().seconds
            return status.kind == .regular ? min(status.modifiedAt, now) : now
        } catch {
            guard error == .timedOut else { throw .system("cannot read \(name)", error) }
            throw CommandFailure(
                .timedOut, "nothing more has come from \(name) for too long",
                hint: "give it more time with --timeout D")
        }
    }

    private func readAll(
        _ descriptor: Int32, into buffer: inout SecretBuffer
    ) throws(Errno) {
        let deadline = Clock.monotonicMilliseconds() + milliseconds
        while buffer.count < buffer.limit {
            let left = max(0, deadline - Clock.monotonicMilliseconds())
            let ready = try Poll.wait(descriptor, for: .readable, timeoutMilliseconds: left)
            guard ready.rawValue != 0 else { throw .timedOut }
            if buffer.count == buffer.capacity {
                do { try buffer.reserve(1) } catch { throw .noMemory }
            }
            do {
                let count = try buffer.appendUpTo(buffer.capacity - buffer.count) {
                    room throws(Errno) in try Files.read(descriptor, into: &room)
                }
                if count == 0 { return }
            } catch {
                // Another process that shares the descriptor may have been faster.
                guard error == .wouldBlock else { throw error }
            }
        }
    }

    private var milliseconds: Int64 {
        (options.hasTimeout ? options.timeout : Self.patience) * 1000
    }

    // The paste holds a token, so it is not shown; it ends where its JSON does.
    private func ask(into buffer: inout SecretBuffer) throws(CommandFailure) {
        guard options.mayPrompt else {
            throw .usage(
                "there is no token response to read, and --no-input forbids to ask for it",
                hint: "name its file with --from FILE, or pipe it in")
        }
        do throws(Errno) {
            let terminal = try Terminal.controlling()
            guard Terminal.isForeground(terminal.rawValue) else {
                throw Errno.notATerminal
            }
            _ = try Terminal.readLineWithoutEcho(
                terminal.rawValue,
                prompt: "Paste Weibo's token response and press Enter (it is not shown): ",
                into: &buffer, timeoutMilliseconds: milliseconds
            ) { PastedJSON.isWhole($0) }
        } catch {
            switch error {
            case .timedOut:
                throw CommandFailure(.timedOut, "nothing was pasted for too long")
            case .notATerminal:
                throw .usage(
                    "there is no token response to read, and a job in the background cannot ask",
                    hint: "name its file with --from FILE, or pipe it in")
            default: throw .system("cannot ask on the terminal", error)
            }
        }
        if buffer.withBytes({ PastedJSON.longestLine($0) >= Self.longestTerminalLine }) {
            throw CommandFailure(
                .inputRejected,
                "the terminal passes on no more than \(Self.longestTerminalLine) bytes of a line",
                hint: "save the token response in a file and name it with --from FILE")
        }
    }
}
