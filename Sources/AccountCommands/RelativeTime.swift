import Accounts

/// Times as people say them.
enum RelativeTime {
    /// "in 6 days 23 h", "2 days 3 h ago".
    ///
    /// - Parameter remaining: seconds from now; not above zero for what has passed.
    static func text(_ remaining: Int64) -> String {
        if remaining > 0 { return "in " + DurationText.format(remaining) }
        return DurationText.format(remaining == .min ? .max : -remaining) + " ago"
    }
}
