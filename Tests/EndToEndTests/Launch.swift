import Foundation
import Testing

/// What a command left behind.
struct CommandResult {
    /// The exit status; 128 and the signal where one ended it, as a shell counts.
    let status: Int32
    let outputBytes: [UInt8]
    let errorBytes: [UInt8]

    var output: String { String(decoding: outputBytes, as: UTF8.self) }
    var errors: String { String(decoding: errorBytes, as: UTF8.self) }

    /// The lines of standard error.
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

/// A command did not end in its time; it was killed.
struct CommandTimedOut: Error, CustomStringConvertible {
    let words: [String]
    let output: String
    let errors: String
    var description: String { "not ended in its time: \(words)\n\(output)\n\(errors)" }
}

/// Starts programs, with nothing inherited but what is passed.
enum Launch {
    /// Held while a descriptor is open that a program started meanwhile would inherit.
    static let lock = NSLock()

    /// Runs a program until it and whoever shares its output have ended.
    ///
    /// - Parameters:
    ///   - timeout: seconds; then it is killed with its process group.
    static func run(
        _ words: [String], environment: [String: String], input: [UInt8] = [],
        timeout: Double = 30
    ) throws -> CommandResult {
        let inputPipe = try Pipe()
        let outputPipe = try Pipe()
        let errorPipe = try Pipe()
        let pid = try start(
            words, environment: environment,
            passing: [(inputPipe.reader, 0), (outputPipe.writer, 1), (errorPipe.writer, 2)])
        inputPipe.closeReader()
        outputPipe.closeWriter()
        errorPipe.closeWriter()
        var transfer = Transfer(
            input: inputPipe, inputBytes: input, output: outputPipe, errors: errorPipe)
        let deadline = Date(timeIntervalSinceNow: timeout)
        let hasEnded = transfer.run(until: deadline)
        guard hasEnded, let status = wait(pid, until: deadline) else {
            kill(-pid, SIGKILL)
            _ = wait(pid, until: Date(timeIntervalSinceNow: 5))
            throw CommandTimedOut(
                words: words, output: String(decoding: transfer.outputBytes, as: UTF8.self),
                errors: String(decoding: transfer.errorBytes, as: UTF8.self))
        }
        return CommandResult(
            status: status, outputBytes: transfer.outputBytes, errorBytes: transfer.errorBytes)
    }

    /// Starts a program in a process group of its own.
    ///
    /// - Parameters:
    ///   - words: the program's path or its name in /usr/bin and /bin, then its arguments.
    ///   - passing: descriptors, and the numbers that they get in the program.
    static func start(
        _ words: [String], environment: [String: String],
        passing: [(descriptor: Int32, number: Int32)]
    ) throws -> pid_t {
        lock.lock()
        defer { lock.unlock() }
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // SAFETY: both live until the call is over, and are destroyed here.
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        var high: [Int32] = []
        defer { for descriptor in high { close(descriptor) } }
        for (descriptor, number) in passing {
            // Out of the way of the numbers that are wanted.
            let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 100)
            high.append(moved)
            unsafe posix_spawn_file_actions_adddup2(&actions, moved, number)
        }
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        // Threads of the test process may block signals.
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGHUP, SIGTERM] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)

        let program = find(words[0], environment["PATH"] ?? "")
        let arguments = CStrings(words)
        let variables = CStrings(environment.map { "\($0.key)=\($0.value)" })
        var pid: pid_t = 0
        // SAFETY: the strings live until the call is over.
        let error = unsafe posix_spawn(
            &pid, program, &actions, &attributes, arguments.pointers, variables.pointers)
        guard error == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO)
        }
        return pid
    }

    private static func find(_ program: String, _ path: String) -> String {
        if program.contains("/") { return program }
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return folders.map { $0 + "/" + program }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        } ?? program
    }

    /// Waits for a child.
    ///
    /// - Returns: its status; nil when it has not ended in time.
    static func wait(_ pid: pid_t, until deadline: Date) -> Int32? {
        while true {
            var status: Int32 = 0
            // SAFETY: room for the status.
            let found = unsafe waitpid(pid, &status, WNOHANG)
            if found == pid {
                let signal = status & 0x7F
                return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
            }
            guard found == 0, Date() < deadline else { return nil }
            usleep(1000)
        }
    }
}

/// Strings for the C library, freed with this.
@safe private final class CStrings {
    private(set) var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
        // SAFETY: each is a copy that lives as long as this.
        unsafe pointers = strings.map { unsafe strdup($0) } + [nil]
    }

    deinit { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
}

/// Both ends of a pipe, closed with this.
final class Pipe {
    private(set) var reader: Int32 = -1
    private(set) var writer: Int32 = -1

    init() throws {
        var ends: [Int32] = [-1, -1]
        Launch.lock.lock()
        defer { Launch.lock.unlock() }
        // SAFETY: room for two numbers.
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        reader = ends[0]
        writer = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        closeReader()
        closeWriter()
    }

    /// Everything that is written to it, up to the end.
    func readToEnd() throws -> String {
        let data = try FileHandle(fileDescriptor: reader, closeOnDealloc: false).readToEnd()
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    func closeReader() {
        if reader >= 0 { close(reader) }
        reader = -1
    }

    func closeWriter() {
        if writer >= 0 { close(writer) }
        writer = -1
    }
}

/// Moves bytes in and out of a command, all at once.
private struct Transfer {
    let input: Pipe
    var inputBytes: [UInt8]
    let output: Pipe
    let errors: Pipe
    var outputBytes: [UInt8] = []
    var errorBytes: [UInt8] = []

    /// - Returns: whether both outputs came to their ends.
    mutating func run(until deadline: Date) -> Bool {
        _ = fcntl(input.writer, F_SETFL, O_NONBLOCK)
        while output.reader >= 0 || errors.reader >= 0 {
            if inputBytes.isEmpty { input.closeWriter() }
            var polls = [
                pollfd(fd: output.reader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors.reader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: input.writer, events: Int16(POLLOUT), revents: 0),
            ]
            let left = Int32(max(0, deadline.timeIntervalSinceNow * 1000))
            // SAFETY: as many as the array has.
            let ready = unsafe poll(&polls, 3, left)
            guard ready > 0 else { return false }
            if polls[0].revents != 0, !Self.read(output.reader, &outputBytes) {
                output.closeReader()
            }
            if polls[1].revents != 0, !Self.read(errors.reader, &errorBytes) {
                errors.closeReader()
            }
            if polls[2].revents != 0 { writeInput() }
        }
        input.closeWriter()
        return true
    }

    private static func read(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Bool {
        var room = [UInt8](repeating: 0, count: 65_536)
        // SAFETY: as many as the room has.
        let count = unsafe Foundation.read(descriptor, &room, room.count)
        guard count > 0 else { return false }
        bytes += room[..<count]
        return true
    }

    private mutating func writeInput() {
        // SAFETY: as many as there are. The test process ignores SIGPIPE, see Home.
        let count = unsafe write(input.writer, inputBytes, inputBytes.count)
        if count < 0 {
            inputBytes = []
        } else {
            inputBytes.removeFirst(count)
        }
    }
}
