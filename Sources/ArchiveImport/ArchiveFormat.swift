import AccountImport
import Accounts

/// What a file of archives is, told by its content alone.
enum ArchiveFormat {
    case binary, xml, structArchive

    /// Looks at it.
    ///
    /// - Throws: what the file is, where it is none of these.
    static func of(_ file: Span<UInt8>) throws(ImportError) -> ArchiveFormat {
        guard !file.isEmpty else { throw .emptyFile }
        if StructReader.isPlausible(file) { return .structArchive }
        let format: ImportFormat
        do { format = try ImportFormat.of(file) } catch { throw refusal(of: file) }
        switch format {
        case .binary: return .binary
        case .xml: return .xml
        case .json: throw json(file)
        }
    }

    private static func json(_ text: Span<UInt8>) -> ImportError {
        if contains(text, "access_token") {
            return ImportError(
                "not-a-plist", "the file is a token response, or an account as JSON",
                hint: "use account login --from FILE, or account import FILE for an app's own")
        }
        return ImportError(
            "not-a-plist:json", "the file is JSON, which is no archive of an app's",
            hint: "account archive put NAME keeps JSON as it is")
    }

    private static func refusal(of file: Span<UInt8>) -> ImportError {
        if let look = InputLook(file), look.code != "binary" { return .notAnArchive(look) }
        var isText = true
        for index in file.indices where isText { isText = isTextByte(file[index]) }
        guard !isText else { return .notAnArchive(nil) }
        return ImportError(
            "bad-identifier",
            "the file is neither a property list nor an archive: it begins with no type's name",
            hint: "account help archive says what is read")
    }

    private static func isTextByte(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || 0x09...0x0D ~= byte
    }

    private static func contains(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            // SAFETY: the buffer is the static string's, and the span does not leave the closure.
            let word = unsafe word.span
            var start = 0
            while start + word.count <= text.count {
                var length = 0
                while length < word.count, text[start + length] == word[length] { length += 1 }
                if length == word.count { return true }
                start += 1
            }
            return false
        }
    }
}
