package import JSON
import LinuxSystem
package import SecretMemory
package import Varlink

extension CommandContext {
    /// The state directory that is meant.
    ///
    /// - Throws: for the system's daemon, whose directory is its own.
    package func storePath() throws(CommandFailure) -> String {
        guard !options.isSystem else {
            throw .usage(
                "archives and drafts are this user's own, not the system's daemon's",
                hint: "leave --system out")
        }
        return try StoreLocation.of(options).path
    }

    /// Asks the daemon something, and starts it, or has the store opened, where that is needed.
    ///
    /// - Parameters:
    ///   - limit: bytes that the call may have.
    ///   - absent: an error that stands for nothing, whose name is whole.
    ///   - write: writes the call.
    ///   - body: gets the answer, which is no error, its index and its text.
    /// - Returns: nil where the daemon has answered with that error.
    package func ask<R: ~Copyable>(
        limit: Int, in arena: SecretArena, nilFor absent: StaticString,
        _ write: (inout SecretBuffer) throws(SecretMemoryError) -> Void,
        _ body: (ClientReply, borrowing JSONIndex, Span<UInt8>) throws(CommandFailure) -> R?
    ) throws(CommandFailure) -> R? {
        try Asking.whileOpen(options) { () throws(CommandFailure) in
            var exchange = try Asking.connect(
                DaemonFinder(options: options, sendsSecret: true), arena)
            try exchange.send(limit: limit, write)
            try exchange.receive()
            if try Self.isError(absent, exchange) { return nil }
            return try exchange.read(.asking(minimum: 0), body)
        }
    }

    private static func isError(
        _ name: StaticString, _ exchange: borrowing Exchange
    ) throws(CommandFailure) -> Bool {
        try exchange.withText { text throws(CommandFailure) in
            var index = JSONIndex()
            guard let answer = try? ClientReply(reading: text, with: &index),
                let error = answer.error
            else { return false }
            return index.string(error, equals: name, in: text)
        }
    }

    /// What an answer is called that is not as it must be.
    package var notUnderstood: CommandFailure {
        CommandFailure(
            .noDaemon, "what the daemon answers is not understood",
            hint: "the daemon and this program may be of different versions: account status")
    }

    /// Whether people see what is written to standard error.
    package var hasTerminal: Bool { Terminal.isTerminal(descriptors.error) }

    /// Writes to standard error as it stands, for a line that shows how far something is.
    package func showProgress(_ text: String) {
        try? StandardStream.print(text, to: descriptors.error)
    }
}

extension GlobalOptions {
    /// The words that say the same.
    var words: [String] {
        var words: [String] = []
        if !socket.isEmpty { words += ["--socket", socket] }
        if !stateDirectory.isEmpty { words += ["--state", stateDirectory] }
        if hasTimeout { words += ["--timeout", "\(timeout)"] }
        if !mayPrompt { words += ["--no-input"] }
        return words
    }
}

extension ArchiveCommand {
    // A directory that cannot be used is for the program that is run to name.
    private static func mayHaveFiles(_ path: String) -> Bool {
        do throws(DirectoryError) {
            let archives = try Directory.open(path, create: false)
            guard let names = try? archives.entries() else { return true }
            return names.contains { $0 != "lock" }
        } catch {
            if case .missing = error { return false }
            return true
        }
    }

    /// After another master key has taken the present one's place: has the archives sealed anew, if
    /// there are any.
    ///
    /// Does not return then.
    static func resealAfterRotation(_ options: GlobalOptions) throws(CommandFailure) {
        // The system's daemon's archives are that user's to seal.
        guard !options.isSystem, let store = try? StoreLocation.of(options),
            mayHaveFiles(store.path + "/archives")
        else { return }
        do throws(CommandFailure) {
            try LibexecProgram.become(
                program, for: commands, words: ["archive", "reseal"] + options.words)
        } catch {
            throw CommandFailure(
                error.status,
                "the slots are changed, but the archives are sealed as before: "
                    + error.message, hint: error.hint ?? "run account archive reseal")
        }
    }
}
