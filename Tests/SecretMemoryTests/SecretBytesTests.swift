import SecretMemory
import TestSupport
import Testing

@Suite struct SecretBytesTests {
    @Test("bytes are wiped when their owner goes")
    func wiped() throws {
        let arena = try SecretArena(capacity: 4096, preferring: .secretFile)
        do {
            var secret = try arena.allocate(16)
            secret.withMutableBytes { $0[3] = 7 }
        }
        let next = try arena.allocate(16)
        let sum = next.withBytes { bytes in bytes.indices.reduce(0) { $0 + Int(bytes[$1]) } }
        #expect(sum == 0)
    }
}
