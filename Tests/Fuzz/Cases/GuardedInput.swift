import Glibc

/// Room for an input whose end is the end of what may be read: one byte more stops the process, as
/// the address sanitizer would.
@safe final class GuardedInput {
    private let start: UnsafeMutableRawPointer
    private let size: Int
    private let page = Int(getpagesize())

    init(limit: Int) {
        size = (limit + page - 1) / page * page
        // SAFETY: a fresh mapping of our own, whose last page nobody may touch.
        let mapped = unsafe mmap(
            nil, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED,
            unsafe mprotect(mapped + size, page, PROT_NONE) == 0
        else { preconditionFailure("no memory for an input") }
        unsafe start = mapped
    }

    deinit { unsafe munmap(start, size + page) }

    /// Lends a copy of the bytes, of which there are at most as many as there is room for.
    func withBytes(_ bytes: [UInt8], _ body: (Span<UInt8>) throws -> Void) rethrows {
        precondition(bytes.count <= size, "the input is too long")
        // SAFETY: the copy ends where the last page begins.
        let copy = unsafe UnsafeMutableRawBufferPointer(
            start: start + size - bytes.count, count: bytes.count)
        unsafe copy.copyBytes(from: bytes)
        try body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(copy)))
    }
}
