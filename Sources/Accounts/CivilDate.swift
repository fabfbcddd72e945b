/// A day of the Gregorian calendar, by arithmetic alone.
///
/// Years are counted from March, so that the leap day is a year's last and the lengths of the
/// months before it follow one formula; 400 years are 146,097 days.
struct CivilDate: Equatable {
    /// 1 January 1970 and 31 December 9999, in days since 1970-01-01.
    static let days: ClosedRange<Int64> = 0...2_932_896

    let year: Int64
    /// 1 to 12.
    let month: Int64
    /// 1 to 31.
    let day: Int64

    /// From a date that must exist.
    ///
    /// - Returns: nil when it does not, or lies outside the years 1 to 10000.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...10_000).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// From days since 1970-01-01, which must be in `days`.
    init(daysSince1970 days: Int64) {
        precondition(Self.days.contains(days), "outside the years 1970 to 9999")
        // Days since 1 March of the year 0.
        let day = days + 719_468
        let era = day / 146_097
        let dayOfEra = day % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01, negative before.
    var daysSince1970: Int64 {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = yearFromMarch / 400
        let yearOfEra = yearFromMarch % 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
