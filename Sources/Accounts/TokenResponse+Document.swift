import JSON

// From what was given to a JSON document, or to the reason why it is none.
extension TokenResponse {
    // An escaped U+0000 is JSON; the fields' own rules refuse it with a better reason.
    static var limits: JSONLimits {
        JSONLimits(
            maximumBytes: maximumInput, maximumDepth: maximumDepth, allowsEscapedNUL: true)
    }

    // Where the document is: without a byte order mark and the space around.
    static func document(
        in text: Span<UInt8>
    ) throws(TokenResponseError) -> (start: Int, end: Int) {
        if let kind = InputKind.byMagic(text) { throw .notJSON(kind) }
        if isUTF16(text) { throw .malformed(.utf16, at: nil, in: text) }
        guard text.count <= maximumInput else { throw .tooLarge }
        var start = TextLook.has(text, "\u{FEFF}", at: 0) ? 3 : 0
        var end = text.count
        start = TextLook.skipSpace(text, from: start)
        while end > start, TextLook.isSpace(text[end - 1]) { end -= 1 }
        guard start < end else { throw .empty }
        return (start, end)
    }

    // A byte order mark, or every other byte zero, as in ASCII that was made wider.
    private static func isUTF16(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 2 else { return false }
        if text[0] == 0xFF && text[1] == 0xFE || text[0] == 0xFE && text[1] == 0xFF {
            return true
        }
        guard text.count >= 4 else { return false }
        return text[0] == 0 && text[1] != 0 && text[2] == 0 && text[3] != 0
            || text[0] != 0 && text[1] == 0 && text[2] != 0 && text[3] == 0
    }

    static func rejection(
        of body: Span<UInt8>, because error: JSONError
    ) -> TokenResponseError {
        if let error = formError(in: body) { return error }
        if let kind = InputKind.byLooks(body) {
            // Not one of the known binary formats, and yet not UTF-8: another encoding.
            if kind == .other, !TextLook.isUTF8(body) {
                return .malformed(.notUTF8, at: nil, in: body)
            }
            return .notJSON(kind)
        }
        return .malformed(.of(error, in: body), at: error.offset, in: body)
    }

    // The old interface answers with a form, and a redirect brings an error in its address.
    private static func formError(in body: Span<UInt8>) -> TokenResponseError? {
        guard TextLook.consists(body, of: { 0x20 < $0 && $0 < 0x7F }),
            body[0] != UInt8(ascii: "{"), body[0] != UInt8(ascii: "[")
        else { return nil }
        let code = FormFields.find("error_code", in: body)
        let name = FormFields.find("error", in: body)
        if code == nil && name == nil { return nil }
        return .api(
            code: code.flatMap { TokenResponseReader.errorCode(body, $0) },
            name: name.flatMap { OAuthErrorName.of(body.extracting($0)) })
    }
}
