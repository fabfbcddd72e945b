/// Walks along an answer that is written just as the daemon writes it: no space, no escape, the
/// members in their usual order.
///
/// `JSONIndex` reads every answer, but its array is the only generic type that `token` and `check`
/// would need, and making it at run time costs a tenth of all that these commands do. So the usual
/// answer is compared with the usual text first; only what equals it byte for byte is taken, and
/// anything else is left to the index.
struct PlainReply {
    /// How far it has come.
    private(set) var position = 0

    /// Moves past a text of the program.
    ///
    /// - Returns: whether it stands there; if not, nothing moves.
    mutating func take(_ expected: StaticString, in text: Span<UInt8>) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard count <= text.count - position else { return false }
        for offset in 0..<count {
            // SAFETY: a static string has as many bytes as it says.
            guard unsafe text[position + offset] == expected.utf8Start[offset] else { return false }
        }
        position += count
        return true
    }

    /// Moves past a text up to its closing quote.
    ///
    /// - Returns: where it is; nil when it is empty or holds anything but printable ASCII without
    ///   space, quote and backslash.
    mutating func takeText(in text: Span<UInt8>) -> Range<Int>? {
        let start = position
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            let byte = text[position]
            guard 0x21 <= byte, byte <= 0x7E, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return position > start ? start..<position : nil
    }

    /// Moves past a whole number.
    ///
    /// - Returns: nil when none stands there, it is written with a leading zero, or has more than
    ///   18 digits.
    mutating func takeInteger(in text: Span<UInt8>) -> Int64? {
        let isNegative = position < text.count && text[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var value: Int64 = 0
        while position < text.count, position - start < 18 {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value * 10 + Int64(digit)
            position += 1
        }
        guard position > start, text[start] != UInt8(ascii: "0") || position == start + 1 else {
            return nil
        }
        return isNegative ? -value : value
    }

    /// Whether all of it has been taken.
    func isAtEnd(of text: Span<UInt8>) -> Bool { position == text.count }
}
