package import SecretMemory

@testable import Sealing

/// A recovery code as a person types it: docs/FORMAT.md, "Recovery code".
package final class RecoveryCodeBody: FuzzBody {
    package static let name = "recovery-code"
    package static let maximumSize = 300

    package let arena: SecretArena

    package init() throws { arena = try SecretArena(capacity: 65_536, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        try decode(input)
        // A code that somebody was given, then mistyped.
        var choices = FuzzInput(input.array)
        let secret = choices.take(RecoveryCode.size)
        let code = try RecoveryCode.encode(secret.span, arena: arena).array()
        try require(try decoded(code.span) == secret, "a code is read otherwise")
        let mistyped = choices.edit(code)
        if let other = try decoded(mistyped.span) {
            // One code of a million has the same four last letters.
            let isSame = Self.normalized(mistyped) == Self.normalized(code)
            try require(!isSame || other == secret, "one code is read as two")
        } else {
            try require(Self.normalized(mistyped) != Self.normalized(code), "a code is refused")
        }
    }

    private func decode(_ text: Span<UInt8>) throws {
        guard let secret = try decoded(text) else { return }
        let again = try RecoveryCode.encode(secret.span, arena: arena).array()
        try require(
            Self.normalized(again) == Self.normalized(text.array), "a code is written otherwise")
    }

    private func decoded(_ text: Span<UInt8>) throws -> [UInt8]? {
        do throws(RecoveryCodeError) {
            return try RecoveryCode.decode(text, arena: arena).array()
        } catch {
            switch error {
            case .memory: throw error
            case .badCharacter(let position):
                try require((1...text.count).contains(position), "a fault outside of the code")
            case .wrongLength(let count):
                try require(count <= text.count, "more letters than were typed")
            case .wrongChecksum: break
            }
            return nil
        }
    }

    private static func normalized(_ text: [UInt8]) -> [UInt8] {
        text.compactMap { byte in
            switch UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte ? byte - 32 : byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): nil
            case UInt8(ascii: "O"): UInt8(ascii: "0")
            case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
            case let letter: letter
            }
        }
    }
}
