package import SecretMemory

extension SecretArena {
    /// An arena for one test.
    package static func forTest(capacity: Int = 1 << 20) throws -> SecretArena {
        try SecretArena(capacity: capacity, preferring: .lockedPages)
    }
}
