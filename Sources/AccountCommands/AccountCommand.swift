import Glibc
import LinuxSystem

/// What `account` does: reads its arguments, asks the daemon, prints.
///
/// `token` and `check` are run by scripts before each request they send, so nothing on their way
/// makes a generic type at run time, builds a table or formats a text.
package enum AccountCommand {
    /// The program's version.
    package static let version: StaticString = "0.1.0"

    /// Runs this process's command line and gives its exit status.
    package static func run() -> Int32 {
        // SAFETY: the words live as long as the process.
        let arguments = unsafe ArgumentReader(
            count: ProcessArguments.count, words: ProcessArguments.words)
        return run(Invocation(arguments, StandardDescriptors())).rawValue
    }

    static func run(_ invocation: Invocation) -> ExitStatus {
        do {
            try prepare()
            return try dispatch(invocation)
        } catch {
            // Where nothing can be said, the status still tells.
            try? StandardStream.print(error.text, to: invocation.descriptors.error)
            return error.status
        }
    }

    // Before anything is opened: a token must not end up on whatever becomes descriptor 1.
    private static func prepare() throws(CommandFailure) {
        ProcessHardening.ignoreBrokenPipes()
        do {
            try ProcessHardening.openStandardDescriptors()
        } catch { throw .system("cannot open /dev/null", error) }
    }

    private static func dispatch(_ given: Invocation) throws(CommandFailure) -> ExitStatus {
        var invocation = given
        guard let word = try invocation.nextWord() else {
            throw .usage("no command is given", hint: "account help lists the commands")
        }
        guard let command = Command.named(word) else {
            return try runWithoutCommand(word, &invocation)
        }
        switch invocation.request {
        case .none: break
        case .help: return try HelpCommand.print(helpOf: command, invocation)
        case .version: return try printVersion(invocation)
        }
        switch command {
        case .token: return try Asking.run(invocation, TokenCommand.run)
        case .check: return try Asking.run(invocation, CheckCommand.run)
        case .header: return try Asking.run(invocation, HeaderCommand.run)
        case .expires: return try Asking.run(invocation, ExpiresCommand.run)
        case .show: return try Asking.run(invocation, ShowCommand.run)
        case .login: return try LoginCommand.run(&invocation)
        case .logout: return try LogoutCommand.run(&invocation)
        case .status: return try Asking.run(invocation, StatusCommand.run)
        case .lock: return try LockCommand.run(&invocation)
        case .unlock: return try UnlockCommand.run(&invocation)
        case .key: return try KeyCommand.run(&invocation)
        case .doctor: return try DoctorCommand.run(&invocation)
        case .exitCodes: return try ExitCodesCommand.run(&invocation)
        case .completion: return try CompletionCommand.run(&invocation)
        case .help: return try HelpCommand.run(&invocation)
        case .importFile, .exportFile:
            try LibexecProgram.become(ImportCommand.program, for: ImportCommand.commands)
        case .archive, .draft:
            try LibexecProgram.become(ArchiveCommand.program, for: ArchiveCommand.commands)
        }
    }

    // The first word is an option, or nothing that is known.
    private static func runWithoutCommand(
        _ word: String, _ invocation: inout Invocation
    ) throws(CommandFailure) -> ExitStatus {
        if word == CommandOption.helpLetter { return try HelpCommand.run(&invocation) }
        switch word {
        case .help: return try HelpCommand.run(&invocation)
        case .version:
            if invocation.request == .help { return try HelpCommand.run(&invocation) }
            if let option = try invocation.nextOption() {
                throw .usage("\(word) has no option \(option)")
            }
            return try printVersion(invocation)
        default: throw HelpCommand.unknown(word)
        }
    }

    private static func printVersion(
        _ invocation: Invocation
    ) throws(CommandFailure) -> ExitStatus {
        try invocation.print("account \(version)\n")
        return .done
    }
}
