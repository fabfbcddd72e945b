import SecretMemory

/// One line that a pinentry says. Assuan, "Server responses"
///
/// The line stands in secret memory, since it may be the passphrase.
struct PinentryLine {
    /// Bytes of what an error says of itself, at the most.
    private static let longestReason = 160

    enum Kind: Equatable {
        case ok
        /// libgpg-error's code, without its source.
        case error(code: UInt32, reason: String)
        /// A part of what was typed begins at this offset.
        case data(Int)
        /// What was typed was typed twice.
        case repeated
        /// It asks something itself.
        case inquiry
        /// What need not be known.
        case other
    }

    /// What the line is.
    ///
    /// - Returns: nil for what the protocol does not know.
    static func kind(_ line: Span<UInt8>) -> Kind? {
        if has("D ", line) { return .data(2) }
        if isWord("OK", line) { return .ok }
        if has("ERR ", line) { return error(line) }
        if isWord("S PIN_REPEATED", line) { return .repeated }
        if isWord("S", line) || has("#", line) || line.isEmpty { return .other }
        if isWord("INQUIRE", line) { return .inquiry }
        return nil
    }

    private static func has(_ prefix: StaticString, _ line: Span<UInt8>) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard line.count >= count else { return false }
        for index in 0..<count {
            // SAFETY: a static string has as many bytes as it says.
            guard unsafe line[index] == prefix.utf8Start[index] else { return false }
        }
        return true
    }

    private static func isWord(_ word: StaticString, _ line: Span<UInt8>) -> Bool {
        let count = word.utf8CodeUnitCount
        return has(word, line) && (line.count == count || line[count] == UInt8(ascii: " "))
    }

    private static func error(_ line: Span<UInt8>) -> Kind? {
        var position = 4
        var number: UInt64 = 0
        while position < line.count, position < 14 {
            let digit = line[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            number = number * 10 + UInt64(digit)
            position += 1
        }
        guard position > 4, position == line.count || line[position] == UInt8(ascii: " ") else {
            return nil
        }
        return .error(code: UInt32(number & 0xFFFF), reason: reason(line, from: position + 1))
    }

    // Whatever could act on a terminal, or is no ASCII, is a question mark.
    private static func reason(_ line: Span<UInt8>, from start: Int) -> String {
        var text = ""
        for index in min(start, line.count)..<min(start + longestReason, line.count) {
            let byte = line[index]
            let isPlain = 0x20 <= byte && byte < 0x7F
            text.unicodeScalars.append(Unicode.Scalar(isPlain ? byte : UInt8(ascii: "?")))
        }
        return text
    }

    /// Appends what a line of data means, its escapes undone.
    ///
    /// - Throws: `.notUnderstood` for an escape that is none, `.tooLong`, `.noMemory`.
    static func append(
        _ data: Span<UInt8>, to answer: inout SecretBuffer
    ) throws(PinentryFault) {
        var position = 0
        while position < data.count {
            var byte = data[position]
            position += 1
            if byte == UInt8(ascii: "%") {
                guard position + 1 < data.count, let high = digit(data[position]),
                    let low = digit(data[position + 1])
                else { throw .notUnderstood }
                byte = high << 4 | low
                position += 2
            }
            do { try answer.append(byte) } catch {
                throw error == .overLimit ? .tooLong : .noMemory
            }
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
