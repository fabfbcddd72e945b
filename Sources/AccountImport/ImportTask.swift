import AccountCommands
import Accounts
import LinuxSystem
import SecretMemory

/// `account import`: reads a file, and has the daemon store the account in it.
enum ImportTask {
    static func run(
        _ options: ImportOptions, _ context: CommandContext
    ) throws(CommandFailure) {
        let source = try ImportSource.open(options.source, context)
        let arena = try context.makeArena(ImportLimits.arena(forFileOf: source.size))
        // Before a daemon is started: a file that is rejected should leave nothing behind.
        let imported = try read(source, options, arena)
        for warning in imported.warnings { context.warn(warning) }
        if options.isDryRun {
            try context.print(ImportReport.text(of: imported, isJSON: options.isJSON))
            return
        }
        let stored = try context.store(imported.account, replaces: options.replaces, in: arena)
        try context.print("Imported \(stored).\n")
    }

    private static func read(
        _ source: borrowing ImportSource, _ options: ImportOptions, _ arena: SecretArena
    ) throws(CommandFailure) -> ImportedAccount {
        let file = try source.read(into: arena)
        let supplement = ImportSupplement(
            now: Clock.realtime().seconds, uid: options.uid, expiresAt: options.expiresAt,
            expiresIn: options.expiresIn, issuedAt: options.issuedAt)
        return try file.withBytes { bytes throws(CommandFailure) in
            var reader = ArchiveReader(arena: arena)
            do throws(ImportError) {
                return try reader.read(bytes, supplement: supplement)
            } catch { throw CommandFailure(error) }
        }
    }
}
