import Glibc

/// Recognises the calls that nearly every query is: a method without parameters, or with a minimum
/// validity, in whatever spelling JSON has for it.
///
/// It does not replace the scanner: whatever it does not recognise, a fault included, it leaves to
/// `Call`, which reads everything. What it recognises `Call` reads the same; a test holds the two
/// against each other. It spares such a query the index of a text that has three things in it, which
/// costs more than all the rest of the query's way through the daemon.
package struct PlainCall {
    /// Digits of the longest number that is read here; any fits into 64 bits.
    private static let maximumDigits = 18

    /// `min_validity`; 0 when it is absent or null.
    package private(set) var minimum: Int64 = 0

    private struct Members: OptionSet {
        let rawValue: UInt8
        static var method: Members { Members(rawValue: 1) }
        static var parameters: Members { Members(rawValue: 2) }
        static var oneway: Members { Members(rawValue: 4) }
        static var more: Members { Members(rawValue: 8) }
        static var upgrade: Members { Members(rawValue: 16) }
    }

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - method: the full name that is looked for; ASCII without anything that JSON must escape.
    ///   - text: the message without its terminator.
    /// - Returns: nil when it is anything else than a call to that method which wants one reply.
    package init?(to method: StaticString, _ text: Span<UInt8>) {
        var position = Self.skip(text, 0)
        guard Self.takes(UInt8(ascii: "{"), text, &position) else { return nil }
        var members = Members()
        repeat {
            guard let member = Self.name(text, &position), !members.contains(member) else {
                return nil
            }
            members.formUnion(member)
            guard Self.takes(UInt8(ascii: ":"), text, &position) else { return nil }
            switch member {
            case .method:
                guard Self.takes(string: method, text, &position) else { return nil }
            case .parameters:
                guard readParameters(text, &position) else { return nil }
            default:
                guard
                    Self.takes("false", text, &position) || Self.takes("null", text, &position)
                else { return nil }
            }
        } while Self.takes(UInt8(ascii: ","), text, &position)
        guard Self.takes(UInt8(ascii: "}"), text, &position), position == text.count,
            members.contains(.method)
        else { return nil }
    }

    private mutating func readParameters(_ text: Span<UInt8>, _ position: inout Int) -> Bool {
        guard Self.takes(UInt8(ascii: "{"), text, &position) else { return false }
        if Self.takes(UInt8(ascii: "}"), text, &position) { return true }
        guard Self.takes(string: "min_validity", text, &position),
            Self.takes(UInt8(ascii: ":"), text, &position)
        else { return false }
        if !Self.takes("null", text, &position) {
            guard let number = Self.number(text, &position) else { return false }
            minimum = number
        }
        return Self.takes(UInt8(ascii: "}"), text, &position)
    }

    // The two names that nearly every call has are told by eight bytes, their first quote among
    // them; the first letter tells the others, and one that is escaped may be any.
    private static func name(_ text: Span<UInt8>, _ position: inout Int) -> Members? {
        switch word(text, position) {
        case quotedMethod:
            position = skip(text, position + 8)
            return .method
        case quotedParameters where isSame("ers\"", text, position + 8):
            position = skip(text, position + 12)
            return .parameters
        default:
            return rareName(text, &position)
        }
    }

    // `"method"` and `"paramet`, as words of little endian machines.
    private static let quotedMethod: UInt64 = 0x2264_6F68_7465_6D22
    private static let quotedParameters: UInt64 = 0x7465_6D61_7261_7022

    // Eight bytes; 0, which no text has, where there are not so many.
    @inline(__always)
    private static func word(_ text: Span<UInt8>, _ position: Int) -> UInt64 {
        guard position + 8 <= text.count else { return 0 }
        return unsafe text.withUnsafeBytes { bytes in
            // SAFETY: eight bytes are left, as compared above.
            unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
    }

    private static func rareName(_ text: Span<UInt8>, _ position: inout Int) -> Members? {
        switch at(text, position + 1) {
        case UInt8(ascii: "m") where takes(string: "more", text, &position):
            return .more
        case UInt8(ascii: "o"):
            return takes(string: "oneway", text, &position) ? .oneway : nil
        case UInt8(ascii: "u"):
            return takes(string: "upgrade", text, &position) ? .upgrade : nil
        case UInt8(ascii: "m"), UInt8(ascii: "p"), UInt8(ascii: "\\"):
            if takes(string: "method", text, &position) { return .method }
            return takes(string: "parameters", text, &position) ? .parameters : nil
        default:
            return nil
        }
    }

    // A whole number without a sign, a fraction or an exponent. RFC 8259, 6
    private static func number(_ text: Span<UInt8>, _ position: inout Int) -> Int64? {
        let start = position
        var value: Int64 = 0
        while position < text.count, position - start < maximumDigits,
            case let digit = text[position] &- UInt8(ascii: "0"), digit < 10
        {
            value = value * 10 + Int64(digit)
            position += 1
        }
        guard position > start, position - start == 1 || text[start] != UInt8(ascii: "0") else {
            return nil
        }
        // Whatever else a number may go on with is no token that can follow here.
        position = skip(text, position)
        return value
    }

    // The byte at an offset, or NUL, which no valid text has, past the end.
    @inline(__always)
    private static func at(_ text: Span<UInt8>, _ position: Int) -> UInt8 {
        // SAFETY: offsets only grow from 0, and this one is compared with the count.
        position < text.count ? unsafe text[unchecked: position] : 0
    }

    @inline(__always)
    private static func skip(_ text: Span<UInt8>, _ start: Int) -> Int {
        at(text, start) > 0x20 ? start : skipRun(text, start)
    }

    private static func skipRun(_ text: Span<UInt8>, _ start: Int) -> Int {
        var position = start
        while true {
            switch at(text, position) {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return position
            }
        }
    }

    @inline(__always)
    private static func takes(
        _ byte: UInt8, _ text: Span<UInt8>, _ position: inout Int
    ) -> Bool {
        guard at(text, position) == byte else { return false }
        position = skip(text, position + 1)
        return true
    }

    @inline(__always)
    private static func takes(
        _ word: StaticString, _ text: Span<UInt8>, _ position: inout Int
    ) -> Bool {
        guard isSame(word, text, position) else { return false }
        position = skip(text, position + word.utf8CodeUnitCount)
        return true
    }

    @inline(__always)
    private static func takes(
        string word: StaticString, _ text: Span<UInt8>, _ position: inout Int
    ) -> Bool {
        let end = position + 1 + word.utf8CodeUnitCount
        if at(text, end) == UInt8(ascii: "\""), at(text, position) == UInt8(ascii: "\""),
            isSame(word, text, position + 1)
        {
            position = skip(text, end + 1)
            return true
        }
        return takes(escaped: word, text, &position)
    }

    // A string that is the word once its `\u` escapes are decoded.
    private static func takes(
        escaped word: StaticString, _ text: Span<UInt8>, _ position: inout Int
    ) -> Bool {
        var next = position
        guard next < text.count, text[next] == UInt8(ascii: "\"") else { return false }
        next += 1
        for index in 0..<word.utf8CodeUnitCount {
            // SAFETY: within the count of a text that lives as long as the program.
            let wanted = unsafe word.utf8Start[index]
            guard next < text.count else { return false }
            if text[next] == wanted {
                next += 1
                continue
            }
            guard text[next] == UInt8(ascii: "\\"), next + 5 < text.count,
                text[next + 1] == UInt8(ascii: "u"), text[next + 2] == UInt8(ascii: "0"),
                text[next + 3] == UInt8(ascii: "0"), let high = hexadecimal(text[next + 4]),
                let low = hexadecimal(text[next + 5]), high << 4 | low == wanted
            else { return false }
            next += 6
        }
        guard next < text.count, text[next] == UInt8(ascii: "\"") else { return false }
        position = skip(text, next + 1)
        return true
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    @inline(__always)
    private static func isSame(
        _ word: StaticString, _ text: Span<UInt8>, _ start: Int
    ) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= text.count - start else { return false }
        return unsafe text.withUnsafeBytes { bytes -> Bool in
            guard let base = bytes.baseAddress else { return false }
            // SAFETY: `count` bytes are left in the text, as compared above; a static string lives
            // as long as the program.
            return unsafe memcmp(base + start, word.utf8Start, count) == 0
        }
    }
}
