/// Looks at the bytes of a text in place, for `InputKind`: nothing is copied out of it.
enum TextLook {
    /// Whether `pattern` stands at `position`.
    static func has(_ text: Span<UInt8>, _ pattern: String, at position: Int) -> Bool {
        guard position >= 0, pattern.utf8.count <= text.count - position else { return false }
        var index = position
        for byte in pattern.utf8 {
            if text[index] != byte { return false }
            index += 1
        }
        return true
    }

    /// Whether `pattern`, in small letters, stands at `position`, whatever the case there.
    static func hasIgnoringCase(_ text: Span<UInt8>, _ pattern: String, at position: Int) -> Bool {
        guard position >= 0, pattern.utf8.count <= text.count - position else { return false }
        var index = position
        for byte in pattern.utf8 {
            let isCapital = UInt8(ascii: "A") <= text[index] && text[index] <= UInt8(ascii: "Z")
            if (isCapital ? text[index] | 0x20 : text[index]) != byte { return false }
            index += 1
        }
        return true
    }

    /// Where `pattern` first stands; nil when it does not.
    static func find(_ pattern: String, in text: Span<UInt8>) -> Int? {
        for index in text.indices where has(text, pattern, at: index) { return index }
        return nil
    }

    static func contains(_ text: Span<UInt8>, _ pattern: String) -> Bool {
        find(pattern, in: text) != nil
    }

    /// The first position from `start` on that is not JSON's whitespace; the count at the end.
    static func skipSpace(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count, isSpace(text[index]) { index += 1 }
        return index
    }

    /// The first position from `start` on that does not belong to a word; the count at the end.
    static func skipWord(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count, isWord(text[index]) { index += 1 }
        return index
    }

    /// Whether every byte satisfies `isAllowed`.
    static func consists(_ text: Span<UInt8>, of isAllowed: (UInt8) -> Bool) -> Bool {
        for index in text.indices where !isAllowed(text[index]) { return false }
        return true
    }

    static func isUTF8(_ text: Span<UInt8>) -> Bool {
        do { _ = try UTF8Span(validating: text) } catch { return false }
        return true
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    static func isWord(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return UInt8(ascii: "a") <= letter && letter <= UInt8(ascii: "z")
            || AccountField.isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }
}
