/// Points in time as people read them, in UTC whatever the zone and locale of the machine.
package enum CivilTime {
    /// The first second of the year 1, before which there is none that could be written.
    package static let firstSecond: Int64 = -62_135_596_800
    /// The last second that has a text: 9999-12-31T23:59:59Z.
    package static let lastSecond: Int64 = 253_402_300_799

    /// The text of a point in time, "2026-02-28T23:59:59Z". RFC 3339
    ///
    /// - Parameter unixSeconds: since 1970-01-01T00:00:00Z. What lies before gives that text, what
    ///   lies after the year 9999 gives that year's last second.
    package static func rfc3339(_ unixSeconds: Int64) -> String {
        let seconds = min(max(unixSeconds, 0), lastSecond)
        let date = CivilDate(daysSince1970: seconds / 86_400)
        let time = seconds % 86_400
        // On the stack: the first array that a process makes costs it 20,000 instructions.
        var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "Z"))
        write(date.year, width: 4, at: 0, &text)
        text[4] = UInt8(ascii: "-")
        write(date.month, width: 2, at: 5, &text)
        text[7] = UInt8(ascii: "-")
        write(date.day, width: 2, at: 8, &text)
        text[10] = UInt8(ascii: "T")
        write(time / 3600, width: 2, at: 11, &text)
        text[13] = UInt8(ascii: ":")
        write(time / 60 % 60, width: 2, at: 14, &text)
        text[16] = UInt8(ascii: ":")
        write(time % 60, width: 2, at: 17, &text)
        // SAFETY: all of it is ASCII.
        return String(copying: unsafe UTF8Span(unchecked: text.span))
    }

    /// The point in time that a text stands for. RFC 3339
    ///
    /// A fraction of a second is cut off. Besides the RFC's forms the offset may lack its colon,
    /// `+0800`. A leap second, 23:59:60 UTC, is the second after it.
    ///
    /// - Parameter first: the first second that is taken, not before `firstSecond`.
    /// - Returns: seconds since 1970-01-01T00:00:00Z; nil when it is no such text, no such date,
    ///   before `first` or after the year 9999.
    package static func parse(_ text: String, from first: Int64 = 0) -> Int64? {
        var reader = DateReader(text: Array(text.utf8))
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T", or: "t", or: " "),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second <= 60, reader.skipFraction(),
            let offset = reader.offset(), reader.isAtEnd,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let minuteStart = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 - offset
        // Elsewhere in the day there is no sixty-first second.
        if second == 60, (minuteStart + 60) % 86_400 != 0 { return nil }
        let seconds = minuteStart + second
        return (first...lastSecond).contains(seconds) ? seconds : nil
    }

    private static func write(
        _ number: Int64, width: Int, at start: Int, _ text: inout InlineArray<20, UInt8>
    ) {
        var rest = number
        for index in stride(from: start + width - 1, through: start, by: -1) {
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}

/// Reads the parts of a date from left to right.
private struct DateReader {
    private let text: [UInt8]
    private var position = 0

    init(text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func number(digits: Int) -> Int64? {
        guard text.count - position >= digits else { return nil }
        var value: Int64 = 0
        for _ in 0..<digits {
            let byte = text[position]
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position += 1
        }
        return value
    }

    mutating func skip(_ first: Unicode.Scalar) -> Bool { skip(first, or: first, or: first) }

    mutating func skip(
        _ first: Unicode.Scalar, or second: Unicode.Scalar, or third: Unicode.Scalar
    ) -> Bool {
        guard position < text.count else { return false }
        let byte = UInt32(text[position])
        guard byte == first.value || byte == second.value || byte == third.value else {
            return false
        }
        position += 1
        return true
    }

    // A point must have digits behind it.
    mutating func skipFraction() -> Bool {
        guard skip(".") else { return true }
        guard number(digits: 1) != nil else { return false }
        while number(digits: 1) != nil {}
        return true
    }

    mutating func offset() -> Int64? {
        if skip("Z", or: "z", or: "Z") { return 0 }
        let sign: Int64
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(digits: 2), hours < 24 else { return nil }
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
