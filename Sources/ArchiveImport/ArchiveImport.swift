package import Archiving

/// What an app's file holds, as far as it is kept here.
///
/// Property lists and the archives that NSKeyedArchiver makes of objects are read by `ObjectReader`,
/// in which nothing is instantiated; the archives of StructArchiver by `StructReader`.
package enum ImportedArchive: Equatable, Sendable {
    /// A draft box, the newest first; an empty array that an app has archived is one too.
    case drafts([Draft], warnings: [String])
    /// Models that an app had archived.
    ///
    /// - `className`: the class that all of them are of; nil where they differ, and each then has its
    ///   own under `$class`. Models within models always have it.
    case objects([ArchiveValue], className: String?)
    /// Any other value.
    ///
    /// A model is a dictionary with its class under `$class`, a struct one with its type under
    /// `$type`.
    case value(ArchiveValue)
}
