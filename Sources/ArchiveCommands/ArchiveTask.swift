import AccountCommands
import Archiving
import JSON
import LinuxSystem
import SecretMemory
import Varlink

/// `account archive`.
struct ArchiveTask {
    /// What a program may put into the place of standard input, a part at a time.
    static let part = 1 << 16

    let options: ArchiveOptions
    let context: CommandContext
    let keys: DaemonKeys
    let archiver: Archiver

    static func run(
        _ options: ArchiveOptions, _ context: CommandContext
    ) throws(CommandFailure) {
        let keys = DaemonKeys(context)
        let store = ArchiveStore(
            path: try context.storePath(), keys: keys, patience: context.writersPatience)
        let task = ArchiveTask(
            options: options, context: context, keys: keys, archiver: Archiver(store: store))
        switch options.action {
        case .put: try task.put()
        case .get: try task.get()
        case .list: try task.list()
        case .remove: try task.remove()
        case .restore: try task.restore()
        case .import: try task.importFile()
        case .reseal: try task.reseal()
        }
    }

    /// Runs something of the library, and says what its errors come from.
    func library<R: ~Copyable>(
        _ body: () throws(ArchiveError) -> R
    ) throws(CommandFailure) -> R {
        do throws(ArchiveError) { return try body() } catch { throw keys.failure(error) }
    }

    var nothingStored: CommandFailure {
        CommandFailure(
            .nothingStored, "there is no archive \(options.name)",
            hint: "account archive list shows the names")
    }

    // MARK: The directory

    private func list() throws(CommandFailure) {
        let entries = try library { () throws(ArchiveError) in try archiver.entries() }
        guard options.isJSON else {
            return try context.print(
                entries.map { ControlCharacters.escaped($0.name) + "\n" }.joined())
        }
        let list = ArchiveValue.array(
            entries.map { entry in
                [
                    "name": .string(entry.name), "bytes": .integer(entry.size),
                    "modified": .integer(entry.modified),
                ]
            })
        let text = try library { () throws(ArchiveError) in
            try ArchiveValue.dictionary(["archives": list]).json()
        }
        try context.print(text + "\n")
    }

    private func remove() throws(CommandFailure) {
        let wasThere = try library { () throws(ArchiveError) in
            try archiver.delete(named: options.name)
        }
        guard wasThere else { throw nothingStored }
    }

    private func restore() throws(CommandFailure) {
        let wasThere = try library { () throws(ArchiveError) in
            try archiver.restorePrevious(named: options.name)
        }
        guard !wasThere else { return }
        throw CommandFailure(
            .nothingStored, "there is no generation before of an archive \(options.name)",
            hint: "account archive list shows the names")
    }

    // MARK: Rotation

    private func reseal() throws(CommandFailure) {
        let result = try sealAnew()
        let retired = try finishRotation()
        if result.sealed > 0 || result.failures.isEmpty {
            try context.print("Sealed \(Self.files(result.sealed)) anew.\n")
        }
        for failure in result.failures {
            let which = failure.isPrevious ? " (the generation before)" : ""
            context.warn("\(failure.error.description)\(which)")
        }
        if let first = result.failures.first {
            let isBusy = result.failures.allSatisfy(\.error.isBusy)
            throw CommandFailure(
                keys.failure(first.error).status,
                "\(Self.files(result.failures.count)) could not be sealed anew; the earlier master"
                    + " key stays for them",
                hint: (isBusy
                    ? "once they are written"
                    : "remove what is damaged with account archive remove NAME, then")
                    + " run account archive reseal")
        }
        if retired > 0 {
            context.warn(
                retired == 1
                    ? "an earlier master key is still needed by some file"
                    : "\(retired) earlier master keys are still needed by some file")
        }
    }

    private func sealAnew() throws(CommandFailure) -> Archiver.Resealing {
        var progress = Progress("archives", of: nil, context, .files)
        return try library { () throws(ArchiveError) in
            try archiver.sealAnew { done, all in progress.set(done, of: all) }
        }
    }

    private static func files(_ count: Int) -> String {
        count == 1 ? "1 file" : "\(count) files"
    }

    /// Has the daemon forget the master keys that nothing is sealed by any more, and says how many are
    /// left.
    private func finishRotation() throws(CommandFailure) -> Int {
        let arena = try context.makeArena(1 << 17)
        let notUnderstood = context.notUnderstood
        let left = try context.ask(
            limit: 256, in: arena, nilFor: "org.accountd.Account.NoAccount",
            { out throws(SecretMemoryError) in
                let call = try MessageWriter.beginCall("org.accountd.Keys.FinishRotation", &out)
                try call.end(&out)
            }
        ) { answer, index, text throws(CommandFailure) -> Int? in
            guard let retired = answer.field("retired", index, text),
                index.kind(of: retired) == .array
            else { throw notUnderstood }
            return index.count(of: retired)
        }
        return left ?? 0
    }
}
