/// Times as people read them: RFC 3339 in UTC, whatever the locale and the zone of the machine.
///
/// The calendar is computed, not asked of the C library: the answer must not depend on TZ, and the
/// rules of the proleptic Gregorian calendar fit on a page.
package enum CivilTime {
    /// Years that RFC 3339 can write and that the calendar here is used for.
    private static let years = 0...9999
    private static let secondsPerDay: Int64 = 86_400
    // A span of 400 years repeats, weekdays aside; it is counted from the first of March, so that
    // the leap day is the last of its year.
    private static let daysPerEra: Int64 = 146_097
    private static let daysFromMarch0000To1970: Int64 = 719_468

    /// RFC 3339 text such as `2026-01-01T02:00:00Z`.
    ///
    /// - Parameter unixSeconds: seconds since 1970-01-01T00:00:00Z; beyond the years 0 to 9999 the
    ///   nearest time within them is written.
    package static func rfc3339(_ unixSeconds: Int64) -> String {
        let least: Int64 = -62_167_219_200
        let most: Int64 = 253_402_300_799
        let seconds = min(max(unixSeconds, least), most)
        var days = seconds / secondsPerDay
        var rest = seconds % secondsPerDay
        if rest < 0 {
            rest += secondsPerDay
            days -= 1
        }
        let (year, month, day) = date(ofDay: days)
        var text = ""
        append(year, 4, to: &text)
        text.append("-")
        append(month, 2, to: &text)
        text.append("-")
        append(day, 2, to: &text)
        text.append("T")
        append(rest / 3600, 2, to: &text)
        text.append(":")
        append(rest / 60 % 60, 2, to: &text)
        text.append(":")
        append(rest % 60, 2, to: &text)
        text.append("Z")
        return text
    }

    /// Reads RFC 3339 text.
    ///
    /// The offset may be `Z`, `+08:00` or, as Weibo's apps wrote it, `+0800`.
    /// Fractions of a second are cut off.
    ///
    /// - Returns: seconds since 1970-01-01T00:00:00Z; nil for anything else.
    package static func parse(_ text: String) -> Int64? {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"),
            let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2),
            reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2),
            (1...12).contains(month), (1...length(ofMonth: month, year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        if reader.skip(".") {
            guard reader.number(1) != nil else { return nil }
            while reader.number(1) != nil {}
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        // A leap second has no number of its own in Unix time: it is the second before.
        let clock = hour * 3600 + minute * 60 + min(second, 59)
        return dayNumber(year, month, day) * secondsPerDay + clock - offset
    }

    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + daysFromMarch0000To1970
        let era = (shifted >= 0 ? shifted : shifted - daysPerEra + 1) / daysPerEra
        let dayOfEra = shifted - era * daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    }

    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let fromMarch = month > 2 ? month - 3 : month + 9
        let marchYear = month > 2 ? year : year - 1
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * fromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - daysFromMarch0000To1970
    }

    private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func append(_ number: Int64, _ width: Int, to text: inout String) {
        let digits = String(number)
        for _ in 0..<max(0, width - digits.utf8.count) { text.append("0") }
        text.append(digits)
    }
}

/// Reads digits and signs from the front of a text.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(_ digits: Int) -> Int64? {
        var value: Int64 = 0
        var position = rest.startIndex
        for _ in 0..<digits {
            guard position < rest.endIndex, case let byte = rest[position],
                byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9")
            else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position = rest.index(after: position)
        }
        rest = rest[position...]
        return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Seconds that the zone is ahead of UTC.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
