/// Walks along the words of a command line.
///
/// An option is `--name VALUE` or `--name=VALUE`; after `--` everything is an operand, and so is a
/// lone `-`, which by custom means standard input.
///
/// The words stay where the kernel has put them: an array of strings would be the only one that
/// `account token` makes, and the first array costs a process more than all its other work.
@safe struct ArgumentReader {
    /// One word, and what it is.
    enum Argument {
        /// An option by its name, dashes included, without the value that may be joined to it.
        case option(String)
        case operand(String)
    }

    private let words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int
    private var position = 1
    private var onlyOperands = false
    // What followed the equals sign of the option read last, until somebody takes it. (Not one
    // optional text, for the reason that GlobalOptions has.)
    private var joined = ""
    private var hasJoined = false

    /// Starts after the program's own name.
    ///
    /// - Parameters:
    ///   - count: how many words there are, the program's name included.
    ///   - words: as `main` gets them; they must outlive this.
    @unsafe init(
        count: Int, words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) {
        self.count = count
        unsafe self.words = words
    }

    // What is not UTF-8 is repaired, to be compared or shown.
    private func word(_ position: Int) -> String {
        // SAFETY: the position is checked, and the words are ended by NUL and live long enough.
        guard position < count, let word = unsafe words[position] else { return "" }
        return unsafe String(cString: word)
    }

    // What is not UTF-8 is refused: repaired, a path would lead elsewhere.
    private func wholeWord(_ position: Int) throws(CommandFailure) -> String {
        // SAFETY: as above.
        guard position < count, let word = unsafe words[position] else { return "" }
        guard let text = unsafe String(validatingCString: word) else {
            throw .usage("argument \(position) is not UTF-8")
        }
        return text
    }

    /// What a word may ask for whatever else is said.
    enum Request {
        case none, help, version
    }

    /// What the first such word among those that are left asks for, if there is one.
    var request: Request {
        for position in position..<max(position, count) {
            let word = word(position)
            // Short of `--` nothing else begins with a dash and is a request.
            guard word.utf8.first == UInt8(ascii: "-") else { continue }
            if word == CommandOption.helpLetter { return .help }
            switch word {
            case .help: return .help
            case .version: return .version
            case "--": return .none
            default: continue
            }
        }
        return .none
    }

    /// The next word; nil at the end.
    ///
    /// - Throws: when the option before had a value joined to it that nobody took.
    mutating func next() throws(CommandFailure) -> Argument? {
        if hasJoined {
            throw .usage("\(nameOf(word(position - 1))) takes no value")
        }
        guard position < count else { return nil }
        let word = try wholeWord(position)
        position += 1
        let bytes = word.utf8
        if onlyOperands || bytes.count < 2 || bytes.first != UInt8(ascii: "-") {
            return .operand(word)
        }
        if word == "--" {
            onlyOperands = true
            return try next()
        }
        guard bytes[bytes.index(after: bytes.startIndex)] == UInt8(ascii: "-"),
            let equals = bytes.firstIndex(of: UInt8(ascii: "="))
        else { return .option(word) }
        joined = String(Substring(bytes[bytes.index(after: equals)...]))
        hasJoined = true
        return .option(String(Substring(bytes[..<equals])))
    }

    /// The value of the option that was read last.
    ///
    /// - Throws: when there is none.
    mutating func value(of option: String) throws(CommandFailure) -> String {
        if hasJoined {
            hasJoined = false
            return joined
        }
        guard position < count else { throw .usage("\(option) needs a value") }
        position += 1
        return try wholeWord(position - 1)
    }

    private func nameOf(_ word: String) -> String {
        String(Substring(word.utf8.prefix { $0 != UInt8(ascii: "=") }))
    }
}
