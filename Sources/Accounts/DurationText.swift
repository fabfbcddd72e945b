/// Durations as people write them: `90`, `90s`, `10m`, `6h`, `7d`, `1h30m`.
package enum DurationText {
    private static let units: [(letter: UInt8, seconds: Int64)] = [
        (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60),
        (UInt8(ascii: "s"), 1),
    ]

    /// Reads a duration.
    ///
    /// Whole numbers with a unit each, larger units first and each at most once, or one number of
    /// seconds alone. No sign, no space, no fraction.
    ///
    /// - Returns: seconds; nil when it is written otherwise or does not fit into 64 bits.
    package static func parse(_ text: String) -> Int64? {
        var total: Int64 = 0
        var number: Int64?
        // How many units can no longer follow.
        var passed = 0
        for byte in text.utf8 {
            if AccountField.isDigit(byte) {
                let (tens, overflows) = (number ?? 0).multipliedReportingOverflow(by: 10)
                let (value, overflowsToo) = tens.addingReportingOverflow(Int64(byte - 0x30))
                if overflows || overflowsToo { return nil }
                number = value
                continue
            }
            guard let count = number, let unit = unit(byte, from: passed) else { return nil }
            let (seconds, overflows) = count.multipliedReportingOverflow(by: units[unit].seconds)
            let (sum, overflowsToo) = total.addingReportingOverflow(seconds)
            if overflows || overflowsToo { return nil }
            total = sum
            number = nil
            passed = unit + 1
        }
        guard let seconds = number else { return passed > 0 ? total : nil }
        // A number without a unit is seconds only where it is all there is: "1h30" may mean two things.
        return passed == 0 ? seconds : nil
    }

    private static func unit(_ letter: UInt8, from first: Int) -> Int? {
        for index in first..<units.count where units[index].letter == letter { return index }
        return nil
    }

    /// Writes a duration by its two largest units.
    ///
    /// "6 days 23 h", "1 day", "23 h 59 min", "12 min 5 s", "0 s". What is smaller is left out, so that it never says more than there is.
    ///
    /// - Parameter seconds: below zero is written with a minus sign in front.
    package static func format(_ seconds: Int64) -> String {
        let left = seconds.magnitude
        let sign = seconds < 0 ? "-" : ""
        switch left {
        case 86_400...:
            let days = left / 86_400
            let word = days == 1 ? "1 day" : "\(days) days"
            return sign + word + rest(left % 86_400 / 3600, " h")
        case 3600...: return sign + "\(left / 3600) h" + rest(left % 3600 / 60, " min")
        case 60...: return sign + "\(left / 60) min" + rest(left % 60, " s")
        default: return sign + "\(left) s"
        }
    }

    private static func rest(_ count: UInt64, _ unit: String) -> String {
        count == 0 ? "" : " \(count)" + unit
    }
}
