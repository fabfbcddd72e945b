import AccountCommands
import Archiving
import LinuxSystem

// `account archive get`
extension ArchiveTask {
    /// Prints what is stored, or writes it into a file.
    func get() throws(CommandFailure) {
        let opened = try library { () throws(ArchiveError) in
            try archiver.reader(named: options.name, isPrevious: options.isPrevious)
        }
        switch consume opened {
        case .none: throw nothingStored
        case .some(let reader): try get(reader)
        }
    }

    private func get(_ reader: consuming ArchiveReader) throws(CommandFailure) {
        if options.isRaw || reader.kind == .json {
            return try stream(reader)
        }
        guard reader.kind != .bytes else {
            throw CommandFailure(
                .inputRejected, "the archive \(options.name) holds bytes, not JSON",
                hint: "get them as they are with --raw")
        }
        let text = try json(reader) + "\n"
        guard !options.output.isEmpty else { return try context.print(text) }
        var file = try makeOutput()
        do throws(Errno) {
            try file.append(text.utf8Span.span)
        } catch { throw cannotWrite(error) }
        try commit(&file)
    }

    private func json(_ reader: consuming ArchiveReader) throws(CommandFailure) -> String {
        do throws(ArchiveError) {
            return try reader.value(named: options.name).json(
                pretty: true, archive: options.name)
        } catch {
            switch error {
            // Here nothing is to be archived, and no type was asked for.
            case .notEncodable(let archive, let reason), .notDecodable(let archive, let reason):
                throw CommandFailure(
                    .inputRejected, "the archive \(archive) cannot be shown as JSON: \(reason)",
                    hint: "get it as it is stored with --raw")
            default: throw keys.failure(error)
            }
        }
    }

    /// Part by part; a file is whole or is not made.
    ///
    /// What has gone to standard output before damage is met cannot be taken back; the exit status
    /// says so.
    private func stream(_ opened: consuming ArchiveReader) throws(CommandFailure) {
        var reader = opened
        var progress = Progress(options.name, of: reader.maximumSize, context)
        guard !options.output.isEmpty else {
            let output = context.output
            return try copy(&reader, &progress) { bytes throws(Errno) in
                try StandardStream.writeAll(bytes, to: output)
            }
        }
        var file = try makeOutput()
        try copy(&reader, &progress) { bytes throws(Errno) in try file.append(bytes) }
        try commit(&file)
    }

    private func copy(
        _ reader: inout ArchiveReader, _ progress: inout Progress,
        _ write: (Span<UInt8>) throws(Errno) -> Void
    ) throws(CommandFailure) {
        var failure: Errno?
        do throws(ArchiveError) {
            while failure == nil,
                try reader.next({ bytes throws(ArchiveError) in
                    progress.add(bytes.count)
                    do throws(Errno) { try write(bytes) } catch { failure = error }
                })
            {}
        } catch { throw keys.failure(error) }
        if let failure { throw cannotWrite(failure) }
    }

    private func makeOutput() throws(CommandFailure) -> OutputFile {
        do throws(Errno) {
            return try OutputFile.make(at: options.output)
        } catch { throw .system("cannot make \(options.output)", error) }
    }

    private func commit(_ file: inout OutputFile) throws(CommandFailure) {
        do throws(Errno) {
            try file.commit(replaces: options.isForced)
        } catch {
            throw .system(
                "cannot make \(options.output)", error,
                hint: error == .exists ? "name another file, or replace it with --force" : nil)
        }
    }

    private func cannotWrite(_ error: Errno) -> CommandFailure {
        .system(
            "cannot write to "
                + (options.output.isEmpty ? "standard output" : options.output), error)
    }
}
