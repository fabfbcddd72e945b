/// Finds fields of an `application/x-www-form-urlencoded` text, or of an address's query or
/// fragment, in place.
enum FormFields {
    /// The value of the first field of that name, still percent-encoded; nil when there is none.
    static func find(_ name: String, in text: Span<UInt8>) -> Range<Int>? {
        for start in text.indices where start == 0 || isSeparator(text[start - 1]) {
            guard TextLook.has(text, name, at: start) else { continue }
            let equals = start + name.utf8.count
            guard equals < text.count, text[equals] == UInt8(ascii: "=") else { continue }
            var end = equals + 1
            while end < text.count, !isEnd(text[end]) { end += 1 }
            return (equals + 1)..<end
        }
        return nil
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "#") || TextLook.isSpace(byte)
    }
}
