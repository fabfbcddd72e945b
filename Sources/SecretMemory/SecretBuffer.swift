/// Secret bytes that are appended at the end and consumed from the front, up to a limit.
///
/// It grows by moving to a larger block; the one it leaves is wiped. What is consumed is wiped.
package struct SecretBuffer: ~Copyable {
    private let arena: SecretArena
    private let charged: Charged
    private var storage: SecretBytes
    /// The most bytes it will ever hold.
    package let limit: Int
    /// Bytes it holds.
    package private(set) var count = 0

    // As a field of its own, the optional reference would be destroyed by way of its type's metadata,
    // whose making costs a short-lived process 35,000 instructions.
    private struct Charged {
        let budget: SecretBudget?
    }

    /// Makes an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: bytes to have room for at once.
    ///   - limit: bytes it may grow to; by default it does not grow.
    ///   - budget: what its blocks are charged to.
    /// - Throws: `.exhausted` when the arena or the budget has no room.
    package init(
        arena: SecretArena, capacity: Int, limit: Int? = nil, budget: SecretBudget? = nil
    ) throws(SecretMemoryError) {
        let bytes = try arena.allocate(max(1, capacity))
        try budget?.charge(bytes.blockSize)
        storage = bytes
        self.arena = arena
        charged = Charged(budget: budget)
        self.limit = max(limit ?? capacity, capacity)
    }

    private var budget: SecretBudget? { charged.budget }

    deinit { charged.budget?.refund(storage.blockSize) }

    /// Whether nothing is in it.
    package var isEmpty: Bool { count == 0 }
    /// Bytes that fit without growing.
    package var capacity: Int { min(storage.blockSize, limit) }
    /// Bytes of secret memory that it occupies.
    package var footprint: Int { storage.blockSize }

    /// Makes room for `extra` more bytes.
    ///
    /// - Throws: `.overLimit` past the limit, `.exhausted` when there is no larger block.
    package mutating func reserve(_ extra: Int) throws(SecretMemoryError) {
        guard extra <= limit - count else { throw .overLimit }
        guard count + extra > capacity else { return }
        var larger = try arena.allocate(min(limit, max(count + extra, 2 * capacity)))
        try budget?.charge(larger.blockSize)
        let count = self.count
        storage.withFullBlock { old in
            larger.withMutableBlock(0..<count) { $0.copy(from: old.extracting(0..<count)) }
        }
        budget?.refund(storage.blockSize)
        storage = larger
    }

    /// Appends one byte.
    package mutating func append(_ byte: UInt8) throws(SecretMemoryError) {
        if count == capacity { try reserve(1) }
        storage.withMutableBlock(count..<(count + 1)) { $0[0] = byte }
        self.count += 1
    }

    /// Appends the lowest `size` bytes, 1 to 8, of an integer, the highest of them first.
    package mutating func append(
        bigEndian value: UInt64, size: Int
    ) throws(SecretMemoryError) {
        precondition(size >= 1 && size <= 8, "no size of an integer")
        if size > capacity - count { try reserve(size) }
        let shift = UInt64(64 - 8 * size)
        storage.withMutableBlock(count..<(count + size)) { block in
            var rest = value << shift
            for index in 0..<size {
                block[index] = UInt8(truncatingIfNeeded: rest >> 56)
                rest <<= 8
            }
        }
        self.count += size
    }

    /// Appends a copy of the bytes.
    package mutating func append(_ bytes: Span<UInt8>) throws(SecretMemoryError) {
        try reserve(bytes.count)
        storage.withMutableBlock(count..<(count + bytes.count)) { $0.copy(from: bytes) }
        self.count += bytes.count
    }

    /// Appends a text that is part of the program.
    package mutating func append(_ text: StaticString) throws(SecretMemoryError) {
        // SAFETY: a static string lives as long as the program.
        let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        try append(unsafe bytes.span)
    }

    /// Lets `body` write at the end and say how many bytes it wrote.
    ///
    /// - Parameter count: bytes of room that `body` gets, at the most.
    package mutating func appendUpTo<E: Error>(
        _ count: Int, _ body: (inout MutableSpan<UInt8>) throws(E) -> Int
    ) throws(E) -> Int {
        let start = self.count
        let end = min(capacity, start + count)
        let written = try storage.withMutableBlock(start..<end, body)
        precondition(written >= 0 && written <= end - start, "wrote past the room given")
        self.count += written
        return written
    }

    /// Consumes bytes from the front; what follows moves up and the end is wiped.
    package mutating func removeFirst(_ removed: Int) {
        precondition(removed >= 0 && removed <= count, "removes more than there is")
        let rest = count - removed
        storage.withMutableBlock(0..<count) { block in
            for index in 0..<rest { block[index] = block[index + removed] }
        }
        storage.withMutableBlock(rest..<count) { $0.wipe() }
        self.count = rest
    }

    /// Shortens it to its first `kept` bytes; the rest is wiped.
    package mutating func truncate(to kept: Int) {
        precondition(kept >= 0 && kept <= count, "keeps more than there is")
        storage.withMutableBlock(kept..<count) { $0.wipe() }
        self.count = kept
    }

    /// Empties and wipes it; the room stays.
    package mutating func removeAll() { truncate(to: 0) }

    /// Lends what it holds.
    package func withBytes<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the block has room for `count` bytes, and the span cannot outlive the call.
        let lent = unsafe UnsafeRawBufferPointer(start: storage.start, count: count)
        return try body(unsafe Span<UInt8>(_unsafeBytes: lent))
    }

    /// Lends what it holds for writing.
    package mutating func withMutableBytes<R: ~Copyable, E: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try storage.withMutableBlock(0..<count, body)
    }
}

extension SecretBuffer {
    /// A second buffer with the same content, which has room for no more.
    package func copy(in arena: SecretArena) throws(SecretMemoryError) -> SecretBuffer {
        var copy = try SecretBuffer(arena: arena, capacity: count)
        try withBytes { bytes throws(SecretMemoryError) in try copy.append(bytes) }
        return copy
    }
}

extension SecretBuffer {
    /// Lends what it holds; for the way of a query, where a generic closure costs too much.
    package func lend(_ body: (Span<UInt8>) -> Void) { body(bytes) }

    /// What it holds, bound to its own life; for the way of a query, as `SecretBytes.bytes` is.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            // SAFETY: the block has room for `count` bytes, and the span is bound to its owner.
            let lent = unsafe UnsafeRawBufferPointer(start: storage.start, count: count)
            return unsafe _overrideLifetime(Span<UInt8>(_unsafeBytes: lent), borrowing: self)
        }
    }
}
