import Glibc

/// Recognises the calls that nearly every query is: a method, and parameters that are absent or
/// empty, with whitespace wherever JSON has it.
///
/// It does not replace the scanner: whatever it does not recognise, a fault included, it leaves to
/// `Call`, which reads everything. What it recognises `Call` reads the same; a test holds the two
/// against each other. It spares such a query the index of a text that has three things in it.
package enum PlainCall {
    /// Whether a message is a call to that method and says nothing else.
    ///
    /// - Parameters:
    ///   - method: the full name, without anything that JSON would escape.
    ///   - text: the message without its terminator.
    package static func isCall(to method: StaticString, _ text: Span<UInt8>) -> Bool {
        var position = skip(text, 0)
        guard takes(UInt8(ascii: "{"), text, &position) else { return false }
        var hasMethod = false
        var hasParameters = false
        while true {
            if !hasMethod, takes("\"method\"", text, &position) {
                hasMethod = true
                guard takes(UInt8(ascii: ":"), text, &position),
                    takes(UInt8(ascii: "\""), text, &position, thenSkips: false),
                    takes(method, text, &position, thenSkips: false),
                    takes(UInt8(ascii: "\""), text, &position)
                else { return false }
            } else if !hasParameters, takes("\"parameters\"", text, &position) {
                hasParameters = true
                guard takes(UInt8(ascii: ":"), text, &position),
                    takes(UInt8(ascii: "{"), text, &position),
                    takes(UInt8(ascii: "}"), text, &position)
                else { return false }
            } else {
                return false
            }
            if takes(UInt8(ascii: ","), text, &position) { continue }
            return takes(UInt8(ascii: "}"), text, &position) && position == text.count
                && hasMethod
        }
    }

    @inline(__always)
    private static func skip(_ text: Span<UInt8>, _ start: Int) -> Int {
        var position = start
        while position < text.count {
            let byte = text[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            position += 1
        }
        return position
    }

    @inline(__always)
    private static func takes(
        _ byte: UInt8, _ text: Span<UInt8>, _ position: inout Int, thenSkips: Bool = true
    ) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        if thenSkips { position = skip(text, position) }
        return true
    }

    @inline(__always)
    private static func takes(
        _ word: StaticString, _ text: Span<UInt8>, _ position: inout Int, thenSkips: Bool = true
    ) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= text.count - position else { return false }
        let start = position
        let isSame = unsafe text.withUnsafeBytes { bytes -> Bool in
            guard let base = bytes.baseAddress else { return false }
            // SAFETY: `count` bytes are left in the text, as compared above; a static string lives
            // as long as the program.
            return unsafe memcmp(base + start, word.utf8Start, count) == 0
        }
        guard isSame else { return false }
        position += count
        if thenSkips { position = skip(text, position) }
        return true
    }
}
