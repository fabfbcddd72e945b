/// Reads the content of a string that was scanned, one byte of decoded UTF-8 after the other.
struct JSONStringDecoder {
    private var position: Int
    private let end: Int
    // What is left of a decoded escape, the next byte lowest.
    private var pending: UInt32 = 0

    /// - Parameter range: of the content, without quotes.
    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next byte, or nil at the end.
    mutating func next(in text: Span<UInt8>) -> UInt8? {
        if pending != 0 {
            defer { pending >>= 8 }
            return UInt8(truncatingIfNeeded: pending)
        }
        guard position < end else { return nil }
        let byte = text[position]
        position += 1
        return byte == UInt8(ascii: "\\") ? escape(in: text) : byte
    }

    // The scan has made sure that the escape is whole and that surrogates come in pairs.
    private mutating func escape(in text: Span<UInt8>) -> UInt8 {
        let letter = text[position]
        position += 1
        switch letter {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): return character(in: text)
        default: return letter
        }
    }

    private mutating func character(in text: Span<UInt8>) -> UInt8 {
        let unit = codeUnit(in: text)
        switch unit {
        case 0..<0x80:
            return UInt8(truncatingIfNeeded: unit)
        case 0x80..<0x800:
            pending = 0x80 | unit & 0x3F
            return UInt8(truncatingIfNeeded: 0xC0 | unit >> 6)
        case 0xD800..<0xDC00:
            position += 2
            let scalar = 0x1_0000 + (unit & 0x3FF) << 10 + codeUnit(in: text) & 0x3FF
            pending =
                0x80 | scalar >> 12 & 0x3F
                | (0x80 | scalar >> 6 & 0x3F) << 8
                | (0x80 | scalar & 0x3F) << 16
            return UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18)
        default:
            pending = 0x80 | unit >> 6 & 0x3F | (0x80 | unit & 0x3F) << 8
            return UInt8(truncatingIfNeeded: 0xE0 | unit >> 12)
        }
    }

    private mutating func codeUnit(in text: Span<UInt8>) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            unit = unit << 4 | (JSONToken.hexadecimalDigit(text[position]) ?? 0)
            position += 1
        }
        return unit
    }
}
