import CLinux
import CSodium
import Glibc

/// Secret bytes with one owner, wiped when the owner goes.
///
/// The bytes are lent to closures as spans and never copied out: there is no `String`, no array, no
/// description of them. What must leave locked memory leaves through a system call on a span.
@safe package struct SecretBytes: ~Copyable {
    fileprivate let arena: SecretArena
    let start: UnsafeMutableRawPointer
    /// The bytes that the block has room for, at least `count`.
    let blockSize: Int
    /// How many bytes were asked for; the block may be larger.
    package let count: Int

    init(arena: SecretArena, start: UnsafeMutableRawPointer, blockSize: Int, count: Int) {
        self.arena = arena
        unsafe self.start = unsafe start
        self.blockSize = blockSize
        self.count = count
    }

    deinit { unsafe arena.release(start, blockSize) }

    /// Lends the bytes.
    package func withBytes<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the block is this value's alone while it lives; the span cannot outlive the call.
        let lent = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return try body(unsafe Span<UInt8>(_unsafeBytes: lent))
    }

    /// Lends the bytes for writing.
    package mutating func withMutableBytes<R: ~Copyable, E: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: as above, and `mutating` makes the access exclusive.
        let lent = unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
        var span = unsafe MutableSpan<UInt8>(_unsafeBytes: lent)
        return try body(&span)
    }

    /// Lends the first bytes for writing.
    package mutating func withMutableBytes<R: ~Copyable, E: Error>(
        first length: Int, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(length <= count, "lends more than there is")
        return try withMutableBlock(0..<length, body)
    }

    /// Compares in a time that depends on the counts alone. sodium_memcmp(3)
    package func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        // SAFETY: both blocks hold `count` bytes.
        return unsafe sodium_memcmp(start, other.start, count) == 0
    }
}

/// Overwrites the part of the stack below the caller, and the registers that a call may change.
///
/// libsodium leaves one copy of derived keys in the frames it has returned from; called after each
/// key operation, this clears them. sodium_stackzero(3)
package func wipeStack() {
    // The registers first: whatever saves them on the stack afterwards saves zeros.
    clinux_clear_registers()
    sodium_stackzero(16 * 1024)
}

extension MutableSpan where Element == UInt8 {
    /// Overwrites all bytes with zeros that the compiler may not leave out. sodium_memzero(3)
    package mutating func wipe() { wipe(first: count) }

    /// Overwrites the first bytes with zeros that the compiler may not leave out.
    package mutating func wipe(first length: Int) {
        precondition(length >= 0 && length <= count, "wipes more than there is")
        unsafe withUnsafeMutableBufferPointer { bytes in
            // SAFETY: the pointer is the span's own, and the length was compared with its count.
            unsafe sodium_memzero(bytes.baseAddress, length)
        }
    }
}

extension SecretBytes {
    /// Lends the whole block, past `count` too.
    func withFullBlock<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the block is this value's alone while it lives; the span cannot outlive the call.
        let lent = unsafe UnsafeRawBufferPointer(start: start, count: blockSize)
        return try body(unsafe Span<UInt8>(_unsafeBytes: lent))
    }

    /// Lends a part of the block for writing, past `count` too.
    mutating func withMutableBlock<R: ~Copyable, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= blockSize, "outside the block")
        // SAFETY: as above, and `mutating` makes the access exclusive.
        let lent = unsafe UnsafeMutableRawBufferPointer(
            start: start + range.lowerBound, count: range.count)
        var span = unsafe MutableSpan<UInt8>(_unsafeBytes: lent)
        return try body(&span)
    }
}

extension MutableSpan where Element == UInt8 {
    /// Copies all of `source` to the start.
    package mutating func copy(from source: Span<UInt8>) {
        precondition(source.count <= count, "the source is longer")
        unsafe withUnsafeMutableBufferPointer { to in
            unsafe source.withUnsafeBufferPointer { from in
                // SAFETY: both counts were compared above; a span and a mutable span never overlap.
                guard let target = to.baseAddress, let start = from.baseAddress else {
                    return
                }
                unsafe target.update(from: start, count: from.count)
            }
        }
    }
}

extension SecretBytes {
    /// Random bytes. randombytes_buf(3)
    package static func random(
        _ count: Int, in arena: SecretArena
    ) throws(SecretMemoryError) -> SecretBytes {
        let bytes = try arena.allocate(count)
        // Chooses the generator, once; a failure would abort in the call itself.
        _ = sodium_init()
        // SAFETY: the block has room for `count` bytes.
        unsafe randombytes_buf(bytes.start, count)
        wipeStack()
        return bytes
    }

    /// A copy of what a buffer holds.
    package init(
        copying buffer: borrowing SecretBuffer, in arena: SecretArena
    ) throws(SecretMemoryError) {
        self = try arena.allocate(buffer.count)
        let count = buffer.count
        buffer.withBytes { from in self.withMutableBlock(0..<count) { $0.copy(from: from) } }
    }

    /// A second copy.
    package func copy(in arena: SecretArena) throws(SecretMemoryError) -> SecretBytes {
        var copy = try arena.allocate(count)
        withBytes { from in copy.withMutableBytes { $0.copy(from: from) } }
        return copy
    }
}

// The closures above suffice everywhere but on the way of a query: the compiler makes no code of its
// own for them in another module, and each costs as much as a system call's entry.
extension SecretBytes {
    /// The bytes, bound to their owner's life.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            // SAFETY: the block is this value's alone while it lives, and the span is bound to it.
            let lent = unsafe UnsafeRawBufferPointer(start: start, count: count)
            return unsafe _overrideLifetime(Span<UInt8>(_unsafeBytes: lent), borrowing: self)
        }
    }

    /// The first bytes for writing, bound to their owner's life.
    @_lifetime(&self)
    package mutating func mutableBytes(first length: Int) -> MutableSpan<UInt8> {
        precondition(length >= 0 && length <= count, "more than there is")
        // SAFETY: as above, and the access is exclusive as long as the span lives.
        let lent = unsafe UnsafeMutableRawBufferPointer(start: start, count: length)
        let span = unsafe MutableSpan<UInt8>(_unsafeBytes: lent)
        return unsafe _overrideLifetime(span, mutating: &self)
    }
}
