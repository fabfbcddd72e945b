import AccountCommands
import Archiving
import FoundationEssentials
import Glibc
import LinuxSystem

/// A draft as files that other programs read, in a directory that is made for them.
struct DraftFiles {
    /// Where they go; it must not be there yet.
    let directory: String

    /// Writes them, and says how they are called.
    ///
    /// Where that is not possible nothing is left of them.
    func write(_ draft: Draft) throws(CommandFailure) -> [String] {
        // SAFETY: the path lives for the call.
        guard unsafe mkdir(directory, 0o700) == 0 else {
            let error = Errno.current
            throw .system(
                "cannot make \(directory)", error,
                hint: error == .exists ? "name a directory that is not there yet" : nil)
        }
        var names: [String] = []
        do throws(CommandFailure) {
            try write(draft, &names)
            return names
        } catch {
            // SAFETY: the paths live for the calls.
            for name in names { _ = unsafe unlink("\(directory)/\(name)") }
            _ = unsafe rmdir(directory)
            throw error
        }
    }

    private func write(_ draft: Draft, _ names: inout [String]) throws(CommandFailure) {
        for (index, picture) in draft.pictures.enumerated() {
            let name = "picture-\(index + 1).\(PictureType.of(picture).name)"
            try make(name, picture.span, &names)
        }
        if let text = draft.text {
            try make("text.txt", text.utf8Span.span, &names)
        }
        let description = DraftText.value(draft, withText: true)
        let json: String
        do throws(ArchiveError) {
            json = try description.json(pretty: true) + "\n"
        } catch { throw CommandFailure(error) }
        try make("draft.json", json.utf8Span.span, &names)
    }

    private func make(
        _ name: String, _ bytes: Span<UInt8>, _ names: inout [String]
    ) throws(CommandFailure) {
        // It may have its name even where its directory does not reach the disk.
        names.append(name)
        let path = "\(directory)/\(name)"
        do throws(Errno) {
            var file = try OutputFile.make(at: path)
            try file.append(bytes)
            try file.commit(replaces: false)
        } catch { throw .system("cannot make \(path)", error) }
    }
}
