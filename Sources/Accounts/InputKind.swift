/// What an input is that is no JSON.
///
/// People give what they have: an app's file, an address from the browser, the print of a program.
/// Whoever learns what they gave knows what to give instead. The raw value is the reason's second
/// part; forms and addresses have none.
enum InputKind: String, CaseIterable {
    case gzip, zlib, zip, zstd, sqlite
    case sealedFile = "sealed-file"
    case binaryPropertyList = "binary-plist"
    case keyedArchive = "keyed-archive"
    case typedStream = "typedstream"
    case pem, html, xml, xmlPropertyList, androidPreferences
    case httpTranscript = "http-transcript"
    case jsonp, quoted
    case openStepPropertyList = "openstep-plist"
    case pythonDictionary = "python-dictionary"
    case rubyHash = "ruby-hash"
    case javaMap = "java-map"
    case javaScriptObject = "javascript-object"
    case swiftDictionary = "swift-dictionary"
    case base64
    case percentEncoded = "percent-encoded"
    case bareToken = "bare-token"
    case authorizationCode = "authorization-code"
    case form, fragment, binary, other

    /// The code of the rejection.
    var reason: String {
        switch self {
        case .form, .fragment, .other: "not-json"
        case .xml, .xmlPropertyList, .androidPreferences: "not-json:xml"
        default: "not-json:" + rawValue
        }
    }

    /// The kinds that their first bytes tell, looked for before anything else; nil for all others.
    static func byMagic(_ text: Span<UInt8>) -> InputKind? {
        guard text.count >= 4 else { return nil }
        switch (text[0], text[1], text[2], text[3]) {
        case (0x1F, 0x8B, _, _): return .gzip
        case (0x78, 0x01, _, _), (0x78, 0x9C, _, _), (0x78, 0xDA, _, _): return .zlib
        case (0x50, 0x4B, 0x03, 0x04): return .zip
        case (0x28, 0xB5, 0x2F, 0xFD): return .zstd
        case (0x93, 0x53, 0x45, 0x41): return .sealedFile
        default: break
        }
        if TextLook.has(text, "bplist", at: 0) {
            let isArchive =
                TextLook.contains(text, "$archiver") || TextLook.contains(text, "$objects")
            return isArchive ? .keyedArchive : .binaryPropertyList
        }
        if TextLook.has(text, "SQLite format 3", at: 0) { return .sqlite }
        return TextLook.has(text, "streamtyped", at: 2) ? .typedStream : nil
    }

    /// The kinds that are told by a text's looks.
    ///
    /// - Parameter text: what the JSON scanner has refused, without the space around it.
    /// - Returns: nil when it looks like JSON with a fault in it.
    static func byLooks(_ text: Span<UInt8>) -> InputKind? {
        guard !text.isEmpty else { return nil }
        if isQuoted(text) { return .quoted }
        switch text[0] {
        case UInt8(ascii: "{"): return inBraces(text)
        case UInt8(ascii: "["): return isSwiftDictionary(text) ? .swiftDictionary : nil
        case UInt8(ascii: "\""): return nil
        case UInt8(ascii: "<"): return inAngleBrackets(text)
        default: break
        }
        if TextLook.has(text, "-----BEGIN", at: 0) { return .pem }
        if isTranscript(text) { return .httpTranscript }
        if TextLook.has(text, "Optional(", at: 0) { return .swiftDictionary }
        if TextLook.has(text, "Bundle[", at: 0) { return .javaMap }
        if isJSONP(text) { return .jsonp }
        if TextLook.hasIgnoringCase(text, "%7b", at: 0) { return .percentEncoded }
        if let kind = inOneWord(text) { return kind }
        if isOpenStep(text) { return .openStepPropertyList }
        return TextLook.consists(text) { $0 >= 0x20 || TextLook.isSpace($0) } ? .other : .binary
    }
}

extension InputKind {
    private static func isQuoted(_ text: Span<UInt8>) -> Bool {
        var start = 0
        while start < text.count, text[start] == UInt8(ascii: "`") { start += 1 }
        if start > 0 { return TextLook.find("{", in: text) != nil }
        for quote in ["'", "\"", "\u{201C}", "\u{2018}", "\u{300C}", "\u{AB}"]
        where TextLook.has(text, quote, at: 0) {
            let inside = TextLook.skipSpace(text, from: quote.utf8.count)
            return inside < text.count && text[inside] == UInt8(ascii: "{")
        }
        return false
    }

    // After the brace a name stands, and what separates it from its value tells the language.
    private static func inBraces(_ text: Span<UInt8>) -> InputKind? {
        let name = TextLook.skipSpace(text, from: 1)
        guard name < text.count else { return nil }
        var end = name
        let isString = text[name] == UInt8(ascii: "\"")
        if text[name] == UInt8(ascii: "'") { return .pythonDictionary }
        if text[name] == UInt8(ascii: ":") { return .rubyHash }
        if isString {
            end += 1
            while end < text.count, text[end] != UInt8(ascii: "\"") {
                end += text[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            end += 1
        } else {
            end = TextLook.skipWord(text, from: name)
            if end == name { return nil }
        }
        let separator = TextLook.skipSpace(text, from: end)
        if TextLook.has(text, "=>", at: separator) { return .rubyHash }
        if TextLook.has(text, "=", at: separator) {
            return isString || TextLook.contains(text, ";") ? .openStepPropertyList : .javaMap
        }
        if isString { return nil }
        return TextLook.has(text, ":", at: separator) ? .javaScriptObject : nil
    }

    // A dictionary as Swift prints it: brackets, but with names.
    private static func isSwiftDictionary(_ text: Span<UInt8>) -> Bool {
        let name = TextLook.skipSpace(text, from: 1)
        if TextLook.has(text, "AnyHashable(", at: name) { return true }
        guard TextLook.has(text, "\"", at: name) else { return false }
        var end = name + 1
        while end < text.count, text[end] != UInt8(ascii: "\"") { end += 1 }
        return TextLook.has(text, ":", at: TextLook.skipSpace(text, from: end + 1))
    }

    private static func inAngleBrackets(_ text: Span<UInt8>) -> InputKind {
        if isTranscript(text) { return .httpTranscript }
        for tag in ["<!doctype html", "<html", "<head", "<body", "<script"]
        where TextLook.hasIgnoringCase(text, tag, at: 0) {
            return .html
        }
        if TextLook.contains(text, "<plist") { return .xmlPropertyList }
        if TextLook.contains(text, "<map>") { return .androidPreferences }
        return TextLook.contains(text, "<html") ? .html : .xml
    }

    // What curl -i or curl -v writes.
    private static func isTranscript(_ text: Span<UInt8>) -> Bool {
        if TextLook.has(text, "HTTP/", at: 0) || TextLook.has(text, "< HTTP/", at: 0) {
            return true
        }
        return TextLook.has(text, "* ", at: 0) && TextLook.contains(text, "HTTP/")
    }

    // Comments, the name of a function, a bracket.
    private static func isJSONP(_ text: Span<UInt8>) -> Bool {
        var position = 0
        while TextLook.has(text, "/*", at: position) {
            position += 2
            while position < text.count, !TextLook.has(text, "*/", at: position) { position += 1 }
            position = TextLook.skipSpace(text, from: min(position + 2, text.count))
        }
        while position < text.count,
            TextLook.isWord(text[position]) || text[position] == UInt8(ascii: ".")
        {
            position += 1
        }
        position = TextLook.skipSpace(text, from: position)
        guard TextLook.has(text, "(", at: position) else { return false }
        position = TextLook.skipSpace(text, from: position + 1)
        return TextLook.has(text, "{", at: position)
    }

    // Addresses, forms and single values: no space in them.
    private static func inOneWord(_ text: Span<UInt8>) -> InputKind? {
        guard TextLook.consists(text, of: { 0x20 < $0 && $0 < 0x7F }) else { return nil }
        let isAddress = TextLook.contains(text, "://")
        if FormFields.find("access_token", in: text) != nil {
            return isAddress || text[0] == UInt8(ascii: "#") ? .fragment : .form
        }
        if FormFields.find("code", in: text) != nil { return .authorizationCode }
        if isAddress { return .fragment }
        if TextLook.contains(text, "=") && TextLook.contains(text, "&") { return .form }
        let isWord = TextLook.consists(text) {
            TextLook.isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        guard isWord, text.count >= 16 else { return nil }
        // An opening brace and what may follow it, in base64.
        for start in ["eyJ", "ewog", "ewoJ", "ew0K"] where TextLook.has(text, start, at: 0) {
            return .base64
        }
        return TextLook.contains(text, "=") ? .form : .bareToken
    }

    // What NSLog prints, after its date and process.
    private static func isOpenStep(_ text: Span<UInt8>) -> Bool {
        TextLook.contains(text, "{") && TextLook.contains(text, " = ")
            && TextLook.contains(text, ";")
    }
}
