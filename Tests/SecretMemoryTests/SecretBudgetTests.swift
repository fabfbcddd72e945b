import SecretMemory
import TestSupport
import Testing

@Suite struct SecretBudgetTests {
    @Test("a buffer is charged for its block, and for the larger one alone once it has grown")
    func charges() throws {
        let arena = try SecretArena.forTest()
        let budget = SecretBudget(limit: 1024)
        do {
            var buffer = try SecretBuffer(arena: arena, capacity: 65, limit: 600, budget: budget)
            #expect(budget.used == 128)
            try buffer.append([UInt8](repeating: 1, count: 129).span)
            #expect(budget.used == 256)
            #expect(buffer.footprint == 256)
        }
        #expect(budget.used == 0)
        #expect(arena.used == 0)
    }

    @Test("without room in the budget nothing is made, and nothing of the arena is kept")
    func refuses() throws {
        let arena = try SecretArena.forTest()
        let budget = SecretBudget(limit: 191)
        #expect(throws: SecretMemoryError.exhausted) {
            _ = try SecretBuffer(arena: arena, capacity: 129, budget: budget)
        }
        #expect(arena.used == 0)
        #expect(budget.used == 0)
    }

    @Test("a buffer that may not grow keeps what it holds and what it is charged")
    func refusesGrowth() throws {
        let arena = try SecretArena.forTest()
        let budget = SecretBudget(limit: 191)
        var buffer = try SecretBuffer(arena: arena, capacity: 64, limit: 4096, budget: budget)
        try buffer.append([UInt8](repeating: 3, count: 64).span)
        // Both blocks stand while one is copied to the other.
        #expect(throws: SecretMemoryError.exhausted) { try buffer.append(4) }
        #expect(budget.used == 64)
        #expect(arena.used == 64)
        #expect(buffer.contents == [UInt8](repeating: 3, count: 64))
    }

    @Test("what one user holds is charged to everybody's budget too")
    func nesting() throws {
        let arena = try SecretArena.forTest()
        let all = SecretBudget(limit: 512)
        let one = SecretBudget(limit: 256, within: all)
        let other = SecretBudget(limit: 512, within: all)
        do {
            let first = try SecretBuffer(arena: arena, capacity: 256, budget: one)
            #expect(throws: SecretMemoryError.exhausted) {
                _ = try SecretBuffer(arena: arena, capacity: 64, budget: one)
            }
            let second = try SecretBuffer(arena: arena, capacity: 256, budget: other)
            #expect(throws: SecretMemoryError.exhausted) {
                _ = try SecretBuffer(arena: arena, capacity: 64, budget: other)
            }
            #expect([one.used, other.used, all.used] == [256, 256, 512])
            #expect(other.hasRoom(for: 256, alone: true))
            #expect(!other.hasRoom(for: 1))
            #expect(!one.hasRoom(for: 1, alone: true))
            #expect(first.footprint + second.footprint == 512)
        }
        #expect([one.used, other.used, all.used] == [0, 0, 0])
        #expect(other.hasRoom(for: 512))
        #expect(!other.hasRoom(for: 513))
    }
}
