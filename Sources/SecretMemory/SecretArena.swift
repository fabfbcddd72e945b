import CLinux
import CSodium
import Glibc

/// One locked region of memory from which every secret is cut.
///
/// A fixed region has three virtues: locking is decided once and known, the limit on locked memory
/// (RLIMIT_MEMLOCK) is met at start and not in the middle of a login, and whoever looks for secrets
/// knows the only place where they may be. Blocks are powers of two (a buddy system), so that any
/// order of requests leaves the region whole again once all are given back. The book-keeping stands
/// outside the region and says nothing but which blocks are taken.
///
/// An arena belongs to one thread.
@safe package final class SecretArena {
    /// What to ask the kernel for.
    package enum Preference: Equatable, Sendable {
        /// memfd_secret(2), which not even root can read through /proc; locked pages where the
        /// kernel lacks it or refuses. It costs some 45 µs and blocks hibernation while it lives.
        case secretFile
        /// Private pages, locked and left out of core dumps. Some 10 µs.
        case lockedPages
    }

    /// What the kernel gave.
    package enum Backing: Equatable, Sendable {
        /// memfd_secret(2): locked by its nature.
        case secretFile
        /// Private pages that mlock2(2) has locked.
        case lockedPages
        /// Private pages; locking them was refused, and they may reach the swap.
        case unlockedPages
    }

    /// The smallest block, in bytes.
    package static let granule = 64

    /// How the region was had.
    package let backing: Backing
    /// Bytes that can be had in all.
    package let capacity: Int
    /// Bytes in blocks that are taken.
    package private(set) var used = 0
    private let base: UnsafeMutableRawPointer
    private let topOrder: Int
    // One bit for each block of each order: set when that block is free as a whole. No array: the
    // first one that a process makes costs it 20,000 instructions, ten times as many as all else in here.
    private let free: UnsafeMutablePointer<UInt64>

    /// Whether every page is locked in memory.
    package var isLocked: Bool { backing != .unlockedPages }

    /// Maps a region with an unreadable page on either side.
    ///
    /// - Parameters:
    ///   - capacity: bytes; rounded up to a power of two of at least a page.
    ///   - preferring: what to try first.
    /// - Throws: `.unavailable` when the kernel gives no memory.
    package init(capacity: Int, preferring: Preference) throws(SecretMemoryError) {
        let page = Int(getpagesize())
        var size = page
        while size < capacity { size *= 2 }
        self.capacity = size
        var order = 0
        while Self.granule << order < size { order += 1 }
        topOrder = order
        // SAFETY: a fresh reservation; the pages at both ends stay unreadable.
        let around = unsafe mmap(
            nil, size + 2 * page, PROT_NONE, MAP_PRIVATE | Int32(MAP_ANONYMOUS), -1, 0)
        guard let around = unsafe around, unsafe around != MAP_FAILED else {
            throw .unavailable(errno: errno)
        }
        unsafe base = unsafe around + page
        // Two bits for each granule are enough for all orders.
        let words = (2 * size / Self.granule + 63) / 64
        unsafe free = .allocate(capacity: words)
        unsafe free.initialize(repeating: 0, count: words)
        let whole = 2 * (size / Self.granule - 1)
        unsafe free[whole / 64] |= 1 << UInt64(whole % 64)
        if preferring == .secretFile, unsafe Self.mapSecretFile(over: base, size) {
            backing = .secretFile
            return
        }
        guard unsafe mprotect(base, size, PROT_READ | PROT_WRITE) == 0 else {
            unsafe free.deallocate()
            throw .unavailable(errno: errno)
        }
        unsafe madvise(base, size, Int32(MADV_DONTDUMP))
        unsafe madvise(base, size, Int32(MADV_DONTFORK))
        // On fault: a page is locked as it is first touched, so that an idle arena costs nothing.
        // The limit is still met here, for the whole region.
        backing = unsafe clinux_mlock_onfault(base, size) == 0 ? .lockedPages : .unlockedPages
    }

    deinit {
        let page = Int(getpagesize())
        // SAFETY: every block's owner keeps the arena alive, so none is left.
        unsafe munmap(base - page, capacity + 2 * page)
        unsafe free.deallocate()
    }

    /// Cuts a block of at least `count` bytes, all zero.
    ///
    /// - Throws: `.exhausted` when no block of that size is free. Nothing falls back to the heap.
    package func allocate(_ count: Int) throws(SecretMemoryError) -> SecretBytes {
        guard count <= capacity else { throw .exhausted }
        let order = Self.order(for: count)
        guard let index = take(order) else { throw .exhausted }
        let size = Self.granule << order
        used += size
        // SAFETY: the block lies within the region, and is this owner's alone until it is released.
        return unsafe SecretBytes(
            arena: self, start: base + index * size, blockSize: size, count: count)
    }

    private static func order(for count: Int) -> Int {
        let granules = max(1, (count + granule - 1) / granule)
        return Int.bitWidth - (granules - 1).leadingZeroBitCount
    }

    // Gives the index of a block among those of its order.
    private func take(_ order: Int) -> Int? {
        var level = order
        var found = firstFree(level)
        while found == nil, level < topOrder {
            level += 1
            found = firstFree(level)
        }
        guard var index = found else { return nil }
        setFree(level, index, false)
        while level > order {
            level -= 1
            index *= 2
            setFree(level, index + 1, true)
        }
        return index
    }

    func release(_ start: UnsafeMutableRawPointer, _ size: Int) {
        // SAFETY: the block came from `allocate` and is given back once, by its owner's deinit.
        unsafe sodium_memzero(start, size)
        used -= size
        var level = Self.order(for: size)
        var index = unsafe (start - base) / size
        while level < topOrder, isFree(level, index ^ 1) {
            setFree(level, index ^ 1, false)
            index /= 2
            level += 1
        }
        setFree(level, index, true)
    }

    // The bits of an order follow those of the orders below it.
    private func firstBit(_ level: Int) -> Int {
        let granules = capacity / Self.granule
        return 2 * (granules - granules >> level)
    }

    private func blockCount(_ level: Int) -> Int { capacity / (Self.granule << level) }

    private func firstFree(_ level: Int) -> Int? {
        let first = firstBit(level)
        let end = first + blockCount(level)
        var word = first / 64
        while word * 64 < end {
            // SAFETY: the words reach to the last order's last bit.
            var bits = unsafe free[word]
            if word * 64 < first { bits &= ~0 << UInt64(first - word * 64) }
            if bits != 0 {
                let bit = word * 64 + bits.trailingZeroBitCount
                return bit < end ? bit - first : nil
            }
            word += 1
        }
        return nil
    }

    private func isFree(_ level: Int, _ index: Int) -> Bool {
        precondition(index >= 0 && index < blockCount(level), "no such block")
        let bit = firstBit(level) + index
        // SAFETY: the words reach to the last order's last bit.
        return unsafe free[bit / 64] & (1 << UInt64(bit % 64)) != 0
    }

    private func setFree(_ level: Int, _ index: Int, _ value: Bool) {
        precondition(index >= 0 && index < blockCount(level), "no such block")
        let bit = firstBit(level) + index
        let mask: UInt64 = 1 << UInt64(bit % 64)
        // SAFETY: the words reach to the last order's last bit.
        if value { unsafe free[bit / 64] |= mask } else { unsafe free[bit / 64] &= ~mask }
    }

    private static func mapSecretFile(over base: UnsafeMutableRawPointer, _ size: Int) -> Bool {
        let fd = clinux_memfd_secret(UInt32(O_CLOEXEC))
        guard fd >= 0 else { return false }
        defer { close(fd) }
        guard ftruncate(fd, size) == 0 else { return false }
        // SAFETY: replaces pages of our own reservation; nobody else holds the descriptor. A
        // failed fixed mapping may leave a hole there, which the second call fills again.
        let region = unsafe mmap(
            base, size, PROT_READ | PROT_WRITE, MAP_SHARED | Int32(MAP_FIXED), fd, 0)
        guard unsafe region != MAP_FAILED else {
            unsafe mmap(
                base, size, PROT_NONE, MAP_PRIVATE | Int32(MAP_ANONYMOUS) | Int32(MAP_FIXED), -1, 0)
            return false
        }
        unsafe madvise(base, size, Int32(MADV_DONTFORK))
        return true
    }
}
