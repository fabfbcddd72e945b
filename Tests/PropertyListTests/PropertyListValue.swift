import PropertyList
import SecretMemory

/// A whole property list as a value of the tests, which compare by its notation (see `peer.py`).
indirect enum PropertyListValue: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// An integer that Int64 cannot hold, or about which readers disagree.
    case integerOutOfRange
    case real(Double)
    /// Seconds since 1970; nil when not finite.
    case date(Double?)
    case data([UInt8])
    /// UTF-8, so that equality is not canonical equivalence.
    case string([UInt8])
    case uid(UInt64)
    case array([PropertyListValue])
    case set([PropertyListValue])
    case dictionary([[UInt8]: PropertyListValue])

    static func text(_ text: String) -> Self { .string(Array(text.utf8)) }

    /// Whether it holds, at any depth, something for which `test` is true.
    func contains(_ test: (Self) -> Bool) -> Bool {
        if test(self) { return true }
        switch self {
        case .array(let elements), .set(let elements):
            return elements.contains { $0.contains(test) }
        case .dictionary(let members): return members.values.contains { $0.contains(test) }
        default: return false
        }
    }

    /// The value in the notation of `peer.py`.
    var notation: String {
        switch self {
        case .null: return "n"
        case .boolean(let value): return value ? "t" : "f"
        case .integer(let value): return "i\(value)"
        case .integerOutOfRange: return "i*"
        case .real(let value):
            return value.isNaN ? "rnan" : "r" + Self.hexadecimal(value.bitPattern)
        case .date(let seconds):
            guard let seconds else { return "d?" }
            return Int64(exactly: (seconds * 1e6).rounded(.toNearestOrEven)).map { "d\($0)" }
                ?? "d!"
        case .data(let bytes): return "x" + Self.hexadecimal(bytes)
        case .string(let utf8): return "s" + Self.hexadecimal(utf8)
        case .uid(let value): return "u\(value)"
        case .array(let elements): return "[" + Self.list(elements) + "]"
        case .set(let elements): return "(" + Self.list(elements) + ")"
        case .dictionary(let members):
            let sorted = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            let texts = sorted.map { Self.hexadecimal($0.key) + ":" + $0.value.notation }
            return "{" + texts.joined(separator: ",") + "}"
        }
    }

    private static func list(_ elements: [Self]) -> String {
        elements.map(\.notation).joined(separator: ",")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) })
    }
}
