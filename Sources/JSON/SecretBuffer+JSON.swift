package import SecretMemory

extension SecretBuffer {
    /// Appends a string with its quotes: `"`, `\`, U+0000 to U+001F and U+007F escaped, the rest as
    /// it is. RFC 8259, 7
    ///
    /// - Parameter utf8: well-formed UTF-8; it is not checked.
    /// - Throws: as `reserve` does; then nothing has been appended.
    package mutating func appendJSONString(_ utf8: Span<UInt8>) throws(SecretMemoryError) {
        var count = utf8.count + 2
        for index in utf8.indices { count += JSONEscape(utf8[index])?.extraCount ?? 0 }
        try reserve(count)
        try append(UInt8(ascii: "\""))
        var start = 0
        for index in utf8.indices {
            guard let escape = JSONEscape(utf8[index]) else { continue }
            try append(utf8.extracting(start..<index))
            try append(UInt8(ascii: "\\"))
            try append(escape.letter)
            if escape.letter == UInt8(ascii: "u") {
                try append("00")
                try append(JSONEscape.hexadecimalDigit(utf8[index] >> 4))
                try append(JSONEscape.hexadecimalDigit(utf8[index] & 0x0F))
            }
            start = index + 1
        }
        try append(utf8.extracting(start..<utf8.count))
        try append(UInt8(ascii: "\""))
    }

    /// Appends a text that is part of the program as a string.
    package mutating func appendJSONString(_ text: StaticString) throws(SecretMemoryError) {
        // SAFETY: a static string lives as long as the program.
        let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        try appendJSONString(unsafe bytes.span)
    }

    /// Appends a text that is no secret as a string.
    package mutating func appendJSONString(_ text: String) throws(SecretMemoryError) {
        try appendJSONString(text.utf8.span)
    }

    /// Appends bytes as a string of their lower-case hexadecimal digits.
    ///
    /// - Throws: as `reserve` does; then nothing has been appended.
    package mutating func appendJSONHexadecimal(
        _ bytes: Span<UInt8>
    ) throws(SecretMemoryError) {
        try reserve(2 * bytes.count + 2)
        try append(UInt8(ascii: "\""))
        for index in bytes.indices {
            try append(JSONEscape.hexadecimalDigit(bytes[index] >> 4))
            try append(JSONEscape.hexadecimalDigit(bytes[index] & 0x0F))
        }
        try append(UInt8(ascii: "\""))
    }

    /// Appends a number in decimal digits.
    ///
    /// - Throws: as `reserve` does; then nothing has been appended.
    package mutating func appendJSON(_ integer: Int64) throws(SecretMemoryError) {
        var divisor: UInt64 = 1
        var count = integer < 0 ? 2 : 1
        while integer.magnitude / divisor >= 10 {
            divisor *= 10
            count += 1
        }
        try reserve(count)
        if integer < 0 { try append(UInt8(ascii: "-")) }
        while divisor > 0 {
            let digit = UInt8(truncatingIfNeeded: integer.magnitude / divisor % 10)
            try append(UInt8(ascii: "0") + digit)
            divisor /= 10
        }
    }

    /// Appends a number so that reading it gives the same one again; always with a fraction or an
    /// exponent, which tells it from a whole number.
    ///
    /// - Parameter float: finite, since JSON has no other numbers, and no secret.
    /// - Throws: as `reserve` does; then nothing has been appended.
    package mutating func appendJSON(float: Double) throws(SecretMemoryError) {
        precondition(float.isFinite, "JSON has no such number")
        let digits = float.description
        try append(digits.utf8.span)
    }

    /// Appends `true` or `false`.
    package mutating func appendJSON(_ bool: Bool) throws(SecretMemoryError) {
        try append(bool ? "true" : "false")
    }
}

/// How a byte is written when it cannot stand in a string as it is.
struct JSONEscape {
    /// What follows the backslash; after `u` come four digits.
    let letter: UInt8

    /// Bytes that it is longer than the byte itself.
    var extraCount: Int { letter == UInt8(ascii: "u") ? 5 : 1 }

    /// Nil when the byte stands for itself.
    init?(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        case 0..<0x20, 0x7F: letter = UInt8(ascii: "u")
        default: return nil
        }
    }

    /// A lower-case digit for a value below 16.
    static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }
}
