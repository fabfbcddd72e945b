/// What an input is that a reader does not take, in words for people.
package struct InputLook: Equatable, Sendable {
    private let kind: InputKind

    /// Looks at it; nil where nothing can be said of it.
    package init?(_ text: Span<UInt8>) {
        if let kind = InputKind.byMagic(text) {
            self.kind = kind
            return
        }
        var start = TextLook.has(text, "\u{FEFF}", at: 0) ? 3 : 0
        start = TextLook.skipSpace(text, from: start)
        guard let kind = InputKind.byLooks(text.extracting(start..<text.count)), kind != .other
        else { return nil }
        self.kind = kind
    }

    /// A code.
    package var code: String { kind.rawValue }
    /// The rest of "the file is …".
    package var description: String { kind.description }
    /// An archive of NSArchiver.
    package var isTypedStream: Bool { kind == .typedStream }
    /// HTML, or an answer of a web server with its headers.
    package var isWebPage: Bool { kind == .html || kind == .httpTranscript }

    /// What to give to `account import` instead.
    package var importHint: String {
        switch kind {
        case .gzip, .zlib, .zstd, .zip: "unpack it first"
        case .form, .fragment, .bareToken, .base64, .percentEncoded, .quoted, .jsonp,
            .authorizationCode, .pythonDictionary, .rubyHash, .javaMap, .javaScriptObject,
            .swiftDictionary, .openStepPropertyList:
            "what Weibo answered is stored with account login"
        default: "account help import says what is read"
        }
    }
}
