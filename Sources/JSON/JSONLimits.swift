/// What a text may be at the most.
package struct JSONLimits: Sendable {
    /// Bytes of a text, whitespace included.
    package var maximumBytes: Int
    /// Containers within each other; 1 allows `{}` and `[]` alone.
    package var maximumDepth: Int
    /// Whether an object may give a name twice; a lookup then finds the first.
    ///
    /// RFC 8259, 4, leaves it open. Two readers of one text that disagree about which of the two
    /// counts can be played off against each other.
    package var allowsDuplicateKeys: Bool
    /// Whether U+0000 may stand in a string, as an escape.
    ///
    /// RFC 8259 allows it; what becomes a C string further on cannot hold it.
    package var allowsEscapedNUL: Bool

    /// By default what fits a Varlink message, strictly.
    package init(
        maximumBytes: Int = 65_536, maximumDepth: Int = 16, allowsDuplicateKeys: Bool = false,
        allowsEscapedNUL: Bool = false
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.allowsDuplicateKeys = allowsDuplicateKeys
        self.allowsEscapedNUL = allowsEscapedNUL
    }
}
