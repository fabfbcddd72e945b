package import PropertyList

/// What a file may cost to read.
package enum ImportLimits {
    /// Accounts in a file.
    static let maximumAccounts = 256
    /// Accounts that a refusal names.
    static let maximumNames = 16

    /// Bytes of a file.
    ///
    /// The accounts that apps keep have less than a thousand; some apps keep more in the same file.
    package static let maximumFile = 1 << 21
    /// Bytes of locked memory, for a file of each size: the file, and what it becomes where it is
    /// no binary property list; the tokens, and what is said to the daemon.
    package static let smallestArena = 1 << 18

    /// Of the objects.
    package static let graph = ObjectGraphLimits(
        file: PropertyListLimits(maximumBytes: maximumFile, maximumObjects: 1 << 17),
        maximumVisits: 1 << 14)

    /// Bytes of locked memory for a file.
    ///
    /// - Parameter size: of the file, as far as it is known.
    package static func arena(forFileOf size: Int) -> Int {
        var block = smallestArena / 8
        while block < min(size, maximumFile) { block *= 2 }
        // The list that XML or JSON becomes has up to four times their bytes, though no more than a
        // file may, and while it grows it stands there one and a half times.
        return min(8 * block, 4 * maximumFile)
    }
}
