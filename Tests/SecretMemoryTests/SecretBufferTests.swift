import SecretMemory
import TestSupport
import Testing

@Suite struct SecretBufferTests {
    @Test(
        "an integer is appended with the highest of its bytes first",
        arguments: [
            (0x0102_0304_0506_0708, 8, [1, 2, 3, 4, 5, 6, 7, 8]),
            (.max, 8, .init(repeating: 255, count: 8)),
            (0x0102_0304_0506_0708, 3, [6, 7, 8]), (0x80, 1, [0x80]), (0x1_00FF, 1, [0xFF]),
            (0, 2, [0, 0]),
        ] as [(UInt64, Int, [UInt8])])
    func bigEndian(value: UInt64, size: Int, bytes: [UInt8]) throws {
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 1, limit: 1024)
        try buffer.append(7)
        try buffer.append(bigEndian: value, size: size)
        try buffer.append(bigEndian: value, size: size)
        let found = buffer.withBytes { found in found.indices.map { found[$0] } }
        #expect(found == [7] + bytes + bytes)
    }

    @Test("an integer that has no room is not appended by half")
    func noRoom() throws {
        let arena = try SecretArena.forTest()
        var buffer = try SecretBuffer(arena: arena, capacity: 7)
        do throws(SecretMemoryError) {
            try buffer.append(bigEndian: 1, size: 8)
            Issue.record("it fitted")
        } catch { #expect(error == .overLimit) }
        let count = buffer.count
        #expect(count == 0)
        try buffer.append(bigEndian: 1, size: 7)
        let full = buffer.count
        #expect(full == 7)
    }
}
