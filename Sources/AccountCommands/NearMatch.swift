/// Guesses what was meant by a mistyped word.
enum NearMatch {
    /// How many letters may be missing, added, wrong or swapped.
    private static let maximumDistance = 2
    /// Longer words are not compared: no command is as long.
    private static let maximumLength = 24

    /// The nearest of the words; nil when none is near.
    static func of(_ word: String, among candidates: [String]) -> String? {
        guard word.utf8.count <= maximumLength else { return nil }
        var best: (distance: Int, word: String)?
        for candidate in candidates {
            // Each letter too many is a change.
            guard abs(word.utf8.count - candidate.utf8.count) <= maximumDistance else { continue }
            let distance = distance(Array(word.utf8), Array(candidate.utf8))
            // A short word is near to everything.
            guard distance <= min(maximumDistance, candidate.utf8.count / 2),
                distance < best?.distance ?? .max
            else { continue }
            best = (distance, candidate)
        }
        return best?.word
    }

    /// The number of single-letter changes between two words, a swap of neighbours counting as one:
    /// the optimal string alignment distance.
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var last = Array(0...other.count)
        var beforeLast = last
        var current = last
        for (row, letter) in one.enumerated() {
            current[0] = row + 1
            for (column, otherLetter) in other.enumerated() {
                var least = min(
                    last[column + 1] + 1, current[column] + 1,
                    last[column] + (letter == otherLetter ? 0 : 1))
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current[column + 1] = least
            }
            (beforeLast, last, current) = (last, current, beforeLast)
        }
        return last[other.count]
    }
}
