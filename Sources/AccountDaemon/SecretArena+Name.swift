import SecretMemory

extension SecretArena {
    /// org.accountd.Account, `Status.memory`.
    var memoryName: String {
        switch backing {
        case .secretFile: "memfd_secret"
        case .lockedPages: "locked"
        case .unlockedPages: "unlocked"
        }
    }
}
