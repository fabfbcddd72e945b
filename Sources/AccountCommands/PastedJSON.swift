/// Tells when a paste is complete.
enum PastedJSON {
    /// Whether the lines so far are all that there will be: the brackets are closed again, or there
    /// were none and so it is no JSON object anyway.
    ///
    /// What it says decides when reading ends, and nothing else; the JSON scanner has the last word.
    static func isWhole(_ text: Span<UInt8>) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for index in text.indices {
            let byte = text[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        // A string cannot go on in the next line.
        return isInString || depth <= 0
    }

    /// Bytes of the longest line.
    static func longestLine(_ text: Span<UInt8>) -> Int {
        var longest = 0
        var start = 0
        for index in text.indices where text[index] == UInt8(ascii: "\n") {
            longest = max(longest, index - start)
            start = index + 1
        }
        return max(longest, text.count - start)
    }
}
