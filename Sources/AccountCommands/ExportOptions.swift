/// What `account export` was given.
package struct ExportOptions: Equatable, Sendable {
    /// The forms that it writes.
    package enum Format: String, CaseIterable, Sendable {
        case propertyList = "plist"
        case keyedArchive = "nskeyedarchiver"
        case json
    }

    /// `--format`.
    package var format = Format.propertyList
    /// `--output`: a path; `-` stands for standard output.
    package var output = ""
    /// `--force`: a file that is there is replaced.
    package var isForced = false
    /// `--class-name`: of the archived object; nil for the usual one.
    package var className: String?
    /// `--keys`: as it stands.
    package var keys: String?
    /// `--i-understand`.
    var isUnderstood = false

    private static let formatOption = CommandOption(
        "--format", "F", .word, "how it is written:",
        words: [
            CommandWord("plist", "a property list of a dictionary; by default"),
            CommandWord("nskeyedarchiver", "as an iOS app archives its account"),
            CommandWord("json", "a JSON object"),
        ])
    private static let outputOption = CommandOption(
        "--output", "FILE", .file, "the file that is made; - is standard output")
    private static let force = CommandOption(
        "--force", "replace FILE if it is there; without it that is refused")
    private static let classNameOption = CommandOption(
        "--class-name", "N", .text, "the class that nskeyedarchiver names")
    private static let keysOption = CommandOption(
        "--keys", "LIST", .text, "what is written, and under which keys")
    private static let understand = CommandOption(
        "--i-understand", "the tokens leave their protection; without it nothing is written")

    /// The options of the command.
    static let all = [
        formatOption, outputOption, force, classNameOption, keysOption, understand,
    ]

    /// Options for a form.
    package init(format: Format = .propertyList, className: String? = nil, keys: String? = nil) {
        self.format = format
        self.className = className
        self.keys = keys
    }

    /// Reads the options of the command.
    init(_ invocation: inout Invocation) throws(CommandFailure) {
        while let option = try invocation.nextOption() { try take(option, &invocation) }
        guard !output.isEmpty else {
            throw .usage(
                "export needs --output", hint: "name a file that is not there yet, or - to print it"
            )
        }
        guard isUnderstood else {
            throw .usage(
                "export writes the token where nothing protects it",
                hint: "say so with --i-understand")
        }
        if className != nil, format != .keyedArchive {
            throw .usage("--class-name goes with --format nskeyedarchiver")
        }
    }

    private mutating func take(
        _ option: String, _ invocation: inout Invocation
    ) throws(CommandFailure) {
        switch option {
        case Self.formatOption:
            let word = try invocation.value(of: option)
            guard let format = Format(rawValue: word) else {
                throw Self.formatOption.refusal(of: word, .exportFile)
            }
            self.format = format
        case Self.outputOption:
            output = try GlobalOptions.path(invocation.value(of: option), option)
        case Self.force: isForced = true
        case Self.classNameOption: className = try invocation.value(of: option)
        case Self.keysOption: keys = try invocation.value(of: option)
        case Self.understand: isUnderstood = true
        default: throw Invocation.unknown(option, .exportFile)
        }
    }
}
