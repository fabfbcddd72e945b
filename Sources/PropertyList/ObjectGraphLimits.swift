/// What the objects of a property list may cost to walk.
package struct ObjectGraphLimits: Equatable, Sendable {
    /// What the file may be.
    package var file: PropertyListLimits
    /// Objects within one another; the one that the walk begins with is the first.
    package var maximumDepth: Int
    /// Objects that a walk passes, each as often as it is met.
    package var maximumVisits: Int

    /// Makes limits; the defaults are far above what an app keeps of an account.
    ///
    /// They bound a hostile file's memory: an object of the file takes some 80 bytes of the index.
    package init(
        file: PropertyListLimits = PropertyListLimits(
            maximumBytes: 1 << 21, maximumObjects: 1 << 17),
        maximumDepth: Int = 64, maximumVisits: Int = 1 << 16
    ) {
        self.file = file
        self.maximumDepth = maximumDepth
        self.maximumVisits = maximumVisits
    }
}
