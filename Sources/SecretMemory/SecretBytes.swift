import CLinux
import CSodium
import Glibc

/// Secret bytes with one owner, wiped when the owner goes.
///
/// The bytes are lent to closures as spans and never copied out: there is no `String`, no array, no
/// description of them. What must leave locked memory leaves through a system call on a span.
@safe package struct SecretBytes: ~Copyable {
    fileprivate let arena: SecretArena
    @usableFromInline let start: UnsafeMutableRawPointer
    /// The bytes that the block has room for, at least `count`.
    @usableFromInline let blockSize: Int
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
    ///
    /// Inlined where it is called, as every query comes through here.
    @inlinable @inline(__always) package func withBytes<R, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the block is this value's alone while it lives; the span cannot outlive the call.
        let lent = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return try body(unsafe Span<UInt8>(_unsafeBytes: lent))
    }

    /// Lends the bytes for writing.
    @inlinable @inline(__always) package mutating func withMutableBytes<R, E: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: as above, and `mutating` makes the access exclusive.
        let lent = unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
        var span = unsafe MutableSpan<UInt8>(_unsafeBytes: lent)
        return try body(&span)
    }

    /// Lends the first bytes for writing.
    package mutating func withMutableBytes<R, E: Error>(
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
    @inlinable @inline(__always) func withFullBlock<R, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the block is this value's alone while it lives; the span cannot outlive the call.
        let lent = unsafe UnsafeRawBufferPointer(start: start, count: blockSize)
        return try body(unsafe Span<UInt8>(_unsafeBytes: lent))
    }

    /// Lends a part of the block for writing, past `count` too.
    @inlinable @inline(__always) mutating func withMutableBlock<R, E: Error>(
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

extension SecretBytes {
    /// Lends the bytes to what makes something from them that cannot be copied.
    ///
    /// Apart from `withBytes`, which the compiler makes code for where it is called: that it does not
    /// do for a result that may be any type at all.
    package func makeFromBytes<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the block is this value's alone while it lives; the span cannot outlive the call.
        let lent = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return try body(unsafe Span<UInt8>(_unsafeBytes: lent))
    }
}
