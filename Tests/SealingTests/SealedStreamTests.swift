import SecretMemory
import TestSupport
import Testing

@testable import Sealing

/// Files that are sealed and opened chunk by chunk: the same format, and the same refusals.
@Suite struct SealedStreamTests {
    let arena: SecretArena

    init() throws { arena = try .forTest() }

    /// Seals a plaintext in parts of a size.
    private func seal(
        _ plaintext: [UInt8], parts: Int, _ key: borrowing SecretBytes, _ keyID: MasterKeyID
    ) throws -> [UInt8] {
        var writer = try SealedFileWriter(under: key, keyID: keyID, arena: arena)
        var file = writer.header
        var start = 0
        while start < plaintext.count {
            let end = min(plaintext.count, start + parts)
            writer.append(plaintext.span.extracting(start..<end)) { file += $0.array }
            start = end
        }
        writer.finish { file += $0.array }
        return file
    }

    /// Opens a file as its chunks come.
    private func open(
        _ file: [UInt8], _ key: borrowing SecretBytes, _ keyID: MasterKeyID
    ) throws(SealingError) -> [UInt8] {
        let header = file.span.extracting(0..<min(file.count, SealedFile.headerSize))
        var reader = try SealedFileReader(header: header, under: key, keyID: keyID, arena: arena)
        var plaintext: [UInt8] = []
        var position = SealedFile.headerSize
        guard position < file.count else { throw .cannotOpen }
        while position < file.count {
            let end = min(file.count, position + SealedFileReader.chunkSize)
            try reader.open(file.span.extracting(position..<end), isLast: end == file.count)
            reader.withBytes { plaintext += $0.array }
            position = end
        }
        return plaintext
    }

    @Test(
        "what is sealed in parts opens whole, and the other way round",
        arguments: SealedFileTests.counts, [1000, 65_536, 1 << 20])
    func bothWays(count: Int, parts: Int) throws {
        let key = try arena.secret([UInt8](repeating: 7, count: 32))
        let keyID = try MasterKeyID(testing: [UInt8](repeating: 0x5A, count: 16))
        let plaintext = SealedFileTests.plaintext(count)
        let inParts = try seal(plaintext, parts: parts, key, keyID)
        var buffer = try SecretBuffer(arena: arena, capacity: 1, limit: 300_000)
        try SealedFile.open(inParts.span, under: key, keyID: keyID, into: &buffer, arena: arena)
        let opened = buffer.withBytes { $0.array }
        #expect(opened == plaintext)
        let whole = try SealedFile.seal(plaintext.span, under: key, keyID: keyID, arena: arena)
        #expect(inParts.count == whole.count)
        #expect(try open(whole, key, keyID) == plaintext)
        #expect(try open(inParts, key, keyID) == plaintext)
    }

    @Test("a file of another program gives what it must", arguments: try Vectors.load().sealed)
    func vector(_ vector: Vectors.Sealed) throws {
        let file = try Vectors.file(vector.name + ".sealed")
        let key = try arena.secret(vector.key.bytes)
        let keyID = try MasterKeyID(testing: vector.keyID.bytes)
        var whole: SealingError?
        var buffer = try SecretBuffer(arena: arena, capacity: 1, limit: 300_000)
        do throws(SealingError) {
            try SealedFile.open(file.span, under: key, keyID: keyID, into: &buffer, arena: arena)
        } catch { whole = error }
        var chunks: SealingError?
        var plaintext: [UInt8] = []
        do throws(SealingError) { plaintext = try open(file, key, keyID) } catch { chunks = error }
        #expect(chunks == whole)
        #expect((chunks == nil) == (vector.gives == "opens"))
        if chunks == nil {
            let opened = buffer.withBytes { $0.array }
            #expect(plaintext == opened)
        }
    }

    @Test("each bit of a header, a chunk's end and a file's end is held")
    func everyBit() throws {
        let key = try arena.secret([UInt8](repeating: 7, count: 32))
        let keyID = try MasterKeyID(testing: [UInt8](repeating: 0x5A, count: 16))
        let file = try seal(SealedFileTests.plaintext(70_000), parts: 9999, key, keyID)
        let places = Array(0..<88) + Array(65_630..<65_660) + Array((file.count - 40)..<file.count)
        for place in places {
            for bit in 0..<8 {
                var changed = file
                changed[place] ^= 1 << UInt8(bit)
                #expect(throws: SealingError.self) { try open(changed, key, keyID) }
            }
        }
    }
}
