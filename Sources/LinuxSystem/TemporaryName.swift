/// Names of files that are not in their place yet.
enum TemporaryName {
    private static let prefix = ".tmp-"
    private static let digits = 16

    /// A name that nothing has: 64 random bits. getrandom(2)
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let number = generator.next()
        let text = String(number, radix: 16)
        return prefix + String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// Whether `make` could have made the name.
    static func matches(_ name: String) -> Bool {
        guard name.utf8.count == prefix.utf8.count + digits, name.hasPrefix(prefix) else {
            return false
        }
        return name.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
    }
}
