import SecretMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct RecoveryCodeTests {
    static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-BNCQ"
    let arena: SecretArena

    init() throws { arena = try .forTest() }

    func encode(_ bytes: [UInt8]) throws -> String {
        try RecoveryCode.encode(bytes.span, arena: arena).withBytes {
            String(decoding: $0.array, as: UTF8.self)
        }
    }

    func decode(_ text: String) throws(RecoveryCodeError) -> [UInt8] {
        try RecoveryCode.decode(Array(text.utf8).span, arena: arena).withBytes { $0.array }
    }

    @Test("codes are those of another program")
    func vectors() throws {
        for vector in try Vectors.load().recoveryCodes {
            #expect(try encode(vector.bytes.bytes) == vector.code)
            #expect(try decode(vector.code) == vector.bytes.bytes)
        }
    }

    @Test("a code has nine groups of four")
    func groups() throws {
        let bytes = try RecoveryCode.random(in: arena).withBytes { $0.array }
        let groups = try encode(bytes).split(separator: "-", omittingEmptySubsequences: false)
        #expect(groups.map(\.count) == [Int](repeating: 4, count: 9))
    }

    @Test("case, spaces, hyphens and look-alikes do not matter")
    func spelling() throws {
        let bytes = (0..<20).map { UInt8($0) }
        let code = Self.code
        #expect(try encode(bytes) == code)
        let spellings = [
            code.lowercased(), code.filter { $0 != "-" }, " \(code) ",
            code.map { $0 == "-" ? " - " : "\($0)" }.joined(),
            String(code.map { $0 == "0" ? "O" : $0 == "1" ? "I" : $0 }),
            String(code.map { $0 == "0" ? "o" : $0 == "1" ? "l" : $0 }),
        ]
        for spelling in spellings { #expect(try decode(spelling) == bytes, "\(spelling)") }
    }

    @Test("one character mistyped is seen, wherever it is")
    func mistyped() throws {
        let code = Array(try encode((0..<20).map { UInt8($0 * 3) }))
        for index in code.indices where code[index] != "-" {
            for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != code[index] {
                var typed = code
                typed[index] = other
                // 20 bits of check let about one mistake in a million through; none of these.
                #expect(throws: RecoveryCodeError.wrongChecksum) { try decode(String(typed)) }
            }
        }
    }

    @Test(
        "what is no code is told by what is wrong with it",
        arguments: [
            ("", .wrongLength(0)),
            ("---", .wrongLength(0)),
            ("ABCD", .wrongLength(4)),
            (String(repeating: "A", count: 35), .wrongLength(35)),
            (String(repeating: "A", count: 37), .wrongLength(37)),
            (String(repeating: " ", count: 300), .wrongLength(300)),
            ("ABCU", .badCharacter(position: 4)),
            ("AB-C*", .badCharacter(position: 4)),
            ("é", .badCharacter(position: 1)),
            (String(repeating: "A", count: 36), .wrongChecksum),
        ] as [(String, RecoveryCodeError)])
    func notACode(text: String, error: RecoveryCodeError) {
        #expect(throws: error) { try decode(text) }
        #expect(arena.used == 0)
    }
}
