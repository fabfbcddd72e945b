/// The name of a master key: 16 random bytes that stand in the clear in all that it seals.
package struct MasterKeyID: Hashable, Sendable, CustomStringConvertible {
    /// Bytes in an id.
    package static let size = 16
    private let high: UInt64
    private let low: UInt64

    /// Takes the id's 16 bytes; nil for any other count.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for index in 0..<8 {
            words.high = words.high << 8 | UInt64(bytes[index])
            words.low = words.low << 8 | UInt64(bytes[index + 8])
        }
        high = words.high
        low = words.low
    }

    /// Draws a new id.
    static func random() -> MasterKeyID {
        let bytes = Sodium.randomBytes(size)
        guard let id = MasterKeyID(bytes.span) else { preconditionFailure("16 bytes make an id") }
        return id
    }

    /// The id's 16 bytes.
    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

    /// The id as 32 lower-case hexadecimal digits.
    package var description: String { hexadecimal(bytes) }
}

extension FixedWidthInteger {
    /// The bytes, the most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: self >> $0)
        }
    }

    /// The bytes, the least significant first.
    var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}

/// Writes bytes that are not secret as lower-case hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text = [UInt8]()
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
