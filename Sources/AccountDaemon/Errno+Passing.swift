import LinuxSystem

extension Errno {
    /// Whether the system lacked something at that moment, which says nothing of a file.
    ///
    /// Nobody may take a file that was not read by such an error for a damaged one: what is put in
    /// its place would be older.
    var isPassing: Bool {
        switch self {
        case .tooManyFiles, .tooManyFilesInSystem, .noMemory, .interrupted, .wouldBlock: true
        default: false
        }
    }

    /// Does what reads something, and once more where a disk gave an error: it may be a cable's.
    static func tryingAgain<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
        do throws(Errno) {
            return try body()
        } catch {
            guard error == .inputOutput else { throw error }
            return try body()
        }
    }
}
