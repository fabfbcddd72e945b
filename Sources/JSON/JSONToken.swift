/// The lexical rules: each function takes the offset of a token and gives where it ends.
///
/// Functions over a span and an offset, not a cursor type: a type that holds a span cannot be
/// stored or returned without lifetime annotations that are not part of the language yet.
enum JSONToken {
    /// The offset of the next byte that is not whitespace, or the length of the text.
    ///
    /// Most texts have none, and that is all that is looked at here.
    @inline(__always)
    static func skipWhitespace(in text: Span<UInt8>, from start: Int) -> Int {
        if start < text.count, text[start] > 0x20 { return start }
        return skipWhitespaceRun(in: text, from: start)
    }

    private static func skipWhitespaceRun(in text: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < text.count {
            switch text[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return position
            }
        }
        return position
    }

    /// A number or a literal name.
    static func scalar(
        in text: Span<UInt8>, from start: Int
    ) throws(JSONError) -> (kind: JSONIndex.Kind, end: Int) {
        switch text[start] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            (.number, try number(in: text, from: start))
        case UInt8(ascii: "t"): (.true, try literal("true", in: text, from: start))
        case UInt8(ascii: "f"): (.false, try literal("false", in: text, from: start))
        case UInt8(ascii: "n"): (.null, try literal("null", in: text, from: start))
        default: throw .syntax(offset: start)
        }
    }

    private static func literal(
        _ name: StaticString, in text: Span<UInt8>, from start: Int
    ) throws(JSONError) -> Int {
        // SAFETY: a static string lives as long as the program.
        let bytes = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        for index in 0..<bytes.count {
            guard start + index < text.count, unsafe text[start + index] == bytes[index] else {
                throw .syntax(offset: start + index)
            }
        }
        return start + bytes.count
    }

    // RFC 8259, 6
    private static func number(
        in text: Span<UInt8>, from start: Int
    ) throws(JSONError) -> Int {
        var position = start
        if text[position] == UInt8(ascii: "-") { position += 1 }
        if position < text.count, text[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            position = try digits(in: text, from: position)
        }
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position = try digits(in: text, from: position + 1)
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < text.count,
                text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            position = try digits(in: text, from: position)
        }
        return position
    }

    // One digit at least.
    private static func digits(in text: Span<UInt8>, from start: Int) throws(JSONError) -> Int {
        var position = start
        while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > start else { throw .syntax(offset: start) }
        return position
    }

    /// The content of a string, from the byte after its opening quote.
    ///
    /// - Returns: the offset of the closing quote, and the bytes of UTF-8 once escapes are decoded.
    static func string(
        in text: Span<UInt8>, from start: Int, allowsEscapedNUL: Bool
    ) throws(JSONError) -> (end: Int, decodedCount: Int) {
        var position = plainEnd(in: text, from: start)
        var saved = 0
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""):
                return (position, position - start - saved)
            case UInt8(ascii: "\\"):
                let (end, count) = try escape(
                    in: text, from: position, allowsNUL: allowsEscapedNUL)
                saved += end - position - count
                position = end
            case 0x20..<0x80:
                position = plainEnd(in: text, from: position + 1)
            case 0x80...0xFF:
                position = try multibyteCharacter(in: text, from: position)
            default:
                throw byte == 0 ? .nulCharacter(offset: position) : .syntax(offset: position)
            }
        }
        throw .syntax(offset: position)
    }

    /// The offset of the next byte that is a quote, a backslash, a control character or no ASCII, or
    /// one within eight bytes of the end.
    ///
    /// Eight bytes at a time: a borrow in one of the subtractions can only mark a byte that stands
    /// after one that is marked rightly, and the first mark is what counts.
    private static func plainEnd(in text: Span<UInt8>, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        return unsafe text.withUnsafeBytes { bytes in
            var position = start
            while position + 8 <= bytes.count {
                // SAFETY: eight bytes are left, as compared above.
                let word = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let quote = word ^ (ones &* 0x22)
                let backslash = word ^ (ones &* 0x5C)
                let marks =
                    (word | (word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote
                        | (backslash &- ones) & ~backslash) & high
                if marks != 0 { return position + marks.trailingZeroBitCount / 8 }
                position += 8
            }
            return position
        }
    }

    // Checks the escape whose backslash is at `start`; `count` is its length in UTF-8.
    private static func escape(
        in text: Span<UInt8>, from start: Int, allowsNUL: Bool
    ) throws(JSONError) -> (end: Int, count: Int) {
        guard start + 1 < text.count else { throw .syntax(offset: start + 1) }
        switch text[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return (start + 2, 1)
        case UInt8(ascii: "u"):
            break
        default:
            throw .syntax(offset: start + 1)
        }
        let unit = try codeUnit(in: text, from: start + 2)
        switch unit {
        case 0 where !allowsNUL: throw .nulCharacter(offset: start)
        case 0..<0x80: return (start + 6, 1)
        case 0x80..<0x800: return (start + 6, 2)
        case 0xD800..<0xDC00: break
        case 0xDC00..<0xE000: throw .loneSurrogate(offset: start)
        default: return (start + 6, 3)
        }
        guard start + 7 < text.count, text[start + 6] == UInt8(ascii: "\\"),
            text[start + 7] == UInt8(ascii: "u")
        else { throw .loneSurrogate(offset: start) }
        let low = try codeUnit(in: text, from: start + 8)
        guard 0xDC00..<0xE000 ~= low else { throw .loneSurrogate(offset: start) }
        return (start + 12, 4)
    }

    private static func codeUnit(in text: Span<UInt8>, from start: Int) throws(JSONError) -> UInt32
    {
        var unit: UInt32 = 0
        for position in start..<(start + 4) {
            guard position < text.count, let digit = hexadecimalDigit(text[position]) else {
                throw .syntax(offset: position)
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// The value of a digit in either case.
    static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    // A character of two to four bytes: the table of RFC 3629, 4, that leaves out overlong forms,
    // surrogates and what lies past U+10FFFF.
    private static func multibyteCharacter(
        in text: Span<UInt8>, from start: Int
    ) throws(JSONError) -> Int {
        let second: ClosedRange<UInt8>
        let length: Int
        switch text[start] {
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xE1...0xEC, 0xEE, 0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: throw .notUTF8(offset: start)
        }
        guard start + length <= text.count, second ~= text[start + 1] else {
            throw .notUTF8(offset: start)
        }
        for position in (start + 2)..<(start + length) where text[position] & 0xC0 != 0x80 {
            throw .notUTF8(offset: start)
        }
        return start + length
    }
}
