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

    /// Runs `account-import`'s command line, which is that of `account`, and gives its exit status.
    package static func run(
        importing: (ImportOptions, CommandContext) throws(CommandFailure) -> Void,
        exporting: (ExportOptions, CommandContext) throws(CommandFailure) -> Void
    ) -> Int32 {
        // SAFETY: the words live as long as the process.
        let arguments = unsafe ArgumentReader(
            count: ProcessArguments.count, words: ProcessArguments.words)
        // It holds tokens in its locked memory for a moment, and reads what strangers wrote.
        return run(
            Invocation(arguments, StandardDescriptors()), hardening: ProcessHardening.apply,
            importing: importing, exporting: exporting
        ).rawValue
    }

    /// The same for a command line of a test's, which hardens nothing.
    static func run(
        _ given: Invocation, hardening: () throws(Errno) -> Void = {},
        importing: (ImportOptions, CommandContext) throws(CommandFailure) -> Void,
        exporting: (ExportOptions, CommandContext) throws(CommandFailure) -> Void
    ) -> ExitStatus {
        do throws(CommandFailure) {
            do { try hardening() } catch { throw .system("cannot protect itself", error) }
            return try dispatch(given, importing, exporting)
        } catch {
            try? StandardStream.print(error.text, to: given.descriptors.error)
            return error.status
        }
    }

    private static func dispatch(
        _ given: Invocation,
        _ importing: (ImportOptions, CommandContext) throws(CommandFailure) -> Void,
        _ exporting: (ExportOptions, CommandContext) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> ExitStatus {
        var invocation = given
        guard let word = try invocation.nextWord(), let command = Command.named(word),
            command == .importFile || command == .exportFile
        else {
            throw .usage("this program is run by account import and account export")
        }
        switch invocation.request {
        case .none: break
        case .help: return try HelpCommand.print(helpOf: command, invocation)
        case .version:
            try invocation.print("account \(AccountCommand.version)\n")
            return .done
        }
        if command == .importFile {
            let options = try ImportOptions(&invocation)
            try importing(options, CommandContext(invocation))
        } else {
            let options = try ExportOptions(&invocation)
            try exporting(options, CommandContext(invocation))
        }
        return .done
    }
}
