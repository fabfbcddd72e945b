import SecretMemory
import TestSupport
import Testing

@Suite struct SecretBytesTests {
    @Test(
        "bytes are wiped when their owner goes",
        arguments: [SecretArena.Preference.secretFile, .lockedPages])
    func wiped(preference: SecretArena.Preference) throws {
        let arena = try SecretArena(capacity: 4096, preferring: preference)
        let address: UInt
        do {
            var secret = try arena.allocate(100)
            secret.fill(with: 7)
            address = secret.address
            #expect(memory(at: address, count: 128)[..<100].allSatisfy { $0 == 7 })
        }
        #expect(memory(at: address, count: 128).allSatisfy { $0 == 0 })
    }

    @Test(
        "bytes are equal when their counts and contents are",
        arguments: [
            ([], [], true), ([1], [1], true), ([1], [2], false), ([1], [1, 0], false),
            ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [0, 2, 3], false),
        ] as [([UInt8], [UInt8], Bool)])
    func equality(one: [UInt8], other: [UInt8], equal: Bool) throws {
        let arena = try SecretArena.forTest()
        let first = try bytes(one, arena)
        let second = try bytes(other, arena)
        #expect(first.isEqual(to: second) == equal)
        #expect(second.isEqual(to: first) == equal)
    }

    @Test("a copy is another block with the same bytes")
    func copy() throws {
        let arena = try SecretArena.forTest()
        let first = try bytes([1, 2, 3], arena)
        let second = try first.copy(in: arena)
        #expect(first.isEqual(to: second) == true)
        #expect(first.address != second.address)
    }

    @Test("random bytes differ from each other and fill the whole count")
    func random() throws {
        let arena = try SecretArena.forTest()
        let first = try SecretBytes.random(32, in: arena)
        let second = try SecretBytes.random(32, in: arena)
        #expect(first.count == 32)
        #expect(first.isEqual(to: second) == false)
        let last = try SecretBytes.random(4096, in: arena).withBytes { bytes in
            (0..<64).map { bytes[4095 - $0] }
        }
        #expect(last.contains { $0 != 0 })
    }

    @Test("a span is wiped in part or whole")
    func wipe() throws {
        let arena = try SecretArena.forTest()
        var secret = try bytes([1, 2, 3, 4], arena)
        secret.withMutableBytes { $0.wipe(first: 2) }
        #expect(secret.withBytes { bytes in bytes.indices.map { bytes[$0] } } == [0, 0, 3, 4])
        secret.withMutableBytes { $0.wipe() }
        #expect(secret.holdsOnly(0) == true)
    }

    private func bytes(_ values: [UInt8], _ arena: SecretArena) throws -> SecretBytes {
        var secret = try arena.allocate(values.count)
        secret.withMutableBytes { $0.copy(from: values.span) }
        return secret
    }
}
