public import FoundationEssentials

/// A value of which no more is known than what it is made of: what a property list or a JSON text
/// holds.
public enum ArchiveValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([ArchiveValue])
    case dictionary([String: ArchiveValue])
}

extension ArchiveValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a real.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Makes a null.
    public init(nilLiteral: ()) { self = .null }
    /// Makes an array.
    public init(arrayLiteral elements: ArchiveValue...) { self = .array(elements) }
    /// Makes a dictionary; of a key that stands there twice the last value counts.
    public init(dictionaryLiteral elements: (String, ArchiveValue)...) {
        self = .dictionary(Dictionary(elements) { _, last in last })
    }
}
