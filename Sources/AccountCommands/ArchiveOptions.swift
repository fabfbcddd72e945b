/// What `account archive` was given.
package struct ArchiveOptions: Equatable, Sendable {
    /// What is to be done.
    package enum Action: String, CaseIterable, Sendable {
        case put, get, list, remove, restore, `import`, reseal
    }

    /// What is to be done.
    package private(set) var action = Action.list
    /// The archive; of `import` what `--as` says.
    package private(set) var name = ""
    /// `import`: the file; `-` is standard input.
    package private(set) var source = ""
    /// `--raw`.
    package private(set) var isRaw = false
    /// `--json`.
    package private(set) var isJSON = false
    /// `--previous`.
    package private(set) var isPrevious = false
    /// `--output`: a file that is made; empty: standard output.
    package private(set) var output = ""
    /// `--force`: a file that is there is replaced.
    package private(set) var isForced = false
    /// `--key`: of a user defaults file.
    package private(set) var key: String?
    /// `--dry-run`.
    package private(set) var isDryRun = false

    private static let raw = CommandOption(
        "--raw", "put, get: the bytes as they are, not JSON")
    private static let outputOption = CommandOption(
        "--output", "FILE", .file,
        "get: into FILE, which is made for you alone; - is standard output")
    private static let force = CommandOption(
        "--force", "get: replace FILE if it is there; without it that is refused")
    private static let previous = CommandOption(
        "--previous", "get: the generation before, which a put keeps")
    private static let asOption = CommandOption(
        "--as", "NAME", .text, "import: the archive that is made of the file")
    private static let keyOption = CommandOption(
        "--key", "K", .text, "import: which value, where FILE is an app's user defaults")
    private static let dryRun = CommandOption(
        "--dry-run", "import: only show what would be kept")
    private static let json = CommandOption("--json", "list, import: print JSON")

    /// The options of the command.
    static let all = [
        raw, outputOption, force, previous, asOption, keyOption, dryRun, json,
    ]

    /// What may stand after the command's name.
    static let actions = [
        CommandWord("put", "store what comes through standard input as NAME"),
        CommandWord("get", "print what is stored as NAME"),
        CommandWord("list", "the names, with --json for programs"),
        CommandWord("remove", "forget NAME, and the generation before it"),
        CommandWord("restore", "bring back the generation before of NAME; again, the other one"),
        CommandWord("import", "store what an iOS app has archived in FILE", takesFile: true),
        CommandWord("reseal", "seal all under the present master key, after a rotation"),
    ]

    private static let hint = "account help archive lists what it can do"

    /// Reads what follows the command's name.
    init(_ invocation: inout Invocation) throws(CommandFailure) {
        var words: [String] = []
        var wanted = ""
        while let word = try invocation.nextArgument() {
            switch word {
            case .operand(let word): words.append(word)
            case .option(let option):
                if Self.asOption ~= option {
                    wanted = try invocation.value(of: option)
                } else {
                    try take(option, &invocation)
                }
            }
        }
        guard let word = words.first else {
            throw .usage("what is to be done with the archives?", hint: Self.hint)
        }
        guard let action = Action(rawValue: word) else {
            throw .usage("account archive has no '\(word)'", hint: Self.hint)
        }
        self.action = action
        try takeOperands(Array(words.dropFirst()), wanted)
        try checkOptions(wanted)
    }

    private mutating func take(
        _ option: String, _ invocation: inout Invocation
    ) throws(CommandFailure) {
        switch option {
        case Self.raw: isRaw = true
        case Self.outputOption:
            let path = try GlobalOptions.path(invocation.value(of: option), option)
            output = path == "-" ? "" : path
        case Self.force: isForced = true
        case Self.previous: isPrevious = true
        case Self.keyOption: key = try invocation.value(of: option)
        case Self.dryRun: isDryRun = true
        case Self.json: isJSON = true
        default: throw Invocation.unknown(option, .archive)
        }
    }

    private mutating func takeOperands(
        _ words: [String], _ wanted: String
    ) throws(CommandFailure) {
        let takesOne = action != .list && action != .reseal
        guard words.count <= (takesOne ? 1 : 0) else {
            throw .usage(
                "'\(words[takesOne ? 1 : 0])' is one word too many", hint: Self.hint)
        }
        guard takesOne else { return }
        guard let word = words.first else {
            throw .usage(
                action == .import ? "import needs the name of a file" : "which archive?",
                hint: action == .import
                    ? "account archive import FILE --as NAME; - is standard input"
                    : "account archive list shows the names")
        }
        guard action == .import else {
            name = word
            return
        }
        source = try GlobalOptions.path(word, "import")
        name = wanted
    }

    // An option that does nothing where it stands was meant for something.
    private func checkOptions(_ wanted: String) throws(CommandFailure) {
        if action == .import, wanted.isEmpty, !isDryRun {
            throw .usage("what is it to be called?", hint: "name the archive with --as NAME")
        }
        var misplaced: String?
        if isRaw, action != .put, action != .get { misplaced = "--raw" }
        if !output.isEmpty, action != .get { misplaced = "--output" }
        if isForced, action != .get || output.isEmpty { misplaced = "--force" }
        if isPrevious, action != .get { misplaced = "--previous" }
        if !wanted.isEmpty, action != .import { misplaced = "--as" }
        if key != nil, action != .import { misplaced = "--key" }
        if isDryRun, action != .import { misplaced = "--dry-run" }
        if isJSON, action != .list, action != .import { misplaced = "--json" }
        if let misplaced {
            throw .usage(
                "\(misplaced) makes no sense with account archive \(action.rawValue)",
                hint: Self.hint)
        }
    }
}
