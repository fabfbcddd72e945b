package import AccountCommands
import Glibc
import LinuxSystem
package import SecretMemory

/// The file that is imported: a regular one by its name, or what comes through standard input.
///
/// Whatever the name leads to, it is refused or read in bounded time and memory. A file is read
/// twice and compared, so that one which an app is just writing is not taken half old, half new.
package struct ImportSource: ~Copyable {
    private static let compared = 4096

    private let file: FileDescriptor
    private let name: String
    private let status: FileStatus
    private let patience: Int64
    private let limit: Int

    /// Opens it.
    ///
    /// - Parameters:
    ///   - path: its name; `-` is standard input.
    ///   - limit: bytes that are taken of it at the most.
    ///   - directoryHint: what to do where it is a directory.
    package static func open(
        _ path: String, limit: Int = ImportLimits.maximumFile,
        directoryHint: String = "name the file in it: account.plist, com_weibo_sdk_android.xml",
        _ context: CommandContext
    ) throws(CommandFailure) -> ImportSource {
        let source: ImportSource
        do throws(Errno) {
            source = try make(path, limit, input: context.input, patience: context.patience)
        } catch { throw failure(path, error, directoryHint) }
        if path == "-", Terminal.isTerminal(context.input) {
            throw CommandFailure(
                .usage, "there is nothing to read on a terminal",
                hint: "name the file, or pipe it in")
        }
        if source.status.kind == .regular, source.status.size > limit {
            throw CommandFailure(ImportError.tooLarge(limit: limit))
        }
        return source
    }

    private static func make(
        _ path: String, _ limit: Int, input: Int32, patience: Int64
    ) throws(Errno) -> ImportSource {
        let file = try descriptor(path, input: input)
        let status = try file.status()
        if path != "-" { try refuseOthers(status) }
        return ImportSource(
            file: file, name: path == "-" ? "standard input" : path, status: status,
            patience: patience, limit: limit)
    }

    /// Bytes that it has; the most that are taken where that is not known.
    package var size: Int { status.kind == .regular ? Int(status.size) : limit }

    private static func descriptor(_ path: String, input: Int32) throws(Errno) -> FileDescriptor {
        guard path != "-" else {
            return FileDescriptor(owning: try valueOrErrno { fcntl(input, F_DUPFD_CLOEXEC, 3) })
        }
        // Before it is opened: to open a device may do something.
        try refuseOthers(FileStatus.of(path: path, following: true))
        return try Files.open(path, [.readOnly, .nonBlocking])
    }

    // EINVAL stands for what is no file that could be read to its end.
    private static func refuseOthers(_ status: FileStatus) throws(Errno) {
        switch status.kind {
        case .regular: return
        case .directory: throw .isADirectory
        default: throw .invalidArgument
        }
    }

    private static func failure(
        _ path: String, _ error: Errno, _ directoryHint: String
    ) -> CommandFailure {
        switch error {
        case .isADirectory:
            CommandFailure(
                ImportError(
                    "not-a-file", "\(path) is a directory", hint: directoryHint))
        case .invalidArgument:
            CommandFailure(
                ImportError(
                    "not-a-file", "\(path) is no regular file",
                    hint: "what comes through a pipe is read from standard input: -"))
        default:
            CommandFailure(
                .systemRefused, "cannot read \(path): \(error.message) (\(error.name))")
        }
    }

    /// Reads all of it.
    package borrowing func read(into arena: SecretArena) throws(CommandFailure) -> SecretBuffer {
        var buffer = try makeBuffer(arena)
        do throws(Errno) {
            if status.kind == .regular {
                try readFile(into: &buffer, arena)
            } else {
                try readStream(into: &buffer)
            }
        } catch { throw failure(error) }
        return buffer
    }

    private borrowing func makeBuffer(_ arena: SecretArena) throws(CommandFailure) -> SecretBuffer {
        do {
            return try SecretBuffer(
                arena: arena, capacity: status.kind == .regular ? max(1, size) : 4096,
                limit: limit)
        } catch { throw CommandFailure(ImportError.memory(error)) }
    }

    private borrowing func failure(_ error: Errno) -> CommandFailure {
        switch error {
        case .fileTooLarge: CommandFailure(ImportError.tooLarge(limit: limit))
        case .busy:
            CommandFailure(
                ImportError(
                    "file-changed", "\(name) was changed while it was read", hint: "try again"))
        case .noMemory: CommandFailure(ImportError.memory(.exhausted))
        case .timedOut:
            CommandFailure(
                .timedOut, "nothing more has come from \(name) for too long",
                hint: "give it more time with --timeout D")
        default:
            CommandFailure(
                .systemRefused, "cannot read \(name): \(error.message) (\(error.name))")
        }
    }

    // EBUSY: somebody else writes to it.
    private borrowing func readFile(
        into buffer: inout SecretBuffer, _ arena: SecretArena
    ) throws(Errno) {
        let number = file.rawValue
        let start = try valueOrErrno { lseek(number, 0, SEEK_CUR) }
        try file.readWhole(into: &buffer)
        _ = try valueOrErrno { lseek(number, start, SEEK_SET) }
        try compare(with: buffer, arena)
        let after = try file.status()
        guard after.changedAt == status.changedAt, after.size == status.size,
            after.modifiedAt == status.modifiedAt
        else { throw .busy }
    }

    private borrowing func compare(
        with buffer: borrowing SecretBuffer, _ arena: SecretArena
    ) throws(Errno) {
        var again: SecretBuffer
        do { again = try SecretBuffer(arena: arena, capacity: Self.compared) } catch {
            throw .noMemory
        }
        var position = 0
        while true {
            again.removeAll()
            let count = try again.appendUpTo(Self.compared) { room throws(Errno) in
                try file.read(into: &room)
            }
            if count == 0 { break }
            guard Self.isEqual(again, buffer, from: position) else { throw .busy }
            position += count
        }
        guard position == buffer.count else { throw .busy }
    }

    private static func isEqual(
        _ part: borrowing SecretBuffer, _ whole: borrowing SecretBuffer, from start: Int
    ) -> Bool {
        whole.withBytes { whole in
            part.withBytes { part in
                guard part.count <= whole.count - start else { return false }
                for index in part.indices where part[index] != whole[start + index] {
                    return false
                }
                return true
            }
        }
    }

    private borrowing func readStream(into buffer: inout SecretBuffer) throws(Errno) {
        let number = file.rawValue
        let deadline = Clock.monotonicMilliseconds() + patience * 1000
        while true {
            let isFull = buffer.count == buffer.limit
            if !isFull, buffer.count == buffer.capacity {
                do { try buffer.reserve(1) } catch { throw .noMemory }
            }
            let left = max(0, deadline - Clock.monotonicMilliseconds())
            let ready = try Poll.wait(number, for: .readable, timeoutMilliseconds: left)
            guard ready.rawValue != 0 else { throw .timedOut }
            do throws(Errno) {
                if isFull {
                    guard try Files.isAtEnd(number) else { throw .fileTooLarge }
                    return
                }
                let count = try buffer.appendUpTo(buffer.capacity - buffer.count) {
                    room throws(Errno) in try Files.read(number, into: &room)
                }
                if count == 0 { return }
            } catch {
                guard error == .wouldBlock else { throw error }
            }
        }
    }
}
