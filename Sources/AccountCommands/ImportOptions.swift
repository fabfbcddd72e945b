/// What `account import` was given.
package struct ImportOptions: Equatable, Sendable {
    /// A path; `-` stands for standard input.
    package var source: String
    /// `--uid`.
    package var uid: String?
    /// `--expires-at`, seconds since 1970.
    package var expiresAt: Int64?
    /// `--expires-in`, seconds.
    package var expiresIn: Int64?
    /// `--issued-at`, seconds since 1970.
    package var issuedAt: Int64?
    /// `--replace`.
    package var replaces = false
    /// `--dry-run`.
    package var isDryRun = false
    /// `--json`.
    package var isJSON = false

    private static let uidOption = CommandOption(
        "--uid", "U", .text,
        "which account, where the file has several; or whose it is, where it says not")
    private static let expiresAtOption = CommandOption(
        "--expires-at", "TIME", .text, "when the token expires, where the file does not say")
    private static let expiresInOption = CommandOption(
        "--expires-in", "D", .text,
        """
        how long it lives, where the file does not say; counted from
        --issued-at, from the date in the file, or else from now
        """)
    private static let issuedAtOption = CommandOption(
        "--issued-at", "TIME", .text, "when it was granted, where the file does not say")
    private static let replace = CommandOption(
        "--replace",
        """
        forget another account that is stored; take an expired token in the
        place of a good one; begin a store anew that cannot be opened
        """)
    private static let dryRun = CommandOption(
        "--dry-run", "only show what would be stored; the token is not shown")
    private static let json = CommandOption("--json", "with --dry-run: show it as JSON")

    /// The options of the command.
    static let all = [
        uidOption, expiresAtOption, expiresInOption, issuedAtOption, replace, dryRun, json,
    ]

    /// Options for a file.
    package init(source: String) { self.source = source }

    /// Reads the options of the command, and the file's name among them.
    init(_ invocation: inout Invocation) throws(CommandFailure) {
        self.init(source: "")
        while let word = try invocation.nextArgument() {
            switch word {
            case .operand(let path):
                guard source.isEmpty else { throw .usage("'\(path)' is one word too many") }
                source = try GlobalOptions.path(path, "import")
            case .option(let option): try take(option, &invocation)
            }
        }
        guard !source.isEmpty else {
            throw .usage(
                "import needs the name of a file",
                hint: "account import FILE; - is standard input")
        }
        guard isDryRun || !isJSON else { throw .usage("--json goes with --dry-run") }
    }

    private mutating func take(
        _ option: String, _ invocation: inout Invocation
    ) throws(CommandFailure) {
        switch option {
        case Self.uidOption: uid = try invocation.value(of: option)
        case Self.expiresAtOption:
            expiresAt = try LoginOptions.time(invocation.value(of: option), option)
        case Self.expiresInOption: expiresIn = try invocation.duration(of: option)
        case Self.issuedAtOption:
            issuedAt = try LoginOptions.time(invocation.value(of: option), option)
        case Self.replace: replaces = true
        case Self.dryRun: isDryRun = true
        case Self.json: isJSON = true
        default: throw Invocation.unknown(option, .importFile)
        }
    }
}
