import CLinux

/// The words that the process was started with, as the kernel gave them to the C library.
///
/// `CommandLine` finds them by way of /proc/self/maps, and so finds none where that cannot be opened:
/// without /proc, or at the limit on descriptors. It also repairs what is not UTF-8.
package enum ProcessArguments {
    /// How many there are, the program's name included.
    package static var count: Int {
        var count: Int32 = 0
        // SAFETY: one number to fill.
        _ = unsafe clinux_arguments(&count)
        return Int(count)
    }

    /// The words, each ended by NUL; they live as long as the process.
    @unsafe package static var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        var count: Int32 = 0
        // SAFETY: one number to fill.
        return unsafe clinux_arguments(&count)
    }

    /// All of them without the program's name.
    ///
    /// - Throws: `NotUTF8` for the first that is not UTF-8.
    package static func all() throws(NotUTF8) -> [String] {
        var result = [String]()
        for index in 1..<max(1, count) {
            // SAFETY: there are so many words.
            guard let word = unsafe words[index] else { break }
            guard let text = unsafe String(validatingCString: word) else {
                throw NotUTF8(what: "argument \(index)")
            }
            result.append(text)
        }
        return result
    }
}

/// What names a file or a directory is not UTF-8, as names are here.
package struct NotUTF8: Error, Equatable {
    /// An argument by its number, or a variable by its name; never the value.
    package let what: String

    /// Makes one.
    package init(what: String) { self.what = what }
}
