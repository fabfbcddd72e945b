import Accounts
import JSON
import LinuxSystem
import SecretMemory

/// What a command prints, put together in locked memory and written at once, so that a full disk
/// leaves no half of an answer that looks like a whole one.
struct Output: ~Copyable {
    private var buffer: SecretBuffer

    /// Makes an empty one.
    ///
    /// - Parameters:
    ///   - capacity: bytes to have room for at once.
    ///   - limit: bytes it may grow to.
    init(_ arena: SecretArena, capacity: Int, limit: Int) throws(CommandFailure) {
        do {
            buffer = try SecretBuffer(arena: arena, capacity: capacity, limit: limit)
        } catch { throw CommandFailure(error) }
    }

    /// Appends a text of the program.
    mutating func append(_ text: StaticString) throws(CommandFailure) {
        do { try buffer.append(text) } catch { throw CommandFailure(error) }
    }

    /// Appends bytes as they are.
    mutating func append(_ bytes: Span<UInt8>) throws(CommandFailure) {
        do { try buffer.append(bytes) } catch { throw CommandFailure(error) }
    }

    /// Appends a number.
    mutating func append(_ number: Int64) throws(CommandFailure) {
        do { try buffer.appendJSON(number) } catch { throw CommandFailure(error) }
    }

    /// Appends text from elsewhere, its control characters escaped.
    mutating func append(escaping text: String) throws(CommandFailure) {
        try append(ControlCharacters.escaped(text).utf8.span)
    }

    /// Appends a time as RFC 3339 writes it, in UTC.
    mutating func append(date seconds: Int64) throws(CommandFailure) {
        try append(CivilTime.rfc3339(seconds).utf8.span)
    }

    /// Appends a decoded JSON string.
    mutating func append(
        decoding node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) throws(CommandFailure) {
        do {
            try index.appendString(node, in: text, to: &buffer)
        } catch { throw CommandFailure(error) }
    }

    /// Appends an access token, once it is seen to be one.
    ///
    /// A server that is not ours could answer with a line's end and a second header behind it.
    ///
    /// - Returns: whether it is one; if not, what has been put together must not be written.
    mutating func append(
        token node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) throws(CommandFailure) -> Bool {
        let start = buffer.count
        try append(decoding: node, index, text)
        return buffer.withBytes {
            AccountField.check(accessToken: $0.extracting(start..<$0.count)) == nil
        }
    }

    /// Writes everything and empties itself. write(2)
    mutating func flush(to descriptor: Int32) throws(CommandFailure) {
        do {
            try buffer.withBytes { bytes throws(Errno) in
                try StandardStream.writeAll(bytes, to: descriptor)
            }
        } catch { throw .standardOutput(error) }
        buffer.removeAll()
    }
}

extension CommandFailure {
    /// Standard output could not be written.
    static func standardOutput(_ errno: Errno) -> CommandFailure {
        .system("cannot write to standard output", errno)
    }

    /// Secret memory could not be had.
    init(_ error: SecretMemoryError) {
        switch error {
        case .exhausted, .overLimit:
            self.init(.systemRefused, "an answer is larger than this program has room for")
        case .unavailable(let number):
            self = .system("cannot have locked memory", Errno(rawValue: number))
        }
    }
}
