/// What a property list may cost to read, and what the writer will not exceed.
package struct PropertyListLimits: Equatable, Sendable {
    /// Bytes of the whole file.
    package var maximumBytes: Int
    /// Objects in the file, whether or not the root reaches them.
    package var maximumObjects: Int
    /// Containers within one another on the longest way from the root; a root that is a container
    /// is the first, a value that is none adds nothing.
    package var maximumDepth: Int

    /// Makes limits; the defaults are far above what an account or a list of key slots needs.
    package init(
        maximumBytes: Int = 1 << 20, maximumObjects: Int = 4096, maximumDepth: Int = 16
    ) {
        self.maximumBytes = maximumBytes
        self.maximumObjects = maximumObjects
        self.maximumDepth = maximumDepth
    }
}
