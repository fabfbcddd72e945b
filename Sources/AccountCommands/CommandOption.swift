/// One option of `account`: what its reader looks for, its help says and shells complete.
///
/// A reader names the option in a `case` of its own. Each is a constant that the compiler lays out,
/// so that to compare a word with it costs no more than with a literal.
struct CommandOption: Sendable {
    /// What follows the option.
    enum Value: Sendable {
        case none
        /// What nobody can complete.
        case text
        case file
        case directory
        /// One of `words`.
        case word
    }

    /// With both dashes.
    let name: String
    /// What the value is called in the help; empty where there is none.
    let placeholder: String
    let value: Value
    /// What it does; further lines are set below the first.
    ///
    /// Up to the first semicolon it can stand alone.
    let help: String
    /// The values that it takes, where they are few.
    let words: [CommandWord]
    /// The option beside which this one makes no sense; empty where there is none.
    let rival: String

    /// An option without a value.
    init(_ name: String, _ help: String, rival: String = "") {
        self.init(name, "", .none, help, rival: rival)
    }

    /// An option with a value.
    init(
        _ name: String, _ placeholder: String, _ value: Value, _ help: String,
        words: [CommandWord] = [], rival: String = ""
    ) {
        self.name = name
        self.placeholder = placeholder
        self.value = value
        self.help = help
        self.words = words
        self.rival = rival
    }

    /// Whether a word of the command line is this option.
    static func ~= (option: CommandOption, word: String) -> Bool { option.name == word }

    /// How the help writes it, with its value.
    var label: String {
        value == .none ? spellings.joined(separator: ", ") : "\(name) \(placeholder)"
    }

    /// How it may be written: by its name, and by its letter where it has one.
    var spellings: [String] { name == Self.help.name ? [Self.helpLetter, name] : [name] }

    /// How the line of usage writes it.
    var usage: String {
        value == .word
            ? "[\(name) \(words.map(\.name).joined(separator: "|"))]"
            : "[\(label)]"
    }

    /// What is said to a value that is none of the words.
    func refusal(of value: String, _ command: Command) -> CommandFailure {
        let names = words.map(\.name)
        let list = names.dropLast().joined(separator: ", ")
        return .usage(
            "\(command.name) knows no format '\(value)'",
            hint: "the formats are \(list) and \(names.last ?? "")")
    }

    /// What it does, on one line.
    var summary: String {
        let line = help.split(separator: ";")[0].split(separator: "\n").joined(separator: " ")
        return line.hasSuffix(":") ? String(line.dropLast()) : line
    }

    /// `--help`, of every command.
    static let help = CommandOption("--help", "how the command is used")
    /// The short form of `--help`.
    static let helpLetter = "-h"
    /// `--version`, of every command.
    static let version = CommandOption("--version", "the version of this program")
    /// `--min-validity`, of every command that asks for the token.
    static let minValidity = CommandOption(
        "--min-validity", "D", .text, "how long the token must be good for, at the least")
}

/// A word that may stand at some place of a command line, and what it means.
struct CommandWord: Sendable {
    let name: String
    let summary: String
    /// What may stand after it, one of them.
    let following: [CommandWord]
    /// Whether a file's name may stand after it.
    let takesFile: Bool

    /// Makes one.
    init(
        _ name: String, _ summary: String, following: [CommandWord] = [], takesFile: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.following = following
        self.takesFile = takesFile
    }
}
