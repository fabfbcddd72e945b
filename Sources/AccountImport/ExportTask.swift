import AccountCommands
import Accounts
import LinuxSystem
import SecretMemory

/// `account export`: has the daemon hand out the account, and writes it for an app.
enum ExportTask {
    /// Bytes of locked memory: the daemon's answer, and what is made of it.
    private static let memory = 1 << 18

    static func run(
        _ options: ExportOptions, _ context: CommandContext
    ) throws(CommandFailure) {
        // What is wrong with the command line is said before the token is asked for.
        _ = try ExportFields(options.keys)
        let arena = try context.makeArena(memory)
        let account = try context.export(in: arena)
        let bytes = try AccountExport.write(account, options, in: arena)
        if options.output == "-" {
            do {
                try bytes.withBytes { bytes throws(Errno) in
                    try StandardStream.writeAll(bytes, to: context.output)
                }
            } catch {
                throw CommandFailure(
                    .systemRefused,
                    "cannot write to standard output: \(error.message) (\(error.name))")
            }
            return
        }
        try write(bytes, options)
        let name = account.screenName.map { "\($0) (uid \(account.uid))" } ?? "uid \(account.uid)"
        try context.print(
            "Wrote the account of \(ControlCharacters.escaped(name)), token included, to"
                + " \(ControlCharacters.escaped(options.output)).\n")
    }

    private static func write(
        _ bytes: borrowing SecretBuffer, _ options: ExportOptions
    ) throws(CommandFailure) {
        do {
            try bytes.withBytes { bytes throws(Errno) in
                if options.isForced {
                    try ExclusiveFile.replace(bytes, at: options.output)
                } else {
                    try ExclusiveFile.create(bytes, at: options.output)
                }
            }
        } catch {
            throw CommandFailure(
                .systemRefused, "cannot make \(options.output): \(error.message) (\(error.name))",
                hint: error == .exists ? "name another file, or replace it with --force" : nil)
        }
    }
}
