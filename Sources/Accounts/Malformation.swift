import JSON

/// What is wrong with a text that looks like JSON and is none.
enum Malformation: Equatable {
    case syntax, truncated, startMissing, notUTF8, utf16, trailingData, duplicateName, tooDeep
    case loneSurrogate, typographicQuotes, specialSpace, singleQuotes

    /// Finds it.
    ///
    /// - Parameter text: what the scanner has refused with `error`.
    static func of(_ error: JSONError, in text: Span<UInt8>) -> Malformation {
        switch error {
        case .empty, .tooLong, .nulCharacter: .syntax
        case .tooDeep: .tooDeep
        case .duplicateKey: .duplicateName
        case .loneSurrogate(let offset):
            // A pair may have been cut in two.
            offset + 8 > text.count && !isClosed(text) ? .truncated : .loneSurrogate
        case .notUTF8(let offset):
            offset + 3 >= text.count && !isClosed(text) ? .truncated : .notUTF8
        case .trailingData(let offset): trailing(at: offset, in: text)
        case .syntax(let offset): syntax(at: offset, in: text)
        }
    }

    private static func trailing(at offset: Int, in text: Span<UInt8>) -> Malformation {
        if text[0] == UInt8(ascii: "\""), text[offset] == UInt8(ascii: ":") {
            return .startMissing
        }
        return .trailingData
    }

    private static func syntax(at offset: Int, in text: Span<UInt8>) -> Malformation {
        if offset >= text.count { return .truncated }
        for quote in ["\u{201C}", "\u{201D}", "\u{2018}", "\u{2019}"]
        where TextLook.has(text, quote, at: offset) {
            return .typographicQuotes
        }
        for space in ["\u{A0}", "\u{200B}", "\u{202F}", "\u{3000}", "\u{FEFF}"]
        where TextLook.has(text, space, at: offset) {
            return .specialSpace
        }
        if text[offset] == UInt8(ascii: "'") { return .singleQuotes }
        // A word such as `tru` or `12.` is refused where it begins: nothing but it must follow.
        let end = TextLook.skipWord(text, from: offset)
        return end == text.count && !isClosed(text) ? .truncated : .syntax
    }

    // Whether every bracket and string that was opened is closed at the end.
    private static func isClosed(_ text: Span<UInt8>) -> Bool {
        var depth = 0
        var inString = false
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""): inString.toggle()
            case UInt8(ascii: "\\") where inString: index += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): if !inString { depth += 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): if !inString { depth -= 1 }
            default: break
            }
            index += 1
        }
        return !inString && depth <= 0
    }
}

extension JSONError {
    /// Where the fault is, in bytes; nil for a fault of the whole.
    var offset: Int? {
        switch self {
        case .empty, .tooLong: nil
        case .tooDeep(let offset), .notUTF8(let offset), .syntax(let offset),
            .duplicateKey(let offset), .loneSurrogate(let offset), .nulCharacter(let offset),
            .trailingData(let offset):
            offset
        }
    }
}

extension TokenResponseError {
    /// A fault in the JSON.
    ///
    /// - Parameters:
    ///   - offset: where, in bytes from the start of `text`.
    static func malformed(
        _ malformation: Malformation, at offset: Int?, in text: Span<UInt8>
    ) -> TokenResponseError {
        let (suffix, what, hint) = malformation.texts
        let reason = suffix.isEmpty ? "malformed-json" : "malformed-json:" + suffix
        var place = ""
        if let offset, malformation.hasPlace { place = position(of: offset, in: text) }
        return TokenResponseError(reason, what + place, hint: hint)
    }

    // Lines and columns count from 1, columns in characters of Unicode.
    private static func position(of offset: Int, in text: Span<UInt8>) -> String {
        var line = 1
        var column = 1
        for index in 0..<min(offset, text.count) {
            if text[index] == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if text[index] & 0xC0 != 0x80 {
                column += 1
            }
        }
        return ", at line \(line), column \(column)"
    }
}

extension Malformation {
    // Whether a line and a column help.
    fileprivate var hasPlace: Bool {
        switch self {
        case .truncated, .startMissing, .utf16: false
        default: true
        }
    }

    fileprivate var texts: (suffix: String, message: String, hint: String) {
        switch self {
        case .syntax:
            ("", "the JSON is malformed", "give the response exactly as Weibo sent it")
        case .truncated:
            (
                "truncated", "the response is cut off: its end is missing",
                "give it whole, up to the last }; a terminal cuts long lines, so use --from FILE"
            )
        case .startMissing:
            (
                "truncated", "the response is cut off: its start is missing",
                "give it whole, from the first {"
            )
        case .notUTF8:
            (
                "utf8", "the response is not encoded in UTF-8",
                "convert it first, for example with: iconv -f GB18030 -t UTF-8"
            )
        case .utf16:
            (
                "", "the response is encoded in UTF-16, not in UTF-8",
                "convert it first, with: iconv -f UTF-16 -t UTF-8"
            )
        case .trailingData:
            (
                "trailing-data", "something follows after the end of the response",
                "give one response alone, from its { to its }"
            )
        case .duplicateName:
            (
                "duplicate-key", "the response gives the same name twice",
                "leave one of the two out"
            )
        case .tooDeep:
            (
                "depth", "the response nests more than 16 objects or arrays",
                "give the token response alone"
            )
        case .loneSurrogate:
            (
                "", "the JSON is malformed: a \\u escape holds half a character",
                "leave the member out that holds it"
            )
        case .typographicQuotes:
            (
                "", "the JSON is malformed: it has typographic quotation marks",
                "copy the response from where Weibo sent it, not from a formatted page"
            )
        case .specialSpace:
            (
                "", "the JSON is malformed: it has a character that only looks like a space",
                "copy the response from where Weibo sent it, not from a formatted page"
            )
        case .singleQuotes:
            (
                "", "the JSON is malformed: it has single quotation marks",
                "give the text as Weibo sent it, not as a program prints it"
            )
        }
    }
}
