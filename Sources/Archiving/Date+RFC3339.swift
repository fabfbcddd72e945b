package import FoundationEssentials

extension Date {
    /// Microseconds since 1970-01-01T00:00:00Z that have a text: the years 1 to 9999.
    private static let written = -62_135_596_800_000_000...253_402_300_799_999_999

    /// The text of this point in time in UTC, "2016-11-05T00:53:20Z"; where it is no whole second,
    /// with a fraction of up to six digits. RFC 3339, 5.6
    ///
    /// nil outside the years 1 to 9999, which is all that such a text can say. By arithmetic alone,
    /// whatever the zone and the locale of the machine.
    package var rfc3339: String? {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
        guard let number = Int(exactly: microseconds), Self.written.contains(number) else {
            return nil
        }
        let (seconds, fraction) = Self.divide(number, by: 1_000_000)
        let (days, second) = Self.divide(seconds, by: 86_400)
        let (year, month, day) = Self.civil(daysSince1970: days)
        var text = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))T"
        text += Self.digits(second / 3600, 2) + ":" + Self.digits(second / 60 % 60, 2)
        text += ":" + Self.digits(second % 60, 2)
        if fraction > 0 {
            var digits = Self.digits(fraction, 6)
            while digits.last == "0" { digits.removeLast() }
            text += "." + digits
        }
        return text + "Z"
    }

    // Down, so that what is left is never negative.
    private static func divide(_ number: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    // Years are counted from March, so that the leap day is a year's last; 400 years are 146,097 days.
    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        // Since 1 March of the year 0, after which all of these are.
        let days = daysSince1970 + 719_468
        let (era, dayOfEra) = divide(days, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
