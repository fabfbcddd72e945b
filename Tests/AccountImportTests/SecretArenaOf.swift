import AccountImport
import SecretMemory
import TestSupport

/// Arenas by their size.
enum SecretArenaOf {
    /// What any file needs.
    static func large() throws -> SecretArena {
        try SecretArena.forTest(capacity: ImportLimits.arena(forFileOf: ImportLimits.maximumFile))
    }
}
