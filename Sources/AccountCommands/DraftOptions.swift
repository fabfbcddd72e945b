/// What `account draft` was given.
package struct DraftOptions: Equatable, Sendable {
    /// What is to be done.
    package enum Action: String, CaseIterable, Sendable {
        case add, list, show, edit, remove, export, `import`
    }

    /// What is to be done.
    package private(set) var action = Action.list
    /// Which draft: its number, counted from 1, or its id.
    package private(set) var draft = ""
    /// `import`: the file; `-` is standard input.
    package private(set) var source = ""
    /// `--title`.
    package private(set) var title: String?
    /// `--text`: a file; `-` is standard input.
    package private(set) var text: String?
    /// `--picture`, as often as it was given.
    package private(set) var pictures: [String] = []
    /// `--no-pictures`.
    package private(set) var removesPictures = false
    /// `--original-photo`, `--no-original-photo`; nil: neither.
    package private(set) var isOriginalPhoto: Bool?
    private var hasBothOfPhoto = false
    /// `--output`: a directory that is made.
    package private(set) var output = ""
    /// `--key`, in a file that has several values under keys.
    package private(set) var key: String?
    /// `--dry-run`.
    package private(set) var isDryRun = false
    /// `--json`.
    package private(set) var isJSON = false

    private static let titleOption = CommandOption(
        "--title", "T", .text, "add, edit: the title")
    private static let textOption = CommandOption(
        "--text", "FILE", .file, "add, edit: the text is what FILE holds; - is standard input")
    private static let picture = CommandOption(
        "--picture", "FILE", .file,
        "add, edit: a picture, sealed with the draft; may be given several times;\n"
            + "in edit they take the place of those that are there", rival: "--no-pictures")
    private static let noPictures = CommandOption(
        "--no-pictures", "edit: without pictures", rival: "--picture")
    private static let originalPhoto = CommandOption(
        "--original-photo", "add, edit: the pictures are to be posted in full size",
        rival: "--no-original-photo")
    private static let noOriginalPhoto = CommandOption(
        "--no-original-photo", "edit: they are not", rival: "--original-photo")
    private static let outputOption = CommandOption(
        "--output", "DIR", .directory,
        "export: the directory that is made, for you alone, with the draft in it")
    private static let keyOption = CommandOption(
        "--key", "K", .text, "import: which value, where FILE is an app's user defaults")
    private static let dryRun = CommandOption(
        "--dry-run", "import: only show what would be kept")
    private static let json = CommandOption("--json", "list, show, import: print JSON")

    /// The options of the command.
    static let all = [
        titleOption, textOption, picture, noPictures, originalPhoto, noOriginalPhoto, outputOption,
        keyOption, dryRun, json,
    ]

    /// What may stand after the command's name.
    static let actions = [
        CommandWord("add", "a new draft, before all others"),
        CommandWord("list", "the drafts, the newest first"),
        CommandWord("show", "draft N, without its pictures"),
        CommandWord("edit", "change draft N; it stays where it is"),
        CommandWord("remove", "forget draft N"),
        CommandWord("export", "write draft N and its pictures into files"),
        CommandWord("import", "the drafts that an iOS app has archived in FILE", takesFile: true),
    ]

    private static let hint = "account help draft lists what it can do"

    /// Reads what follows the command's name.
    init(_ invocation: inout Invocation) throws(CommandFailure) {
        var words: [String] = []
        while let word = try invocation.nextArgument() {
            switch word {
            case .operand(let word): words.append(word)
            case .option(let option): try take(option, &invocation)
            }
        }
        try checkRivals()
        guard let word = words.first else {
            throw .usage("what is to be done with the drafts?", hint: Self.hint)
        }
        guard let action = Action(rawValue: word) else {
            throw .usage("account draft has no '\(word)'", hint: Self.hint)
        }
        self.action = action
        try takeOperands(Array(words.dropFirst()))
        try checkOptions()
        try checkNeeds()
    }

    private mutating func take(
        _ option: String, _ invocation: inout Invocation
    ) throws(CommandFailure) {
        switch option {
        case Self.titleOption: title = try invocation.value(of: option)
        case Self.textOption:
            text = try GlobalOptions.path(invocation.value(of: option), option)
        case Self.picture:
            pictures.append(try GlobalOptions.path(invocation.value(of: option), option))
        case Self.noPictures: removesPictures = true
        case Self.originalPhoto:
            hasBothOfPhoto = isOriginalPhoto == false
            isOriginalPhoto = true
        case Self.noOriginalPhoto:
            hasBothOfPhoto = isOriginalPhoto == true
            isOriginalPhoto = false
        case Self.outputOption:
            output = try GlobalOptions.path(invocation.value(of: option), option)
        case Self.keyOption: key = try invocation.value(of: option)
        case Self.dryRun: isDryRun = true
        case Self.json: isJSON = true
        default: throw Invocation.unknown(option, .draft)
        }
    }

    private mutating func takeOperands(_ words: [String]) throws(CommandFailure) {
        let takesOne = action != .add && action != .list
        guard words.count <= (takesOne ? 1 : 0) else {
            throw .usage(
                "'\(words[takesOne ? 1 : 0])' is one word too many", hint: Self.hint)
        }
        guard takesOne else { return }
        guard let word = words.first else {
            if action == .import {
                throw .usage(
                    "import needs the name of a file",
                    hint: "account draft import FILE; - is standard input")
            }
            throw .usage(
                "which draft?", hint: "account draft list shows their numbers, from 1")
        }
        if action == .import {
            source = try GlobalOptions.path(word, "import")
        } else {
            draft = word
        }
    }

    // An option that does nothing where it stands was meant for something.
    private func checkOptions() throws(CommandFailure) {
        let writes = action == .add || action == .edit
        var misplaced: String?
        if title != nil, !writes { misplaced = "--title" }
        if text != nil, !writes { misplaced = "--text" }
        if !pictures.isEmpty, !writes { misplaced = "--picture" }
        if removesPictures, action != .edit { misplaced = "--no-pictures" }
        if isOriginalPhoto == true, !writes { misplaced = "--original-photo" }
        if isOriginalPhoto == false, action != .edit { misplaced = "--no-original-photo" }
        if !output.isEmpty, action != .export { misplaced = "--output" }
        if key != nil, action != .import { misplaced = "--key" }
        if isDryRun, action != .import { misplaced = "--dry-run" }
        if isJSON, action != .list, action != .show, action != .import { misplaced = "--json" }
        if let misplaced {
            throw .usage(
                "\(misplaced) makes no sense with account draft \(action.rawValue)",
                hint: Self.hint)
        }
    }

    private func checkRivals() throws(CommandFailure) {
        if removesPictures, !pictures.isEmpty {
            throw .usage("--picture and --no-pictures exclude each other")
        }
        if hasBothOfPhoto {
            throw .usage("--original-photo and --no-original-photo exclude each other")
        }
        guard (pictures + [text ?? ""]).count(where: { $0 == "-" }) <= 1 else {
            throw .usage(
                "standard input is one file, and cannot be two", hint: "name the other ones")
        }
    }

    private func checkNeeds() throws(CommandFailure) {
        switch action {
        case .add where title == nil:
            throw .usage("a draft needs a title", hint: "give it with --title T")
        case .edit
        where title == nil && text == nil && pictures.isEmpty && !removesPictures
            && isOriginalPhoto == nil:
            throw .usage(
                "what is to be changed?",
                hint: "--title, --text, --picture, --no-pictures, --original-photo or"
                    + " --no-original-photo")
        case .export where output == "-":
            throw .usage(
                "a draft is several files, and cannot be written to standard output",
                hint: "show prints its text; name a directory for the pictures")
        case .export where output.isEmpty:
            throw .usage(
                "export needs --output", hint: "name a directory that is not there yet")
        default: return
        }
    }
}
