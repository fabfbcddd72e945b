import AccountCommands
import Archiving
import Glibc
import JSON
import LinuxSystem
import SecretMemory

// `account archive put`
extension ArchiveTask {
    /// What JSON may be.
    private static let limits = JSONLimits(
        maximumBytes: Archiver.maximumValue, maximumDepth: 512, allowsEscapedNUL: true)

    /// Stores what comes through standard input.
    func put() throws(CommandFailure) {
        if Terminal.isTerminal(context.input) {
            throw CommandFailure(
                .usage, "there is nothing to store on a terminal",
                hint: "pipe it in: account archive put NAME <FILE")
        }
        if options.isRaw { try putStream() } else { try putJSON() }
    }

    private func putStream() throws(CommandFailure) {
        var part = try InputPart.make()
        try library { () throws(ArchiveError) in
            try copy(into: archiver.writer(named: options.name, kind: .bytes), &part)
        }
    }

    private func copy(
        into opened: consuming ArchiveWriter, _ part: inout InputPart
    ) throws(ArchiveError) {
        var writer = opened
        var progress = Progress(options.name, of: inputSize, context)
        while try part.read(from: context.input) {
            try part.withBytes { bytes throws(ArchiveError) in try writer.append(bytes) }
            progress.add(part.count)
        }
        try writer.commit()
    }

    private var inputSize: Int64? {
        guard let status = try? FileStatus.of(fd: context.input), status.kind == .regular else {
            return nil
        }
        return status.size
    }

    private func putJSON() throws(CommandFailure) {
        let text = try read(context.input, limit: Archiver.maximumValue, "standard input")
        try text.withBytes { bytes throws(CommandFailure) in
            var index = JSONIndex(limits: Self.limits)
            do throws(JSONError) {
                try index.scan(bytes)
            } catch { throw Self.notJSON(error, bytes) }
        }
        try library { () throws(ArchiveError) in
            var writer = try archiver.writer(named: options.name, kind: .json)
            try text.withBytes { bytes throws(ArchiveError) in try writer.append(bytes) }
            try writer.commit()
        }
    }

    private static func notJSON(_ error: JSONError, _ text: Span<UInt8>) -> CommandFailure {
        CommandFailure(
            .inputRejected,
            "what comes through standard input is not JSON: \(error.text(of: text))",
            hint: text.isEmpty ? nil : "store it as it is with --raw")
    }

    /// Reads a descriptor to its end.
    func read(
        _ input: Int32, limit: Int, _ name: String
    ) throws(CommandFailure) -> SecretBuffer {
        try InputPart.readWhole(input, limit: limit, name)
    }
}

/// A part of what comes through a descriptor, in memory that is wiped.
struct InputPart: ~Copyable {
    private var buffer: SecretBuffer

    static func make() throws(CommandFailure) -> InputPart {
        do throws(ArchiveError) {
            let arena = try ArchiveStore.arena(ArchiveTask.part)
            do throws(SecretMemoryError) {
                return InputPart(
                    buffer: try SecretBuffer(arena: arena, capacity: ArchiveTask.part))
            } catch { throw ArchiveError.system("no memory for a part", errno: ENOMEM) }
        } catch { throw CommandFailure(error) }
    }

    /// Bytes of it.
    var count: Int { buffer.count }

    /// Reads the next part; false at the end.
    mutating func read(from input: Int32) throws(ArchiveError) -> Bool {
        buffer.removeAll()
        do throws(Errno) {
            while buffer.count < buffer.capacity {
                let room = buffer.capacity - buffer.count
                let count = try buffer.appendUpTo(room) { room throws(Errno) in
                    try Files.readWaiting(input, into: &room)
                }
                if count == 0 { break }
            }
        } catch { throw .system("cannot read standard input", errno: error.rawValue) }
        return !buffer.isEmpty
    }

    func withBytes<E: Error>(_ body: (Span<UInt8>) throws(E) -> Void) throws(E) {
        try buffer.withBytes(body)
    }

    /// Reads a descriptor to its end, into memory that is large enough for it.
    static func readWhole(
        _ input: Int32, limit: Int, _ name: String
    ) throws(CommandFailure) -> SecretBuffer {
        var buffer = try room(1 << 16)
        while true {
            if buffer.count == buffer.capacity {
                guard buffer.count < limit else {
                    if try isAtEnd(input, name) { return buffer }
                    throw CommandFailure(
                        .inputRejected, "\(name) has more than \(limit >> 20) MiB",
                        hint: "account archive put --raw takes any size")
                }
                let larger = try room(min(limit, 4 * buffer.capacity))
                buffer = try copy(of: buffer, into: larger)
            }
            do throws(Errno) {
                let room = buffer.capacity - buffer.count
                let count = try buffer.appendUpTo(room) { room throws(Errno) in
                    try Files.readWaiting(input, into: &room)
                }
                if count == 0 { return buffer }
            } catch { throw .system("cannot read \(name)", error) }
        }
    }

    private static func isAtEnd(_ input: Int32, _ name: String) throws(CommandFailure) -> Bool {
        do throws(Errno) { return try Files.isAtEnd(input) } catch {
            throw .system("cannot read \(name)", error)
        }
    }

    private static func room(_ size: Int) throws(CommandFailure) -> SecretBuffer {
        do throws(ArchiveError) { return try ArchiveStore.buffer(size) } catch {
            throw CommandFailure(error)
        }
    }

    private static func copy(
        of old: borrowing SecretBuffer, into room: consuming SecretBuffer
    ) throws(CommandFailure) -> SecretBuffer {
        var larger = room
        do throws(SecretMemoryError) {
            try old.withBytes { bytes throws(SecretMemoryError) in try larger.append(bytes) }
        } catch { throw CommandFailure(.systemRefused, "there is no memory for it (ENOMEM)") }
        return larger
    }
}

extension JSONError {
    /// What is wrong, and where.
    fileprivate func text(of text: Span<UInt8>) -> String {
        switch self {
        case .empty: "it is empty"
        case .tooLong: "it is too long"
        case .tooDeep(let offset): "too many values within one another" + Self.place(offset, text)
        case .notUTF8(let offset): "bytes that are not UTF-8" + Self.place(offset, text)
        case .syntax(let offset):
            (offset >= text.count ? "it ends too early" : "something is wrong")
                + Self.place(offset, text)
        case .duplicateKey(let offset): "a name stands twice" + Self.place(offset, text)
        case .loneSurrogate(let offset): "half a character" + Self.place(offset, text)
        case .nulCharacter(let offset): "a NUL" + Self.place(offset, text)
        case .trailingData(let offset): "something follows its end" + Self.place(offset, text)
        }
    }

    // Lines and columns count from 1, columns in bytes.
    private static func place(_ offset: Int, _ text: Span<UInt8>) -> String {
        var (line, column) = (1, 1)
        for index in 0..<min(offset, text.count) {
            column += 1
            if text[index] == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
        }
        return ", at line \(line), column \(column)"
    }
}
