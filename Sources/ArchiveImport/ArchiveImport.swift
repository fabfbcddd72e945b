package import Archiving

/// What an app's file holds, as far as it is kept here.
package enum ImportedArchive: Equatable, Sendable {
    /// A draft box, the newest first.
    case drafts([Draft], warnings: [String])
    /// Models that an app had archived.
    ///
    /// - `className`: the class that all of them are of; nil where they differ, and each then has its
    ///   own under `$class`.
    case objects([ArchiveValue], className: String?)
    /// Any other value.
    case value(ArchiveValue)
}
