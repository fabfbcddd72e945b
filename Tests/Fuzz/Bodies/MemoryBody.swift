@testable package import SecretMemory

/// The arena that all secrets stand in: no sequence of taking and giving back makes two blocks one,
/// loses a byte, or leaves one behind.
///
/// It has no parser in it; but the address sanitizer sees the arena as one block, and what others
/// would find for themselves is looked for here.
package final class MemoryBody: FuzzBody {
    package static let name = "memory"
    package static let maximumSize = 256

    package let arena: SecretArena
    private static let slots = 8

    package init() throws { arena = try SecretArena(capacity: 16_384, preferring: .lockedPages) }

    private final class Block {
        var bytes: SecretBytes
        let mark: UInt8

        init(_ bytes: consuming SecretBytes, mark: UInt8) {
            self.bytes = bytes
            self.mark = mark
        }
    }

    package func run(_ input: Span<UInt8>) throws {
        var choices = FuzzInput(input.array)
        if choices.byte() & 1 == 0 {
            try takeAndGive(&choices)
        } else {
            try growAndShrink(&choices)
        }
        try require(arena.used == 0, "blocks stay taken")
        // Whatever there was, it is one block again.
        let whole = try arena.allocate(arena.capacity)
        try whole.withBytes { bytes in
            try require(bytes.isFilled(with: 0), "something was left behind")
        }
    }

    private func takeAndGive(_ choices: inout FuzzInput) throws {
        var blocks = [Block?](repeating: nil, count: Self.slots)
        var expected = 0
        var mark: UInt8 = 0
        while !choices.isAtEnd {
            let slot = Int(choices.byte()) % Self.slots
            if let block = blocks[slot] {
                try requireMark(block)
                expected -= block.bytes.blockSize
                blocks[slot] = nil
            } else {
                let count = choices.below(6000)
                mark = mark == .max ? 1 : mark + 1
                let block = try self.block(of: count, mark, isEmpty: expected == 0)
                expected += block?.bytes.blockSize ?? 0
                blocks[slot] = block
            }
            try require(arena.used == expected, "used memory is miscounted")
        }
        for block in blocks { if let block { try requireMark(block) } }
    }

    // Nil where there is no room.
    private func block(of count: Int, _ mark: UInt8, isEmpty: Bool) throws -> Block? {
        let bytes: SecretBytes
        do throws(SecretMemoryError) {
            bytes = try arena.allocate(count)
        } catch {
            try require(error == .exhausted, "another error")
            try require(!isEmpty, "an empty arena is full")
            return nil
        }
        let block = Block(bytes, mark: mark)
        try requireClean(block)
        block.bytes.withMutableBytes { bytes in
            bytes.update(repeating: mark)
        }
        return block
    }

    private func requireClean(_ block: Block) throws {
        try block.bytes.withBytes { bytes in
            try require(bytes.isFilled(with: 0), "a block is not clean")
        }
    }

    private func requireMark(_ block: Block) throws {
        try block.bytes.withBytes { bytes in
            try require(bytes.isFilled(with: block.mark), "two blocks have a byte in common")
        }
    }

    /// A buffer says the same as an array does.
    private func growAndShrink(_ choices: inout FuzzInput) throws {
        let limit = 16 + choices.below(4096)
        let budget = SecretBudget(limit: 8192)
        do {
            var buffer = try SecretBuffer(
                arena: arena, capacity: 16, limit: limit, budget: budget)
            var model: [UInt8] = []
            while !choices.isAtEnd {
                let what = choices.byte()
                let bytes = choices.take(Int(what >> 2))
                switch what & 3 {
                case 0:
                    do throws(SecretMemoryError) {
                        try buffer.append(bytes.span)
                        model += bytes
                    } catch {
                        try require(
                            error == .exhausted || model.count + bytes.count > limit,
                            "there was room")
                    }
                case 1:
                    let count = min(bytes.count, model.count)
                    buffer.removeFirst(count)
                    model.removeFirst(count)
                case 2:
                    let count = max(0, model.count - bytes.count)
                    buffer.truncate(to: count)
                    model.removeLast(model.count - count)
                default:
                    let written = buffer.appendUpTo(bytes.count) { room in
                        let count = min(room.count, bytes.count)
                        for index in 0..<count { room[index] = bytes[index] }
                        return count
                    }
                    model += bytes.prefix(written)
                }
                try require(buffer.array() == model, "a buffer holds something else")
                try require(budget.used == buffer.footprint, "a budget is miscounted")
            }
        }
        try require(budget.used == 0, "a budget stays charged")
    }
}
