import AccountCommands
import AccountImport
import ArchiveImport
import Archiving
import SecretMemory

// `account archive import`
extension ArchiveTask {
    /// Stores what an app has archived.
    func importFile() throws(CommandFailure) {
        let imported = try ImportedFile.read(options.source, key: options.key, context)
        if case .drafts(_, let warnings) = imported {
            for warning in warnings { context.warn(warning) }
        }
        if options.isDryRun {
            return try context.print(
                imported.report(isJSON: options.isJSON, key: options.key))
        }
        switch imported {
        case .drafts(let drafts, _):
            try library { () throws(ArchiveError) in
                try archiver.write(drafts, named: options.name)
            }
            try say(drafts.count == 1 ? "1 draft" : "\(drafts.count) drafts")
        case .objects(let objects, let className):
            try library { () throws(ArchiveError) in
                try archiver.write(.array(objects), named: options.name)
            }
            let what = objects.count == 1 ? "1 object" : "\(objects.count) objects"
            try say(what + (className.map { " of the class \($0)" } ?? ""))
        case .value(let value):
            try library { () throws(ArchiveError) in
                try archiver.write(value, named: options.name)
            }
            try say("a value")
        }
    }

    private func say(_ what: String) throws(CommandFailure) {
        if options.isJSON { return try context.print("{\"name\":\(quoted(options.name))}\n") }
        try context.print(
            "Imported \(ControlCharacters.escaped(what)) as"
                + " \(ControlCharacters.escaped(options.name)).\n")
    }

    private func quoted(_ text: String) throws(CommandFailure) -> String {
        try library { () throws(ArchiveError) in try ArchiveValue.string(text).json() }
    }
}

/// A file of an app's, read and understood.
enum ImportedFile {
    static func read(
        _ path: String, key: String?, _ context: CommandContext
    ) throws(CommandFailure) -> ImportedArchive {
        let source = try ImportSource.open(
            path, limit: ArchiveImportLimits.maximumFile, directoryHint: "name a file in it",
            context)
        let size = ArchiveImportLimits.arena(forFileOf: source.size)
        let arena = try context.makeArena(size)
        let file = try source.read(into: arena)
        return try file.withBytes { bytes throws(CommandFailure) in
            do throws(ImportError) {
                return try ImportedArchive.read(bytes, key: key, in: arena)
            } catch { throw CommandFailure(error) }
        }
    }
}
