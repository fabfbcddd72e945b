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

    let arena: SecretArena
    let keyID: MasterKeyID

    init() throws {
        arena = try .forTest()
        keyID = try MasterKeyID(testing: [UInt8](repeating: 0x5A, count: 16))
    }

    /// Opens a file with a key of 32 bytes of 7 behind a byte that is there already, and gives the
    /// plaintext, which is made up.
    func open(_ file: [UInt8], limit: Int = 300_000) throws -> [UInt8] {
        let key = try arena.secret([UInt8](repeating: 7, count: 32))
        var buffer = try SecretBuffer(arena: arena, capacity: 1, limit: limit)
        try buffer.append(0xEE)
        do {
            try SealedFile.open(file.span, under: key, keyID: keyID, into: &buffer, arena: arena)
        } catch {
            let isAsBefore = buffer.withBytes { $0.elementsEqual([0xEE]) }
            #expect(isAsBefore, "a file that does not open leaves the buffer as it was")
            throw error
        }
        return buffer.withBytes { Array($0.array.dropFirst()) }
    }

    func seal(_ plaintext: [UInt8]) throws -> [UInt8] {
        let key = try arena.secret([UInt8](repeating: 7, count: 32))
        return try SealedFile.seal(plaintext.span, under: key, keyID: keyID, arena: arena)
    }

    static func plaintext(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    @Test("what was sealed is opened again", arguments: counts)
    func roundTrip(count: Int) throws {
        let file = try seal(Self.plaintext(count))
        #expect(try open(file) == Self.plaintext(count))
    }

    @Test("a file tells its plaintext's size to 256 bytes only", arguments: counts)
    func size(count: Int) throws {
        let padded = (count / 256 + 1) * 256
        let chunks = (padded + 65_535) / 65_536
        #expect(SealedFile.paddedSize(count) == padded)
        #expect(try seal(Self.plaintext(count)).count == 88 + padded + 17 * chunks)
    }

    @Test("two files of one plaintext share nothing but what names the key")
    func everyWriteIsNew() throws {
        let one = try seal([1, 2, 3])
        let two = try seal([1, 2, 3])
        #expect(one[..<32] == two[..<32])
        let same = (32..<one.count).count { one[$0] == two[$0] }
        #expect(same < (one.count - 32) / 8)
    }

    @Test("the header says what the file is sealed under")
    func header() throws {
        let file = try seal([])
        let header = try SealedFile.header(of: file.span.extracting(0..<88))
        #expect(header == SealedFile.Header(version: 1, suite: 1, keyID: keyID))
    }

    @Test("a file cut anywhere does not open")
    func truncation() throws {
        let file = try seal(Self.plaintext(300))
        for count in 0..<file.count {
            #expect(throws: SealingError.cannotOpen, "cut to \(count)") {
                try open(Array(file[..<count]))
            }
        }
    }

    @Test(
        "a file of chunks cut near any border does not open",
        arguments: [88, 88 + 65_553, 88 + 2 * 65_553])
    func truncationOfChunks(border: Int) throws {
        let file = try seal(Self.plaintext(132_000))
        for count in (border - 20)...(border + 20) {
            #expect(throws: SealingError.cannotOpen, "cut to \(count)") {
                try open(Array(file[..<count]))
            }
        }
    }

    @Test("a file with any bit flipped does not open, and the answer is the one it should be")
    func bitFlips() throws {
        let file = try seal(Self.plaintext(300))
        for bit in 0..<(8 * file.count) {
            var flipped = file
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let byte = { Int(flipped[$0]) | Int(flipped[$0 + 1]) << 8 }
            let expected: SealingError =
                switch bit / 8 {
                case 8..<10: .unsupportedVersion(byte(8))
                case 10..<12: .unsupportedSuite(byte(10))
                case 16..<32: .unknownKey(try MasterKeyID(testing: Array(flipped[16..<32])))
                default: .cannotOpen
                }
            #expect(throws: expected, "bit \(bit)") { try open(flipped) }
        }
    }

    @Test("a flip in each chunk of a longer file is seen", arguments: [90, 65_600, 131_190])
    func bitFlipInChunk(offset: Int) throws {
        var file = try seal(Self.plaintext(132_000))
        file[offset] ^= 0x10
        #expect(throws: SealingError.cannotOpen) { try open(file) }
    }

    @Test(
        "a file of zeros or of ones of any size does not open", arguments: [0, 1, 0xFF] as [UInt8])
    func noise(byte: UInt8) throws {
        for count in [0, 1, 8, 12, 87, 88, 89, 105, 106, 361, 65_641, 70_000] {
            let file = [UInt8](repeating: byte, count: count)
            #expect(throws: SealingError.cannotOpen) { try open(file) }
        }
    }

    @Test("a plaintext that the buffer may not hold is refused before anything is opened")
    func bufferLimit() throws {
        let file = try seal(Self.plaintext(600))
        // The byte that is in the buffer before counts too.
        #expect(throws: SealingError.tooLarge) { try open(file, limit: 768) }
        #expect(try open(file, limit: 769).count == 600)
    }

    @Test("a large file is refused by a small buffer without memory being taken")
    func hostileSize() throws {
        var file = try seal([])
        file += [UInt8](repeating: 0, count: 8 << 20)
        let padded = file.count - 88 - 17 * ((file.count - 88 + 65_552) / 65_553)
        file.removeLast(padded % 256)
        #expect(throws: SealingError.tooLarge) { try open(file, limit: 65_536) }
        #expect(arena.used == 0)
    }

    @Test("an exhausted arena is an error of its own")
    func exhausted() throws {
        let small = try SecretArena.forTest(capacity: 4096)
        let master = try MasterKey.random(in: arena)
        let key = try master.accountKey(in: arena)
        let plaintext = Self.plaintext(8000)
        #expect(throws: SealingError.memory(.exhausted)) {
            try SealedFile.seal(plaintext.span, under: key, keyID: master.id, arena: small)
        }
        #expect(small.used == 0)
    }
}
