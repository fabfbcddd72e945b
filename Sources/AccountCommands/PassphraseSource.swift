import LinuxSystem
import SecretMemory

/// Where a passphrase is read from when nobody is to be asked: a descriptor or a file.
///
/// There is no option for the passphrase itself: the words of a command line are everybody's to
/// read, and so is an environment for the same user.
struct PassphraseSource: Equatable {
    /// Seconds that a pipe may take, unless `--timeout` says otherwise.
    static let patience: Int64 = 60
    // With a line's end, and one byte more that tells that there are more.
    private static let maximumSize = Passphrase.maximumLength + 3

    private static let descriptorOption = CommandOption(
        "--passphrase-fd", "N", .text,
        "read the passphrase from descriptor N; a line's end behind it is left out",
        rival: "--passphrase-file")
    private static let fileOption = CommandOption(
        "--passphrase-file", "FILE", .file, "read it from FILE; the same holds",
        rival: "--passphrase-fd")

    /// The options that name one.
    static let options = [descriptorOption, fileOption]

    /// `--passphrase-fd`; -1 when it is not given.
    private(set) var descriptor: Int32 = -1
    /// `--passphrase-file`; empty when it is not given.
    private(set) var file = ""

    /// Whether one was named.
    var isNamed: Bool { descriptor >= 0 || !file.isEmpty }

    /// Takes an option, if it is one of these.
    ///
    /// - Returns: whether it was.
    mutating func take(
        _ option: String, _ invocation: inout Invocation
    ) throws(CommandFailure) -> Bool {
        switch option {
        case Self.descriptorOption: descriptor = try Self.number(invocation.value(of: option))
        case Self.fileOption: file = try GlobalOptions.path(invocation.value(of: option), option)
        default: return false
        }
        if descriptor >= 0, !file.isEmpty {
            throw .usage("--passphrase-fd and --passphrase-file exclude each other")
        }
        return true
    }

    private static func number(_ text: String) throws(CommandFailure) -> Int32 {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { 0x30 <= $0 && $0 <= 0x39 }
        guard isNumber, let number = Int32(text) else {
            // It may be the passphrase, by somebody who takes this for another option.
            throw .usage(
                "--passphrase-fd takes a descriptor's number",
                hint: "for example --passphrase-fd 3 3<FILE; a passphrase itself is not taken from "
                    + "an argument")
        }
        return number
    }

    /// Reads it.
    ///
    /// A descriptor above standard error is closed then, before anything is started.
    ///
    /// - Parameters:
    ///   - kind: for messages, none of which holds a byte of it.
    ///   - input: the descriptor of standard input, which number 0 stands for.
    func read(
        _ kind: Passphrase.Kind, input: Int32, _ options: GlobalOptions, _ arena: SecretArena
    ) throws(CommandFailure) -> SecretBuffer {
        var buffer: SecretBuffer
        do {
            buffer = try SecretBuffer(arena: arena, capacity: Self.maximumSize)
        } catch { throw CommandFailure(error) }
        let name = file.isEmpty ? "descriptor \(descriptor)" : file
        if file.isEmpty {
            try readDescriptor(input, name, options, into: &buffer)
        } else {
            try readFile(options, into: &buffer)
        }
        let count = buffer.withBytes { Passphrase.countWithoutLineEnd($0) }
        buffer.truncate(to: count)
        let fault =
            count == 0 ? "is empty" : buffer.withBytes { Passphrase.fault(of: $0) }
        if let fault {
            throw CommandFailure(.inputRejected, "the \(kind.name) in \(name) \(fault)")
        }
        return buffer
    }

    private func readDescriptor(
        _ input: Int32, _ name: String, _ options: GlobalOptions, into buffer: inout SecretBuffer
    ) throws(CommandFailure) {
        let isStandard = descriptor <= 2
        let number = descriptor == 0 ? input : descriptor
        defer { if !isStandard { _ = FileDescriptor(owning: number) } }
        do throws(Errno) {
            _ = try FileStatus.of(fd: number)
        } catch {
            throw .usage(
                "\(name) is not open", hint: "open it on the command line: \(descriptor)<FILE")
        }
        try readAll(number, name, options, into: &buffer)
    }

    private func readFile(
        _ options: GlobalOptions, into buffer: inout SecretBuffer
    ) throws(CommandFailure) {
        let opened: FileDescriptor
        do {
            // Non-blocking: a FIFO that nobody writes to would not even be opened.
            opened = try Files.open(file, [.readOnly, .nonBlocking])
        } catch { throw .system("cannot read \(file)", error) }
        try readAll(opened.rawValue, file, options, into: &buffer)
    }

    private func readAll(
        _ number: Int32, _ name: String, _ options: GlobalOptions, into buffer: inout SecretBuffer
    ) throws(CommandFailure) {
        guard !Terminal.isTerminal(number) else {
            throw .usage(
                "\(name) is a terminal, which would show what is typed",
                hint: "leave the option out, and it is asked for and not shown")
        }
        let seconds = options.hasTimeout ? options.timeout : Self.patience
        do throws(Errno) {
            if try FileStatus.of(fd: number).kind == .directory { throw Errno.isADirectory }
            try Self.fill(&buffer, from: number, milliseconds: seconds * 1000)
        } catch {
            switch error {
            case .timedOut:
                throw CommandFailure(
                    .timedOut, "nothing more has come from \(name) for too long",
                    hint: "close the other end, or give it more time with --timeout D")
            // Open for writing alone.
            case .badFileDescriptor: throw .usage("\(name) is not open for reading")
            default: throw .system("cannot read \(name)", error)
            }
        }
    }

    // Up to the end, or until there is more than may be.
    private static func fill(
        _ buffer: inout SecretBuffer, from number: Int32, milliseconds: Int64
    ) throws(Errno) {
        let deadline = Clock.monotonicMilliseconds() + milliseconds
        while buffer.count < maximumSize {
            let left = max(0, deadline - Clock.monotonicMilliseconds())
            let ready = try Poll.wait(number, for: .readable, timeoutMilliseconds: left)
            guard ready.rawValue != 0 else { throw .timedOut }
            do {
                let count = try buffer.appendUpTo(maximumSize - buffer.count) {
                    room throws(Errno) in try Files.read(number, into: &room)
                }
                if count == 0 { return }
            } catch {
                // Another process that shares the descriptor may have been faster.
                guard error == .wouldBlock else { throw error }
            }
        }
    }
}
