import AccountCommands
import AccountImport
import ArchiveImport
import Archiving
import FoundationEssentials
import Glibc
import LinuxSystem
import SecretMemory

/// `account draft`.
struct DraftTask {
    /// Bytes of a draft's text.
    private static let maximumText = 1 << 20
    /// Bytes of a picture.
    private static let maximumPicture = 32 << 20

    let options: DraftOptions
    let context: CommandContext
    let keys: DaemonKeys
    let box: DraftBox

    static func run(_ options: DraftOptions, _ context: CommandContext) throws(CommandFailure) {
        let keys = DaemonKeys(context)
        let store = ArchiveStore(
            path: try context.storePath(), keys: keys, patience: context.writersPatience)
        let task = DraftTask(
            options: options, context: context, keys: keys,
            box: DraftBox(in: Archiver(store: store)))
        switch options.action {
        case .add: try task.add()
        case .list: try task.list()
        case .show: try task.show()
        case .edit: try task.edit()
        case .remove: try task.remove()
        case .export: try task.export()
        case .import: try task.importFile()
        }
    }

    /// Runs something of the library, and says what its errors come from.
    func library<R>(_ body: () throws(ArchiveError) -> R) throws(CommandFailure) -> R {
        do throws(ArchiveError) { return try body() } catch { throw keys.failure(error) }
    }

    // MARK: Which draft

    /// The place of the draft that is meant; nil when there is none.
    ///
    /// An id is 16 hexadecimal digits; what has fewer is a number.
    static func index(of draft: String, in drafts: [Draft]) -> Int? {
        if let index = drafts.firstIndex(where: { $0.id == draft }) { return index }
        guard draft.utf8.count < 16, let number = Int(draft), drafts.indices.contains(number - 1)
        else { return nil }
        return number - 1
    }

    private func noSuchDraft(of count: Int) -> CommandFailure {
        CommandFailure(
            .nothingStored, "there is no draft \(options.draft)",
            hint: count == 0
                ? "there are none; account draft add makes one"
                : "account draft list shows their numbers, from 1 to \(count)")
    }

    private func found() throws(CommandFailure) -> (number: Int, draft: Draft) {
        let drafts = try library { () throws(ArchiveError) in try box.drafts() }
        guard let index = Self.index(of: options.draft, in: drafts) else {
            throw noSuchDraft(of: drafts.count)
        }
        return (index + 1, drafts[index])
    }

    // MARK: Changes

    private func add() throws(CommandFailure) {
        var draft = Draft(title: options.title ?? "", time: Draft.wallTime())
        try apply(to: &draft)
        let made = draft
        try library { () throws(ArchiveError) in try box.save(made) }
        try context.print("Added draft 1, \(Self.pictures(made)).\n")
    }

    private func edit() throws(CommandFailure) {
        // Files are read before the box is locked: nobody is to wait for a slow one.
        var changed = Draft(title: options.title ?? "", time: Draft.wallTime())
        try apply(to: &changed)
        let source = changed
        var count = 0
        var number: Int?
        try library { () throws(ArchiveError) in
            try box.update { drafts in
                count = drafts.count
                guard let index = Self.index(of: options.draft, in: drafts) else { return }
                number = index + 1
                merge(source, into: &drafts[index])
            }
        }
        guard let number else { throw noSuchDraft(of: count) }
        try context.print("Changed draft \(number).\n")
    }

    private func apply(to draft: inout Draft) throws(CommandFailure) {
        if let path = options.text { draft.text = try text(path) }
        for path in options.pictures {
            draft.pictures.append(Data(try read(path, limit: Self.maximumPicture)))
        }
        if let isOriginal = options.isOriginalPhoto { draft.isOriginalPhoto = isOriginal }
    }

    private func merge(_ source: Draft, into draft: inout Draft) {
        if options.title != nil { draft.title = source.title }
        if options.text != nil { draft.text = source.text }
        if !options.pictures.isEmpty || options.removesPictures {
            draft.pictures = source.pictures
            draft.pictureAssets = []
        }
        if let isOriginal = options.isOriginalPhoto { draft.isOriginalPhoto = isOriginal }
        draft.time = source.time
    }

    private func text(_ path: String) throws(CommandFailure) -> String {
        let bytes = try read(path, limit: Self.maximumText)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                .inputRejected, "\(path == "-" ? "standard input" : path) is not UTF-8 text")
        }
        return text
    }

    private func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        let source = try ImportSource.open(
            path, limit: limit, directoryHint: "name a file in it", context)
        let arena = try context.makeArena(4 * max(1 << 16, source.size))
        let file = try source.read(into: arena)
        return file.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func remove() throws(CommandFailure) {
        var count = 0
        var removed: Draft?
        try library { () throws(ArchiveError) in
            try box.update { drafts in
                count = drafts.count
                guard let index = Self.index(of: options.draft, in: drafts) else { return }
                removed = drafts.remove(at: index)
            }
        }
        guard let removed else { throw noSuchDraft(of: count) }
        try context.print("Removed \(ControlCharacters.escaped(removed.title)).\n")
    }

    private func importFile() throws(CommandFailure) {
        let imported = try ImportedFile.read(options.source, key: options.key, context)
        let drafts: [Draft]
        let warnings: [String]
        do throws(ImportError) {
            (drafts, warnings) = try imported.drafts()
        } catch { throw CommandFailure(error) }
        for warning in warnings { context.warn(warning) }
        if options.isDryRun {
            return try context.print(
                imported.report(isJSON: options.isJSON, key: options.key))
        }
        // They were written before those that are there by now.
        try library { () throws(ArchiveError) in try box.update { $0 += drafts } }
        try context.print(
            options.isJSON
                ? "{\"imported\":\(drafts.count)}\n"
                : "Imported \(drafts.count == 1 ? "1 draft" : "\(drafts.count) drafts").\n")
    }

    // MARK: Output

    private func list() throws(CommandFailure) {
        let drafts = try library { () throws(ArchiveError) in try box.drafts() }
        if options.isJSON {
            let values = drafts.map { DraftText.value($0) }
            return try print(["drafts": .array(values)])
        }
        try context.print(DraftText.table(drafts))
    }

    private func show() throws(CommandFailure) {
        let (number, draft) = try found()
        if options.isJSON { return try print(DraftText.value(draft, withText: true)) }
        try context.print(DraftText.page(draft, number))
    }

    private func print(_ value: ArchiveValue) throws(CommandFailure) {
        let text = try library { () throws(ArchiveError) in try value.json() }
        try context.print(text + "\n")
    }

    private func export() throws(CommandFailure) {
        let (number, draft) = try found()
        let names = try DraftFiles(directory: options.output).write(draft)
        try context.print(
            "Wrote draft \(number) into \(ControlCharacters.escaped(options.output)): "
                + "\(names.joined(separator: ", ")).\n")
    }

    private static func pictures(_ draft: Draft) -> String {
        switch draft.pictures.count {
        case 0: "without pictures"
        case 1: "with 1 picture"
        default: "with \(draft.pictures.count) pictures"
        }
    }
}
