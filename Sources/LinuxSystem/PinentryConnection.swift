import Glibc
import SecretMemory

/// A pinentry that runs, and the two pipes to it. Assuan, "How the protocol works"
///
/// What it says is received into secret memory and never leaves that.
struct PinentryConnection: ~Copyable {
    /// Bytes of the longest line; the protocol has 1000 without its end.
    private static let longestLine = 4096
    /// How long a program that has been told to go may take, in milliseconds.
    private static let patience: Int64 = 500

    /// What a command came to.
    enum Reply: Equatable {
        /// Whether what was typed was typed twice.
        case ok(isRepeated: Bool)
        case error(code: UInt32, reason: String)
    }

    private let pid: Int32
    private let toProgram: FileDescriptor
    private let fromProgram: FileDescriptor
    // A signal that waits here ends the wait for an answer.
    private let signals: Int32
    private var pending: SecretBuffer

    private init(
        pid: Int32, _ toProgram: consuming FileDescriptor, _ fromProgram: consuming FileDescriptor,
        _ signals: Int32, _ pending: consuming SecretBuffer
    ) {
        self.pid = pid
        self.toProgram = toProgram
        self.fromProgram = fromProgram
        self.signals = signals
        self.pending = pending
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - environment: all that it gets, each as `NAME=value`.
    ///   - signals: a descriptor that can be read once this process is to do something else.
    static func start(
        _ program: String, environment: [String], signals: Int32, arena: SecretArena
    ) throws(PinentryFault) -> PinentryConnection {
        let pending = try makeBuffer(arena)
        do throws(Errno) {
            let input = try Files.pipe()
            let output = try Files.pipe()
            // What it complains of on its own is no part of what this program says.
            let null = try Files.open("/dev/null", .writeOnly)
            let pid = try ChildProcess.start(
                program, arguments: [], environment: environment, input: input.readEnd.rawValue,
                output: output.writeEnd.rawValue, error: null.rawValue)
            return connect(pid, input, output, signals, pending)
        } catch { throw .system(error) }
    }

    private static func makeBuffer(_ arena: SecretArena) throws(PinentryFault) -> SecretBuffer {
        do {
            return try SecretBuffer(arena: arena, capacity: longestLine)
        } catch { throw .noMemory }
    }

    // The program's own ends close here, so that its end is seen.
    private static func connect(
        _ pid: Int32, _ input: consuming Files.Pipe, _ output: consuming Files.Pipe,
        _ signals: Int32, _ pending: consuming SecretBuffer
    ) -> PinentryConnection {
        PinentryConnection(pid: pid, input.writeEnd, output.readEnd, signals, pending)
    }

    /// Sends a line, which is no secret.
    func send(_ line: String) throws(PinentryFault) {
        let text = line + "\n"
        do throws(Errno) {
            // Far less than a pipe holds, so this never waits.
            try toProgram.writeAll(text.utf8Span.span)
        } catch { throw error == .brokenPipe ? .ended : .system(error) }
    }

    /// Receives lines up to the one that ends an answer.
    ///
    /// - Parameters:
    ///   - answer: gets what was typed appended.
    ///   - deadline: of the monotonic clock, in milliseconds.
    mutating func receive(
        into answer: inout SecretBuffer, until deadline: Int64
    ) throws(PinentryFault) -> Reply {
        var isRepeated = false
        while true {
            let end = try receiveLine(until: deadline)
            let kind = try take(end, into: &answer)
            pending.removeFirst(end + 1)
            switch kind {
            case .ok: return .ok(isRepeated: isRepeated)
            case .error(let code, let reason): return .error(code: code, reason: reason)
            case .repeated: isRepeated = true
            case .inquiry: try send("CAN")
            case .data, .other: continue
            }
        }
    }

    // What the line up to `end` is; what was typed is copied to where it belongs.
    private func take(
        _ end: Int, into answer: inout SecretBuffer
    ) throws(PinentryFault) -> PinentryLine.Kind {
        try pending.withBytes { all throws(PinentryFault) in
            let hasReturn = end > 0 && all[end - 1] == UInt8(ascii: "\r")
            let line = all.extracting(0..<(hasReturn ? end - 1 : end))
            guard let kind = PinentryLine.kind(line) else { throw .notUnderstood }
            if case .data(let start) = kind {
                try PinentryLine.append(line.extracting(start..<line.count), to: &answer)
            }
            return kind
        }
    }

    // Waits until a whole line is there; gives the place of its end.
    private mutating func receiveLine(until deadline: Int64) throws(PinentryFault) -> Int {
        var searched = 0
        while true {
            let from = searched
            let end = pending.withBytes { all in
                var place = from
                while place < all.count, all[place] != UInt8(ascii: "\n") { place += 1 }
                return place
            }
            if end < pending.count { return end }
            searched = end
            guard pending.count < pending.capacity else { throw .notUnderstood }
            try wait(until: deadline)
            guard try read() > 0 else { throw .ended }
        }
    }

    private mutating func read() throws(PinentryFault) -> Int {
        let number = fromProgram.rawValue
        do throws(Errno) {
            return try pending.appendUpTo(pending.capacity - pending.count) {
                room throws(Errno) in try Files.read(number, into: &room)
            }
        } catch { throw .system(error) }
    }

    private func wait(until deadline: Int64) throws(PinentryFault) {
        let left = max(0, deadline - Clock.monotonicMilliseconds())
        let ready: (first: PollEvents, second: PollEvents)
        do {
            ready = try Poll.wait(
                fromProgram.rawValue, for: .readable, or: signals, timeoutMilliseconds: left)
        } catch { throw .system(error) }
        // First of all: a key that interrupts reaches the program too, which then says so.
        if !ready.second.isEmpty { throw .interrupted }
        if ready.first.isEmpty { throw .silent }
    }

    /// Has the program end, and does not return before it has.
    ///
    /// - Parameter hasAnswered: whether it waits for another command, and so will go by itself.
    consuming func end(hasAnswered: Bool) {
        if hasAnswered { try? send("BYE") }
        let pid = self.pid
        close()
        ChildProcess.end(pid, patienceMilliseconds: hasAnswered ? Self.patience : 0)
    }

    private consuming func close() {}
}
