import Glibc
import LinuxSystem

/// The programs that `account` becomes for commands which need more than it links.
package enum LibexecProgram {
    /// A program's path: beside the one that runs, or where packages put such programs.
    ///
    /// PATH is not looked at.
    static func find(_ name: String, for commands: String) throws(CommandFailure) -> String {
        let own: String
        do { own = try ChildProcess.executablePath() } catch {
            throw .system(
                "cannot tell where this program stands, and so where \(name) is", error,
                hint: "if it was just upgraded, run the command again")
        }
        let directory = Files.split(own).parent
        for candidate in [
            directory + "/" + name, directory + "/../libexec/" + name, "/usr/libexec/" + name,
        ] {
            guard let status = try? FileStatus.of(path: candidate, following: true),
                status.kind == .regular, status.permissions & 0o111 != 0
            else { continue }
            return candidate
        }
        throw CommandFailure(
            .systemRefused, "\(commands) are run by \(name), which is not installed (ENOENT)",
            hint: "install \(name) in \(directory)")
    }

    /// Becomes one of these programs.
    ///
    /// - Parameter words: what it reads after its name; nil: the same words.
    static func become(
        _ name: String, for commands: String, words: [String]? = nil
    ) throws(CommandFailure) -> Never {
        let path = try find(name, for: commands)
        var given = words
        if given == nil {
            do { given = try ProcessArguments.all() } catch { throw CommandFailure(error) }
        }
        let error = ChildProcess.replaceThisProcess(path, arguments: given ?? [])
        throw .system("cannot run \(path)", error)
    }

    /// Runs `account-import`'s command line, which is that of `account`, and gives its exit status.
    package static func run(
        importing: (ImportOptions, CommandContext) throws(CommandFailure) -> Void,
        exporting: (ExportOptions, CommandContext) throws(CommandFailure) -> Void
    ) -> Int32 {
        run(
            thisProcess, hardening: ProcessHardening.apply, importing: importing,
            exporting: exporting
        )
        .rawValue
    }

    /// Runs `account-archive`'s command line, which is that of `account`, and gives its exit status.
    package static func run(
        archives: (ArchiveOptions, CommandContext) throws(CommandFailure) -> Void,
        drafts: (DraftOptions, CommandContext) throws(CommandFailure) -> Void
    ) -> Int32 {
        run(thisProcess, hardening: ProcessHardening.apply, archives: archives, drafts: drafts)
            .rawValue
    }

    private static var thisProcess: Invocation {
        // SAFETY: the words live as long as the process.
        let arguments = unsafe ArgumentReader(
            count: ProcessArguments.count, words: ProcessArguments.words)
        return Invocation(arguments, StandardDescriptors())
    }

    /// The same for a command line of a test's, which hardens nothing.
    static func run(
        _ given: Invocation, hardening: () throws(Errno) -> Void = {},
        importing: (ImportOptions, CommandContext) throws(CommandFailure) -> Void,
        exporting: (ExportOptions, CommandContext) throws(CommandFailure) -> Void
    ) -> ExitStatus {
        run(given, hardening, ImportCommand.commands) {
            command, invocation throws(CommandFailure) in
            switch command {
            case .importFile:
                let options = try ImportOptions(&invocation)
                try importing(options, CommandContext(invocation))
            case .exportFile:
                let options = try ExportOptions(&invocation)
                try exporting(options, CommandContext(invocation))
            default: return false
            }
            return true
        }
    }

    /// The same for a command line of a test's, which hardens nothing.
    static func run(
        _ given: Invocation, hardening: () throws(Errno) -> Void = {},
        archives: (ArchiveOptions, CommandContext) throws(CommandFailure) -> Void,
        drafts: (DraftOptions, CommandContext) throws(CommandFailure) -> Void
    ) -> ExitStatus {
        run(given, hardening, ArchiveCommand.commands) {
            command, invocation throws(CommandFailure) in
            switch command {
            case .archive:
                let options = try ArchiveOptions(&invocation)
                try archives(options, CommandContext(invocation))
            case .draft:
                let options = try DraftOptions(&invocation)
                try drafts(options, CommandContext(invocation))
            default: return false
            }
            return true
        }
    }

    // It holds secrets in its memory for a moment, and reads what strangers wrote.
    private static func run(
        _ given: Invocation, _ hardening: () throws(Errno) -> Void, _ commands: String,
        _ body: (Command, inout Invocation) throws(CommandFailure) -> Bool
    ) -> ExitStatus {
        do throws(CommandFailure) {
            do { try hardening() } catch { throw .system("cannot protect itself", error) }
            return try dispatch(given, commands, body)
        } catch {
            try? StandardStream.print(error.text, to: given.descriptors.error)
            return error.status
        }
    }

    private static func dispatch(
        _ given: Invocation, _ commands: String,
        _ body: (Command, inout Invocation) throws(CommandFailure) -> Bool
    ) throws(CommandFailure) -> ExitStatus {
        let stranger = CommandFailure.usage("this program is run by \(commands)")
        var invocation = given
        guard let word = try invocation.nextWord(), let command = Command.named(word) else {
            throw stranger
        }
        switch invocation.request {
        case .none: break
        case .help: return try HelpCommand.print(helpOf: command, invocation)
        case .version:
            try invocation.print("account \(AccountCommand.version)\n")
            return .done
        }
        guard try body(command, &invocation) else { throw stranger }
        return .done
    }
}
