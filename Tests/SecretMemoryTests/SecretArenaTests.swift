import SecretMemory
import TestSupport
import Testing

@Suite struct SecretArenaTests {
    @Test(
        "the capacity is the next power of two of at least a page",
        arguments: [(0, 4096), (1, 4096), (4096, 4096), (4097, 8192), (70_000, 131_072)])
    func capacity(asked: Int, given: Int) throws {
        #expect(try SecretArena.forTest(capacity: asked).capacity == given)
    }

    @Test(
        "a block is the next power of two of at least 64 bytes",
        arguments: [
            (0, 64), (1, 64), (64, 64), (65, 128), (128, 128), (129, 256), (4096, 4096),
            (4097, 8192), (8192, 8192),
        ])
    func blockSizes(count: Int, size: Int) throws {
        let arena = try SecretArena.forTest(capacity: 8192)
        do {
            let bytes = try arena.allocate(count)
            #expect(bytes.count == count)
            #expect(arena.used == size)
        }
        #expect(arena.used == 0)
    }

    @Test("more than the capacity is exhaustion, at once and for ever", arguments: [8193, Int.max])
    func tooLarge(count: Int) throws {
        let arena = try SecretArena.forTest(capacity: 8192)
        #expect(throws: SecretMemoryError.exhausted) { _ = try arena.allocate(count) }
        #expect(arena.used == 0)
    }

    @Test("a full arena gives nothing, and gives again what was given back")
    func exhaustion() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        var blocks: [Block] = []
        for mark in 1...64 { blocks.append(Block(try arena.allocate(64), mark: UInt8(mark))) }
        #expect(arena.used == arena.capacity)
        #expect(throws: SecretMemoryError.exhausted) { _ = try arena.allocate(1) }
        let freed = blocks.remove(at: 17).address
        #expect(try arena.allocate(64).address == freed)
        #expect(blocks.allSatisfy { $0.isIntact })
    }

    @Test("two halves that are free again are whole again, whatever came back first")
    func coalescing() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
            var quarters: [Block?] = []
            for mark in 1...4 {
                quarters.append(Block(try arena.allocate(1024), mark: UInt8(mark)))
            }
            for index in order {
                #expect(throws: SecretMemoryError.exhausted) { _ = try arena.allocate(4096) }
                quarters[index] = nil
            }
            #expect(try arena.allocate(4096).count == 4096)
        }
    }

    @Test(
        "blocks never overlap, are aligned, come zeroed, and end whole",
        arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func randomSequences(seed: UInt64) throws {
        let arena = try SecretArena.forTest(capacity: 16_384)
        let base = try arena.allocate(16_384).address
        var random = Generator(state: seed)
        var model = Model(granules: 16_384 / 64)
        var live: [Block] = []
        for step in 0..<3000 {
            if random.below(100) < 45, !live.isEmpty {
                let block = live.remove(at: random.below(live.count))
                #expect(block.isIntact)
                model.release(block.address - base, block.count)
                continue
            }
            let count = random.below(8) == 0 ? random.below(9000) : random.below(700)
            guard model.hasRoom(for: count) else {
                #expect(throws: SecretMemoryError.exhausted) { _ = try arena.allocate(count) }
                continue
            }
            let bytes = try arena.allocate(count)
            #expect(bytes.holdsOnly(0) == true)
            let block = Block(bytes, mark: UInt8(step % 255 + 1))
            try model.take(block.address - base, count)
            live.append(block)
            #expect(arena.used == model.used)
        }
        live.removeAll()
        #expect(arena.used == 0)
        let whole = try arena.allocate(16_384)
        #expect(whole.holdsOnly(0) == true)
    }
}

/// What a buddy system may do: which granules are taken.
private struct Model {
    private var taken: [Bool]

    init(granules: Int) { taken = [Bool](repeating: false, count: granules) }

    var used: Int { taken.count { $0 } * 64 }

    private static func size(_ count: Int) -> Int {
        var size = 1
        while size * 64 < count { size *= 2 }
        return size
    }

    func hasRoom(for count: Int) -> Bool {
        let size = Self.size(count)
        return stride(from: 0, to: taken.count, by: size).contains { start in
            start + size <= taken.count && !taken[start..<(start + size)].contains(true)
        }
    }

    mutating func take(_ offset: UInt, _ count: Int) throws {
        let size = Self.size(count)
        let start = Int(offset) / 64
        try #require(Int(offset) % (size * 64) == 0)
        try #require(start + size <= taken.count)
        try #require(!taken[start..<(start + size)].contains(true))
        for index in start..<(start + size) { taken[index] = true }
    }

    mutating func release(_ offset: UInt, _ count: Int) {
        let start = Int(offset) / 64
        for index in start..<(start + Self.size(count)) { taken[index] = false }
    }
}

/// The same numbers for the same seed. xorshift64*, Vigna
struct Generator {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}
