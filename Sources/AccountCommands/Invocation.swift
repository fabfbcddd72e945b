import LinuxSystem

/// One command's words while they are read.
struct Invocation {
    private var arguments: ArgumentReader
    /// What has been read of the options that every command takes.
    private(set) var options = GlobalOptions()

    /// What is said to a word that is no option, where such a word may be a secret and so is not
    /// repeated; empty where it is repeated.
    var wordsAreRefusedWith: StaticString = ""

    /// Where it reads and writes.
    let descriptors: StandardDescriptors

    /// Starts at the first word.
    init(_ arguments: ArgumentReader, _ descriptors: StandardDescriptors) {
        self.arguments = arguments
        self.descriptors = descriptors
    }

    /// What the words that are left ask for, whatever else they say.
    var request: ArgumentReader.Request { arguments.request }

    /// The next option that is the command's own; nil at the end.
    ///
    /// - Throws: for a word that is no option.
    mutating func nextOption() throws(CommandFailure) -> String? {
        while let argument = try arguments.next() {
            switch argument {
            case .option(let option):
                if try options.take(option, &arguments) { continue }
                return option
            case .operand(let word):
                throw refusal(of: word)
            }
        }
        return nil
    }

    /// The next word that is not one of the common options, and what it is; nil at the end.
    mutating func nextArgument() throws(CommandFailure) -> ArgumentReader.Argument? {
        while let argument = try arguments.next() {
            if case .option(let option) = argument, try options.take(option, &arguments) {
                continue
            }
            return argument
        }
        return nil
    }

    /// The next word, be it an option or not, once the common options before it have been read; nil
    /// at the end.
    mutating func nextWord() throws(CommandFailure) -> String? {
        while let argument = try arguments.next() {
            switch argument {
            case .option(let option):
                if try options.take(option, &arguments) { continue }
                return option
            case .operand(let word):
                return word
            }
        }
        return nil
    }

    /// The value of the option that was read last.
    mutating func value(of option: String) throws(CommandFailure) -> String {
        try arguments.value(of: option)
    }

    /// The value of the option that was read last, as seconds.
    mutating func duration(of option: String) throws(CommandFailure) -> Int64 {
        try GlobalOptions.duration(arguments.value(of: option), option)
    }

    private func refusal(of word: String) -> CommandFailure {
        wordsAreRefusedWith.utf8CodeUnitCount == 0
            ? .usage("'\(word)' is one word too many")
            : .usage("there is one word too many", hint: "\(wordsAreRefusedWith)")
    }

    /// Ends the reading of a command that takes no options of its own.
    mutating func takeNoOptions(of command: Command) throws(CommandFailure) {
        if let option = try nextOption() { throw Self.unknown(option, command) }
    }

    /// The command does not know the option; one whose name is near may have been meant.
    static func unknown(_ option: String, _ command: Command) -> CommandFailure {
        let known = (command.description.options + GlobalOptions.all).map(\.name)
        let near = NearMatch.of(option, among: known)
        return .usage(
            "\(command.name) has no option \(option)",
            hint: near.map { "did you mean \($0)?" } ?? "account help \(command.name) lists them")
    }

    /// Writes a text that is no secret to standard output. write(2)
    func print(_ text: String) throws(CommandFailure) {
        do {
            try StandardStream.print(text, to: descriptors.output)
        } catch { throw .standardOutput(error) }
    }

    /// Writes a text of the program to standard output. write(2)
    func print(_ text: StaticString) throws(CommandFailure) { try print("\(text)") }
}
