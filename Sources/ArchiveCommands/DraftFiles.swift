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
    func write(_ draft: Draft) throws(CommandFailure) -> [String] {
        // SAFETY: the path lives for the call.
        guard unsafe mkdir(directory, 0o700) == 0 else {
            let error = Errno.current
            throw .system(
                "cannot make \(directory)", error,
                hint: error == .exists ? "name a directory that is not there yet" : nil)
        }
        var names: [String] = []
        for (index, picture) in draft.pictures.enumerated() {
            let name = "picture-\(index + 1).\(PictureType.of(picture).name)"
            try make(name, picture.span)
            names.append(name)
        }
        if let text = draft.text {
            try make("text.txt", text.utf8Span.span)
            names.append("text.txt")
        }
        let description = DraftText.value(draft, withText: true)
        let json: String
        do throws(ArchiveError) {
            json = try description.json(pretty: true) + "\n"
        } catch { throw CommandFailure(error) }
        try make("draft.json", json.utf8Span.span)
        return names + ["draft.json"]
    }

    private func make(_ name: String, _ bytes: Span<UInt8>) throws(CommandFailure) {
        let path = "\(directory)/\(name)"
        do throws(Errno) {
            var file = try OutputFile.make(at: path)
            try file.append(bytes)
            try file.commit(replaces: false)
        } catch { throw .system("cannot make \(path)", error) }
    }
}
