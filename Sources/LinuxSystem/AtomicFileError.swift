/// A write that failed: at which step, and what is in the file's place now.
package struct AtomicFileError: Error, Equatable, Sendable {
    /// The steps of a write, in their order.
    package enum Step: Equatable, Sendable {
        /// Making the temporary file.
        case create
        /// Writing it.
        case write
        /// Having it reach the disk.
        case sync
        /// Giving the present file a second, temporary name.
        case linkPrevious
        /// Moving that name to the previous generation's.
        case renamePrevious
        /// Moving the temporary file to its place.
        case rename
        /// Having the names reach the disk.
        case syncDirectory
    }

    /// The step that failed.
    package let step: Step
    /// Why it failed.
    package let errno: Errno
    /// Whether the new file has the name.
    ///
    /// If so it may yet be the old one after a power cut; if not
    /// the old one is as it was.
    package let inPlace: Bool

    /// An error of one step; but for the last the new file is not in place.
    package init(step: Step, errno: Errno, inPlace: Bool = false) {
        self.step = step
        self.errno = errno
        self.inPlace = inPlace
    }

    /// One line for a person, without the file's name.
    package var message: String { "\(action): \(errno.description)" }

    /// What was not possible, without the reason.
    package var action: String {
        switch step {
        case .create: "cannot make a temporary file"
        case .write: "cannot write"
        case .sync: "cannot write to the disk"
        case .linkPrevious, .renamePrevious: "cannot keep the previous file"
        case .rename: "cannot replace the file"
        case .syncDirectory: "cannot write the directory to the disk"
        }
    }
}
