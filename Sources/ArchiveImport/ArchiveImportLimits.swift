import PropertyList

/// What a file of an app's archives may cost to read.
package enum ArchiveImportLimits {
    /// Bytes of a file: a draft box holds whole pictures.
    package static let maximumFile = 1 << 26
    /// Bytes of all texts and data that are made of a file.
    ///
    /// What objects share counts as often as it is met: in the values that are made of them it stands
    /// as often.
    static let maximumContent = 1 << 27
    /// Archives that stand as data within one another, the file being the first.
    static let maximumLevels = 4
    /// Bytes of the smallest arena.
    private static let smallestArena = 1 << 18

    /// Of the objects of a file.
    static let graph = ObjectGraphLimits(
        file: PropertyListLimits(
            maximumBytes: maximumFile, maximumObjects: 1 << 19, maximumDepth: 64),
        maximumDepth: 64, maximumVisits: 1 << 19)

    /// Bytes of an arena that holds a file and what it becomes where it is XML.
    ///
    /// It is far more than most files touch, and past the limit on locked memory it is not locked:
    /// what is imported are posts and pictures, no tokens.
    ///
    /// - Parameter size: of the file, as far as it is known.
    package static func arena(forFileOf size: Int) -> Int {
        var block = smallestArena / 8
        while block < min(size, maximumFile) { block *= 2 }
        return 8 * block
    }
}

/// What the reading of one file may still cost, over all archives in it.
final class ImportBudget {
    private var visits: Int
    private var content: Int

    /// - Parameters:
    ///   - visits: objects, each as often as it is met.
    ///   - content: bytes of texts and data, counted alike.
    init(
        visits: Int = ArchiveImportLimits.graph.maximumVisits,
        content: Int = ArchiveImportLimits.maximumContent
    ) {
        self.visits = visits
        self.content = content
    }

    /// Counts an object.
    func visit() throws(ObjectGraphError) {
        guard visits > 0 else { throw .tooManyVisits }
        visits -= 1
    }

    /// Counts bytes that a value will hold.
    func take(_ count: Int) throws(ObjectGraphError) {
        guard count <= content else { throw .propertyList(.tooLarge) }
        content -= count
    }
}
