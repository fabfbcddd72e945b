import AccountCommands
import Archiving
import LinuxSystem
import Sealing
import SecretMemory
import Synchronization

/// Keys from the daemon, which is started, and the store opened, where that is needed.
final class DaemonKeys: ArchiveKeySource {
    private let context: CommandContext
    // An error of the library's says less than the command's own.
    private let failed = Mutex<CommandFailure?>(nil)

    init(_ context: CommandContext) { self.context = context }

    func key(
        of name: ArchiveName, under id: MasterKeyID?, in store: borrowing Directory,
        arena: SecretArena
    ) throws(ArchiveError) -> ArchiveKey? {
        do throws(CommandFailure) {
            return try ask(name, id, arena)
        } catch {
            let failure = error
            failed.withLock { $0 = failure }
            throw .daemon(error.message)
        }
    }

    private func ask(
        _ name: ArchiveName, _ id: MasterKeyID?, _ arena: SecretArena
    ) throws(CommandFailure) -> ArchiveKey? {
        let notUnderstood = context.notUnderstood
        return try context.ask(
            limit: 4096, in: arena, nilFor: "org.accountd.Keys.NoSuchKey",
            { out throws(SecretMemoryError) in try ArchiveKeyCall.write(name, under: id, &out) }
        ) { answer, index, text throws(CommandFailure) in
            let key: ArchiveKey?
            do throws(SecretMemoryError) {
                key = try ArchiveKeyCall.key(answer, index, text, arena)
            } catch { throw CommandFailure(.systemRefused, "there is no memory for keys (ENOMEM)") }
            guard let key else { throw notUnderstood }
            return key
        }
    }

    /// What an error of the library's comes from.
    func failure(_ error: ArchiveError) -> CommandFailure {
        if case .daemon = error, let failure = failed.withLock({ $0 }) {
            guard failure.status == .nothingStored else { return failure }
            return CommandFailure(
                .nothingStored, "the store has no key yet, under which archives are sealed",
                hint: "log in with account login, or make one: account key add keyfile")
        }
        return CommandFailure(error)
    }
}
