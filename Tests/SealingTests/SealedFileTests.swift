import SecretMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct SealedFileTests {
    /// Counts of plaintext bytes around every border of padding and chunks.
    static let counts = [
        0, 1, 254, 255, 256, 257, 65_279, 65_280, 65_535, 65_536, 65_537, 131_071, 131_072,
        200_000,
    ]

    @Test("what was sealed is opened again", arguments: counts)
    func roundTrip(count: Int) throws {
        let arena = try SecretArena.forTest()
        let master = try MasterKey.random(in: arena)
        let key = try master.accountKey(in: arena)
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let file = try SealedFile.seal(plaintext.span, under: key, keyID: master.id, arena: arena)
        #expect(try SealedFile.header(of: file.span).keyID == master.id)
        var buffer = try SecretBuffer(
            arena: arena, capacity: SealedFile.paddedSize(count))
        try SealedFile.open(file.span, under: key, keyID: master.id, into: &buffer, arena: arena)
        let opened = buffer.withBytes { $0.elementsEqual(plaintext) }
        #expect(opened)
    }
}
