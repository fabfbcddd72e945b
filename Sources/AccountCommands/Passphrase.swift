/// What a passphrase may be, and a recovery code that somebody types. PROTOCOL.md, "Unlock"
enum Passphrase {
    /// Bytes of the longest.
    static let maximumLength = 1024

    /// What is typed or read.
    enum Kind: Equatable {
        case passphrase, recoveryCode

        /// In a sentence.
        var name: String { self == .passphrase ? "passphrase" : "recovery code" }
    }

    /// Why bytes cannot be one, as the rest of a sentence that begins with its name; nil where they
    /// can.
    ///
    /// That there are none at all is for the caller to judge.
    static func fault(of bytes: Span<UInt8>) -> String? {
        if bytes.count > maximumLength { return "is longer than \(maximumLength) bytes" }
        for index in bytes.indices where bytes[index] == 0 { return "has a NUL in it" }
        return isUTF8(bytes) ? nil : "is not UTF-8"
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch { return false }
    }

    /// How many of the bytes are left without one line's end behind them.
    static func countWithoutLineEnd(_ bytes: Span<UInt8>) -> Int {
        var count = bytes.count
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n") else { return count }
        count -= 1
        if count > 0, bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        return count
    }

    /// Whether both are the same.
    static func areSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }
}
