import JSON
import SecretMemory
import Varlink

/// The calls of one command and the answers to them, all in one locked arena.
struct Exchange: ~Copyable {
    /// Bytes of the longest answer: the daemon's own limit on a message.
    static let maximumReply = 65_536
    /// Bytes that most answers fit into.
    private static let replyCapacity = 1024

    let arena: SecretArena
    private var connection: DaemonConnection
    private var reply: SecretBuffer
    private var index = JSONIndex(limits: JSONLimits(maximumBytes: maximumReply))
    // Where in `reply` the message that was received last stands.
    private var start = 0
    private var end = 0

    /// The daemon's socket.
    var path: String { connection.path }

    /// Bytes of locked memory for commands that meet the token; only what is touched is locked.
    static let smallMemory = 65_536

    /// Finds or starts the daemon, and makes room for what is to be said.
    ///
    /// - Parameter memory: bytes of locked memory.
    static func start(
        _ options: GlobalOptions, memory: Int
    ) throws(CommandFailure) -> Exchange {
        let connection = try DaemonFinder(options: options, sendsSecret: false).findOrStart()
        return try Exchange(connection, makeArena(memory))
    }

    /// Locked memory for one command.
    static func makeArena(_ capacity: Int) throws(CommandFailure) -> SecretArena {
        do {
            return try SecretArena(capacity: capacity, preferring: .lockedPages)
        } catch { throw CommandFailure(error) }
    }

    /// Takes over a connection.
    init(_ connection: consuming DaemonConnection, _ arena: SecretArena) throws(CommandFailure) {
        self.arena = arena
        self.connection = connection
        do {
            reply = try SecretBuffer(
                arena: arena, capacity: Self.replyCapacity, limit: Self.maximumReply)
        } catch { throw CommandFailure(error) }
    }

    /// Sends a call without parameters, or with the one that several have.
    ///
    /// - Parameter minimum: `min_validity` in seconds; left out when it is 0, its default.
    mutating func send(_ method: StaticString, minimum: Int64 = 0) throws(CommandFailure) {
        try send(limit: 128) { out throws(SecretMemoryError) in
            var writer = try MessageWriter.beginCall(method, &out)
            if minimum != 0 { try writer.field("min_validity", minimum, &out) }
            try writer.end(&out)
        }
    }

    /// Sends a call, or several.
    ///
    /// - Parameters:
    ///   - limit: bytes that they may have.
    ///   - write: writes them with `MessageWriter`.
    mutating func send(
        limit: Int, _ write: (inout SecretBuffer) throws(SecretMemoryError) -> Void
    ) throws(CommandFailure) {
        let calls: SecretBuffer
        do {
            calls = try Self.calls(limit, arena, write)
        } catch { throw CommandFailure(error) }
        try connection.send(calls)
    }

    private static func calls(
        _ limit: Int, _ arena: SecretArena,
        _ write: (inout SecretBuffer) throws(SecretMemoryError) -> Void
    ) throws(SecretMemoryError) -> SecretBuffer {
        var calls = try SecretBuffer(arena: arena, capacity: 128, limit: limit)
        try write(&calls)
        return calls
    }

    /// Receives the answer to the call that waits longest for one.
    mutating func receive() throws(CommandFailure) {
        // One after the terminator of the message before.
        start = end == 0 ? 0 : end + 1
        end = try connection.receive(into: &reply, from: start)
    }

    /// Lends the text of the answer that was received last.
    func withText<R>(
        _ body: (Span<UInt8>) throws(CommandFailure) -> R
    ) throws(CommandFailure) -> R {
        let range = start..<end
        return try reply.withBytes { all throws(CommandFailure) in
            try body(all.extracting(range))
        }
    }

    /// Reads the answer that was received last, and lends what it says.
    ///
    /// - Parameter body: gets the answer, which is no error, its index and its text.
    /// - Throws: the failure that an error stands for, in the words of `task`.
    mutating func read<R: ~Copyable>(
        _ task: CommandFailure.Task,
        _ body: (ClientReply, borrowing JSONIndex, Span<UInt8>) throws(CommandFailure) -> R
    ) throws(CommandFailure) -> R {
        let range = start..<end
        let path = self.path
        return try reply.withBytes { all throws(CommandFailure) in
            let text = all.extracting(range)
            let answer: ClientReply
            do {
                answer = try ClientReply(reading: text, with: &index)
            } catch { throw .notUnderstood(path) }
            if let error = answer.error {
                throw CommandFailure(answer, named: error, index, text, task, arena)
            }
            return try body(answer, index, text)
        }
    }

    /// Receives an answer and reads it.
    mutating func receive<R: ~Copyable>(
        _ task: CommandFailure.Task,
        _ body: (ClientReply, borrowing JSONIndex, Span<UInt8>) throws(CommandFailure) -> R
    ) throws(CommandFailure) -> R {
        do throws(CommandFailure) {
            try receive()
        } catch { throw error.unanswered(task) }
        return try read(task, body)
    }
}
