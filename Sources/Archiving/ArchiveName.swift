/// A name as it stands in a file's name and as a key is derived from it.
///
/// Names are told apart by their bytes: two that look the same and are written differently are two. A
/// name leads nowhere but into the directory of archives, since what is not plain is encoded.
/// docs/FORMAT.md, "Archives"
package struct ArchiveName: Equatable, Hashable, Sendable {
    /// Bytes of the longest name, in UTF-8.
    package static let maximumSize = 180
    static let suffix = ".sealed"
    static let previousSuffix = ".sealed~"
    // What begins an encoded name; no plain one begins so.
    private static let mark: Character = "="

    /// The name itself.
    package let text: String

    /// Takes any text of 1 to 180 bytes without a NUL, which the daemon's protocol does not carry.
    package init(_ text: String) throws(ArchiveError) {
        guard !text.isEmpty else { throw .invalidName("it is empty") }
        guard text.utf8.count <= Self.maximumSize else {
            throw .invalidName("it has \(text.utf8.count) bytes; \(Self.maximumSize) are the most")
        }
        guard !text.utf8.contains(0) else { throw .invalidName("it has a NUL") }
        self.text = text
    }

    /// Reads it back from a file's name; nil for a file that is no archive.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        let stem = fileName.dropLast(Self.suffix.utf8.count)
        let text: String
        if stem.first == Self.mark {
            guard let bytes = Self.decoded(stem.dropFirst()),
                let decoded = String(validating: bytes, as: UTF8.self)
            else { return nil }
            text = decoded
        } else {
            text = String(stem)
        }
        guard let name = try? ArchiveName(text), name.fileName == fileName else { return nil }
        self = name
    }

    /// The file's name within the directory of archives.
    package var fileName: String { stem + Self.suffix }
    /// The name of the file that it replaced.
    package var previousFileName: String { stem + Self.previousSuffix }

    /// A number that stands for it among all others, not negative; two may have the same.
    ///
    /// FNV-1a of 64 bits, of which 62 are used.
    var lockNumber: Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(hash >> 2)
    }

    private var stem: String { isPlain ? text : "\(Self.mark)\(Self.encoded(text))" }

    // Lower-case letters, digits, `-`, `_` and dots that are not at the beginning.
    private var isPlain: Bool {
        guard text.utf8.first != UInt8(ascii: ".") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    // RFC 4648, 5, without padding.
    private static func encoded(_ text: String) -> String {
        var characters = [UInt8]()
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                characters.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { characters.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes = [UInt8]()
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
