/// The commands: what runs them, their help and their completion go through this one list.
///
/// It is looked through by number, the most run first: a list of texts would be the only array that
/// `account token` makes.
enum Command: UInt8, CaseIterable {
    case token, check, header, expires, show, login, logout, status, lock, unlock, key, doctor
    case exitCodes, completion, help, importFile, exportFile, archive, draft

    /// The command of that name.
    static func named(_ word: String) -> Command? {
        var number: UInt8 = 0
        while let command = Command(rawValue: number) {
            if command.name == word { return command }
            number += 1
        }
        return nil
    }

    /// How it is written.
    var name: String {
        switch self {
        case .token: "token"
        case .check: "check"
        case .header: "header"
        case .expires: "expires"
        case .show: "show"
        case .login: "login"
        case .logout: "logout"
        case .status: "status"
        case .lock: "lock"
        case .unlock: "unlock"
        case .key: "key"
        case .doctor: "doctor"
        case .exitCodes: "exit-codes"
        case .completion: "completion"
        case .help: "help"
        case .importFile: "import"
        case .exportFile: "export"
        case .archive: "archive"
        case .draft: "draft"
        }
    }

    /// What it does, in a few words.
    var summary: String {
        switch self {
        case .token: "print the token, if it is good"
        case .check: "is the token good for long enough?"
        case .header: "print the token as an HTTP header"
        case .expires: "print when the token expires"
        case .show: "who is logged in, and until when"
        case .login: "store the account from a token response of Weibo's"
        case .logout: "forget the account"
        case .status: "show the daemon, without starting it"
        case .lock: "have the daemon forget the key, until account unlock"
        case .unlock: "open the store, with the passphrase where it has one"
        case .key: "what opens the store: show, add, remove, renew"
        case .doctor: "look for what is wrong, and repair it"
        case .exitCodes: "what the exit statuses mean"
        case .completion: "what your shell needs to complete account's commands"
        case .help: "how a command is used"
        case .importFile: "store the account from an app's file"
        case .exportFile: "write the account for an app, token included"
        case .archive: "keep other values sealed, by name"
        case .draft: "keep posts that are not sent yet, with pictures"
        }
    }

    /// How it is used.
    var description: CommandDescription {
        switch self {
        case .token: TokenCommand.description
        case .check: CheckCommand.description
        case .header: HeaderCommand.description
        case .expires: ExpiresCommand.description
        case .show: ShowCommand.description
        case .login: LoginCommand.description
        case .logout: LogoutCommand.description
        case .status: StatusCommand.description
        case .lock: LockCommand.description
        case .unlock: UnlockCommand.description
        case .key: KeyCommand.description
        case .doctor: DoctorCommand.description
        case .exitCodes: ExitCodesCommand.description
        case .completion: CompletionCommand.description
        case .help: HelpCommand.description
        case .importFile: ImportCommand.description
        case .exportFile: ExportCommand.description
        case .archive: ArchiveCommand.description
        case .draft: DraftCommand.description
        }
    }

    /// All of them, in the order in which people are shown them.
    static let listed: [Command] = [
        .login, .importFile, .show, .token, .header, .expires, .check, .logout, .exportFile, .draft,
        .archive, .lock,
        .unlock, .key, .status, .doctor, .exitCodes, .completion, .help,
    ]
}
