/// How a command is used, for its help and for the shells' completion.
struct CommandDescription: Sendable {
    /// What follows the command's name in the line of usage, where it is not just its options.
    let usage: String
    /// What it does, in full: lines, the last one ended.
    let text: String
    /// Its own options.
    let options: [CommandOption]
    /// What may follow it, one of them, besides options.
    let operands: [CommandWord]
    /// What the help says below the options: lines, the last one ended.
    let notes: String
    /// Whether a file's name may follow it, besides options.
    let takesFile: Bool

    /// Makes one.
    init(
        usage: String = "", _ text: String, options: [CommandOption] = [],
        operands: [CommandWord] = [], notes: String = "", takesFile: Bool = false
    ) {
        self.usage = usage
        self.text = text
        self.options = options
        self.operands = operands
        self.notes = notes
        self.takesFile = takesFile
    }

    /// What `account help` says of the command of that name.
    func help(of name: String) -> String {
        var help = "usage: account \(name)"
        if !usage.isEmpty {
            help += " \(usage)"
        } else {
            for option in options { help += " \(option.usage)" }
        }
        help += "\n\n\(text)"
        let list = Self.list(options)
        if !list.isEmpty { help += "\n\(list)" }
        if !notes.isEmpty { help += "\n\(notes)" }
        return help
    }

    /// Options and what they do, in two columns.
    static func list(_ options: [CommandOption]) -> String {
        columns(
            options.map { option in
                var help = option.help
                for word in option.words { help += "\n\(word.name): \(word.summary)" }
                return CommandWord(option.label, help)
            })
    }

    /// Words and what they mean, in two columns.
    static func columns(_ words: [CommandWord]) -> String {
        let width = 3 + (words.map(\.name.utf8.count).max() ?? 0)
        var text = ""
        for word in words {
            var left = word.name
            for line in word.summary.split(separator: "\n") {
                text += "  " + left + String(repeating: " ", count: width - left.utf8.count)
                text += line + "\n"
                left = ""
            }
        }
        return text
    }
}
