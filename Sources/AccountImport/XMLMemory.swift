import CExpat
import Glibc
import SecretMemory

/// The memory that expat works in: it copies what it reads, and so tokens, into buffers of its own,
/// which come from the arena and are wiped when it gives them back. XML_ParserCreate_MM
///
/// expat's functions for memory are not told whose parser asks; a thread says so beforehand.
@safe final class XMLMemory {
    private final class Block {
        var bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

        /// Where it begins; good as long as the block lives.
        var start: UnsafeMutableRawPointer? {
            unsafe bytes.withMutableBytes { span in
                unsafe span.withUnsafeMutableBytes { $0.baseAddress }
            }
        }
    }

    // The memory that the thread's parser works in.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // SAFETY: one number to fill.
        precondition(unsafe pthread_key_create(&key, nil) == 0, "no key for the thread is left")
        return key
    }()

    private let arena: SecretArena
    private var blocks: [UInt: Block] = [:]

    init(_ arena: SecretArena) { self.arena = arena }

    /// Lends `body` the functions that a parser is made with; the parser must be gone when it ends.
    func lend<R: ~Copyable, E: Error>(
        _ body: (UnsafePointer<XML_Memory_Handling_Suite>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: this object outlives the call, at whose end the value before is put back.
        let before = unsafe pthread_getspecific(Self.key)
        let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pthread_setspecific(Self.key, pointer)
        defer { unsafe pthread_setspecific(Self.key, before) }
        var suite = unsafe XML_Memory_Handling_Suite(
            malloc_fcn: { size in unsafe XMLMemory.current?.allocate(size) },
            realloc_fcn: { old, size in unsafe XMLMemory.current?.reallocate(old, size) },
            free_fcn: { old in unsafe XMLMemory.current?.free(old) })
        return try unsafe body(&suite)
    }

    private static var current: XMLMemory? {
        // SAFETY: it was set to an object that lives until it is set to nil.
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<XMLMemory>.fromOpaque(pointer).takeUnretainedValue()
    }

    // nil when the arena is full, which expat reports.
    private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let bytes = try? arena.allocate(size) else { return nil }
        let block = Block(bytes)
        guard let start = unsafe block.start else { return nil }
        blocks[UInt(bitPattern: start)] = block
        return unsafe start
    }

    private func reallocate(
        _ old: UnsafeMutableRawPointer?, _ size: Int
    ) -> UnsafeMutableRawPointer? {
        guard let old = unsafe old else { return unsafe allocate(size) }
        guard let block = blocks[UInt(bitPattern: old)] else { return nil }
        if size <= block.bytes.count { return unsafe old }
        guard let new = unsafe allocate(size) else { return nil }
        // SAFETY: the old block has that many bytes, the new one more, and they are two.
        unsafe new.copyMemory(from: old, byteCount: block.bytes.count)
        unsafe free(old)
        return unsafe new
    }

    private func free(_ old: UnsafeMutableRawPointer?) {
        guard let old = unsafe old else { return }
        blocks[UInt(bitPattern: old)] = nil
    }
}
