package import SecretMemory

/// A fault that is there on purpose, behind a comparison of eight bytes that no blind guess passes.
package final class PlantedBody: FuzzBody {
    package static let name = "planted"

    package let arena: SecretArena
    private static let password: UInt64 = 0x7061_7373_776F_7264

    package init() throws {
        arena = try SecretArena(capacity: 4096, preferring: .lockedPages)
    }

    package func run(_ input: Span<UInt8>) throws {
        guard input.count >= 8 else { return }
        var word: UInt64 = 0
        for index in 0..<8 { word = word << 8 | UInt64(input[index]) }
        try require(word != Self.password, "the planted fault")
    }
}
