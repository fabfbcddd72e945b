import SecretMemory
import TestSupport
import Testing

@Suite struct SecretBufferTests {
    @Test("it holds what was appended, whatever was consumed and cut", arguments: 1...8)
    func model(seed: Int) throws {
        let arena = try SecretArena.forTest()
        do {
            var random = Generator(state: UInt64(seed) &* 77)
            var buffer = try SecretBuffer(arena: arena, capacity: 10, limit: 900)
            var model: [UInt8] = []
            for _ in 0..<2000 { try step(&buffer, &model, &random) }
        }
        #expect(arena.used == 0)
        let whole = try arena.allocate(arena.capacity)
        #expect(whole.holdsOnly(0) == true)
    }

    private func step(
        _ buffer: inout SecretBuffer, _ model: inout [UInt8], _ random: inout Generator
    ) throws {
        switch random.below(7) {
        case 0, 1:
            let bytes = (0..<random.below(120)).map { UInt8($0 % 255 + 1) }
            guard model.count + bytes.count <= 900 else {
                #expect(throws: SecretMemoryError.overLimit) { try buffer.append(bytes.span) }
                return
            }
            try buffer.append(bytes.span)
            model += bytes
        case 2:
            if model.count < 900 {
                try buffer.append(7)
                model.append(7)
            } else {
                #expect(throws: SecretMemoryError.overLimit) { try buffer.append(7) }
            }
        case 3:
            let removed = random.below(model.count + 1)
            buffer.removeFirst(removed)
            model.removeFirst(removed)
        case 4:
            let kept = random.below(model.count + 1)
            buffer.truncate(to: kept)
            model.removeLast(model.count - kept)
        case 5:
            let room = random.below(60)
            let written = buffer.appendUpTo(room) { bytes in
                for position in 0..<(bytes.count / 2) { bytes[position] = 9 }
                return bytes.count / 2
            }
            #expect(written <= room / 2)
            model += [UInt8](repeating: 9, count: written)
        default:
            buffer.withMutableBytes { bytes in
                for position in bytes.indices { bytes[position] ^= 1 }
            }
            model = model.map { $0 ^ 1 }
        }
        #expect(buffer.count == model.count)
        #expect(buffer.isEmpty == model.isEmpty)
        #expect(buffer.contents == model)
        #expect(restIsWiped(buffer) == true)
    }

    /// Past its count a buffer's block is all zero.
    private func restIsWiped(_ buffer: borrowing SecretBuffer) -> Bool {
        guard !buffer.isEmpty else { return true }
        return memory(at: buffer.address, count: buffer.footprint)[buffer.count...]
            .allSatisfy { $0 == 0 }
    }

    @Test("growing wipes the block that it leaves")
    func growthWipes() throws {
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 64, limit: 4096)
        try buffer.append([UInt8](repeating: 5, count: 64).span)
        let left = buffer.address
        try buffer.append(6)
        #expect(buffer.address != left)
        #expect(memory(at: left, count: 64) == [UInt8](repeating: 0, count: 64))
        #expect(buffer.contents == [UInt8](repeating: 5, count: 64) + [6])
    }

    @Test("what is consumed, cut or removed is wiped where it stood")
    func consumedIsWiped() throws {
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 64)
        try buffer.append(([1, 2, 3, 4, 5, 6, 7, 8] as [UInt8]).span)
        let address = buffer.address
        buffer.removeFirst(3)
        #expect(memory(at: address, count: 9) == [4, 5, 6, 7, 8, 0, 0, 0, 0])
        buffer.truncate(to: 2)
        #expect(memory(at: address, count: 9) == [4, 5, 0, 0, 0, 0, 0, 0, 0])
        buffer.removeAll()
        #expect(memory(at: address, count: 9) == [UInt8](repeating: 0, count: 9))
        #expect(buffer.capacity == 64)
    }

    @Test("past its limit nothing is appended and nothing is lost")
    func limit() throws {
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 4, limit: 6)
        try buffer.append("abcd" as StaticString)
        #expect(throws: SecretMemoryError.overLimit) { try buffer.append("efg" as StaticString) }
        #expect(throws: SecretMemoryError.overLimit) { try buffer.reserve(3) }
        try buffer.append("ef" as StaticString)
        #expect(throws: SecretMemoryError.overLimit) { try buffer.append(1) }
        #expect(buffer.contents == Array("abcdef".utf8))
        #expect(buffer.capacity == 6)
        #expect(buffer.limit == 6)
    }

    @Test("a limit below the capacity is the capacity")
    func limitBelowCapacity() throws {
        let arena = try SecretArena.forTest()
        #expect(try SecretBuffer(arena: arena, capacity: 100, limit: 10).limit == 100)
        #expect(try SecretBuffer(arena: arena, capacity: 100).limit == 100)
    }

    @Test("where the arena has no larger block nothing is lost")
    func exhausted() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        var buffer = try SecretBuffer(arena: arena, capacity: 64, limit: 8192)
        try buffer.append([UInt8](repeating: 5, count: 64).span)
        let rest = Block(try arena.allocate(2048), mark: 1)
        #expect(throws: SecretMemoryError.exhausted) {
            try buffer.append([UInt8](repeating: 6, count: 2000).span)
        }
        #expect(buffer.contents == [UInt8](repeating: 5, count: 64))
        #expect(rest.isIntact)
    }

    @Test("a copy is another block with the same bytes and no room for more")
    func copy() throws {
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 10, limit: 100)
        try buffer.append("secret" as StaticString)
        var copy = try buffer.copy(in: arena)
        #expect(copy.contents == buffer.contents)
        #expect(copy.address != buffer.address)
        #expect(throws: SecretMemoryError.overLimit) { try copy.append(1) }
        let bytes = try SecretBytes(copying: buffer, in: arena)
        #expect(bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } } == buffer.contents)
    }
}
