/// A number cut towards zero.
package enum JSONTruncation: Equatable, Sendable {
    /// What is left of it.
    case value(Int64)
    /// More than 64 bits hold.
    case outOfRange
}
