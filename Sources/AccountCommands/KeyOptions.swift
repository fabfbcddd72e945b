/// What `account key` was given.
struct KeyOptions: Equatable {
    /// What is to be done.
    enum Action: String, CaseIterable {
        case list, add, remove, rotate, recovery
    }

    /// What may open a store.
    enum Kind: String, CaseIterable {
        case passphrase, credential, keyfile, recovery

        /// What it is, in a few words.
        var summary: String {
            switch self {
            case .passphrase: "what somebody types"
            case .credential: "what the service manager passes to the daemon"
            case .keyfile: "a file on this machine"
            case .recovery: "a code that is written down"
            }
        }
    }

    /// What is to be done.
    private(set) var action = Action.list
    /// Of the slot that is added.
    private(set) var kind = Kind.passphrase
    /// Of the slot that is removed.
    private(set) var id = ""
    /// Where the passphrase is read from.
    private(set) var source = PassphraseSource()
    /// `--json`.
    private(set) var isJSON = false
    /// `--keep-keyfile`.
    private(set) var keepsKeyFile = false
    /// `--no-rotate`.
    private(set) var rotates = true
    /// `--code-file`: a new file for the recovery code; empty when it is shown.
    private(set) var codeFile = ""

    private static let json = CommandOption("--json", "list: print the slots as JSON")
    private static let keepKeyFile = CommandOption(
        "--keep-keyfile", "add passphrase: the key file goes on opening the store by itself")
    private static let noRotate = CommandOption(
        "--no-rotate",
        "remove: leave the master key as it is; who has known the slot's secret\n"
            + "and has a copy of the store can still open that copy, and later ones")
    private static let codeFileOption = CommandOption(
        "--code-file", "FILE", .file,
        "recovery: write the code into FILE, which must not be there yet; it is\n"
            + "neither shown nor asked back")

    /// The options of the command.
    static let all = PassphraseSource.options + [json, keepKeyFile, noRotate, codeFileOption]

    /// What may stand after the command's name.
    static let actions = [
        CommandWord("list", "the slots as they stand, with --json for programs"),
        CommandWord(
            "add", "a slot; KIND is passphrase, credential, keyfile or recovery",
            following: Kind.allCases.map { CommandWord($0.rawValue, $0.summary) }),
        CommandWord(
            "remove", "the slot whose id begins with ID; the master key is changed with it"),
        CommandWord("rotate", "put another master key in place of the present one"),
        CommandWord("recovery", "the same as add recovery"),
    ]

    /// Reads what follows the command's name.
    init(_ invocation: inout Invocation) throws(CommandFailure) {
        var words: [String] = []
        while let word = try invocation.nextWord() {
            if try takeOption(word, &invocation) { continue }
            guard !word.hasPrefix("-") else { throw Invocation.unknown(word, .key) }
            words.append(word)
        }
        guard let word = words.first else {
            throw .usage("what is to be done with the keys?", hint: Self.hint)
        }
        guard let action = Action(rawValue: word) else {
            throw .usage("account key has no '\(word)'", hint: Self.hint)
        }
        self.action = action
        let takesOperand = action == .add || action == .remove
        guard words.count <= (takesOperand ? 2 : 1) else {
            // It may be the passphrase, by somebody who has not read that none is taken from there.
            throw .usage("there is one word too many", hint: Self.hint)
        }
        switch action {
        case .add: kind = try Self.kind(words.last)
        case .remove:
            guard words.count == 2 else {
                throw .usage("which slot is to be removed?", hint: "account key list shows the ids")
            }
            id = words[1]
        case .recovery: kind = .recovery
        case .list, .rotate: break
        }
        try checkOptions()
    }

    private mutating func takeOption(
        _ word: String, _ invocation: inout Invocation
    ) throws(CommandFailure) -> Bool {
        if try source.take(word, &invocation) { return true }
        switch word {
        case Self.json: isJSON = true
        case Self.keepKeyFile: keepsKeyFile = true
        case Self.noRotate: rotates = false
        case Self.codeFileOption:
            codeFile = try GlobalOptions.path(invocation.value(of: word), word)
        default: return false
        }
        return true
    }

    private static let hint = "account help key lists what it can do"

    private static func kind(_ word: String?) throws(CommandFailure) -> Kind {
        guard let word, let kind = Kind(rawValue: word) else {
            throw .usage(
                "which kind of slot is to be added?",
                hint: "the kinds are passphrase, credential, keyfile and recovery")
        }
        return kind
    }

    // An option that does nothing where it stands was meant for something.
    private func checkOptions() throws(CommandFailure) {
        let adds = action == .add || action == .recovery
        var misplaced: String?
        if isJSON, action != .list { misplaced = "--json" }
        if !rotates, action != .remove { misplaced = "--no-rotate" }
        if source.isNamed, !adds || kind != .passphrase {
            misplaced = source.file.isEmpty ? "--passphrase-fd" : "--passphrase-file"
        }
        if keepsKeyFile, !adds || kind != .passphrase { misplaced = "--keep-keyfile" }
        if !codeFile.isEmpty, !adds || kind != .recovery { misplaced = "--code-file" }
        if let misplaced {
            throw .usage(
                "\(misplaced) makes no sense with account key \(action.rawValue)"
                    + (action == .add ? " \(kind.rawValue)" : ""), hint: Self.hint)
        }
    }
}
