import Accounts

/// What a file is, told by its content alone: people rename files.
package enum ImportFormat: String, Sendable {
    /// A binary property list, of an archive or of plain values.
    case binary = "binary-plist"
    /// XML: a property list, or an Android app's preferences.
    case xml = "xml"
    /// An object or an array.
    case json = "json"

    /// Looks at the beginning.
    ///
    /// - Throws: what the file is, where it is none of these.
    package static func of(_ file: Span<UInt8>) throws(ImportError) -> ImportFormat {
        guard !file.isEmpty else { throw .emptyFile }
        if starts(file, with: "bplist", at: 0) { return .binary }
        var start = starts(file, with: "\u{FEFF}", at: 0) ? 3 : 0
        while start < file.count, isSpace(file[start]) { start += 1 }
        guard start < file.count else { throw .emptyFile }
        // UTF-16 has a mark, or its `<` beside a zero.
        if isUTF16XML(file) { return .xml }
        switch file[start] {
        case UInt8(ascii: "<"):
            if let look = InputLook(file), look.isWebPage { throw .notAPropertyList(look) }
            return .xml
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return .json
        default: throw .notAPropertyList(InputLook(file))
        }
    }

    private static func isUTF16XML(_ file: Span<UInt8>) -> Bool {
        guard file.count >= 4 else { return false }
        switch (file[0], file[1], file[2], file[3]) {
        case (0xFE, 0xFF, 0x00, 0x3C), (0xFF, 0xFE, 0x3C, 0x00): return true
        default: return false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func starts(
        _ file: Span<UInt8>, with text: StaticString, at position: Int
    ) -> Bool {
        guard file.count >= position + text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { wanted in
            // SAFETY: the buffer is the static string's, and the span does not leave the closure.
            let wanted = unsafe wanted.span
            for index in wanted.indices where file[position + index] != wanted[index] {
                return false
            }
            return true
        }
    }
}

extension ImportError {
    /// The file is nothing that is read here.
    static func notAPropertyList(_ look: InputLook?) -> ImportError {
        guard let look else {
            return ImportError(
                "not-a-plist", "the file is none of the kinds that are read",
                hint: "account help import says which they are")
        }
        if look.isTypedStream {
            return ImportError(
                "typedstream-not-supported",
                "the file is an archive of NSArchiver, which came before NSKeyedArchiver",
                hint: "no Weibo app is known to write these; log in again with account login")
        }
        return ImportError(
            "not-a-plist:\(look.code)", "the file is \(look.description)", hint: look.importHint)
    }

    /// A token response is for another command.
    static let tokenResponse = ImportError(
        "not-a-plist", "the file is a token response of Weibo's, not what an app has made of it",
        hint: "use account login --from FILE")
}
