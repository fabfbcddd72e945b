import Glibc
import JSON
import Testing

@Suite struct JSONHostileTextTests {
    private static let wide = JSONLimits(maximumBytes: 1 << 23)
    private static let deep = JSONLimits(maximumBytes: 1 << 23, maximumDepth: .max)

    @Test("100,000 brackets are refused at the limit, and read where there is none")
    func brackets() throws {
        let open = String(repeating: "[", count: 100_000)
        let close = String(repeating: "]", count: 100_000)
        #expect(refusal(of: open) == .tooLong)
        #expect(refusal(of: open, Self.wide) == .tooDeep(offset: 16))
        #expect(refusal(of: open, Self.deep) == .syntax(offset: 100_000))
        #expect(refusal(of: open + close, Self.deep) == nil)
        #expect(refusal(of: open + close + "]", Self.deep) == .trailingData(offset: 200_000))
        let objects = String(repeating: #"{"":"#, count: 100_000)
        #expect(refusal(of: objects, Self.wide) == .tooDeep(offset: 64))
        #expect(refusal(of: objects, Self.deep) == .syntax(offset: 400_000))
        let closed = objects + "0" + String(repeating: "}", count: 100_000)
        #expect(refusal(of: closed, Self.deep) == nil)
    }

    /// Families of names that common hash functions throw together.
    private static let families: [(name: String, names: [String])] = [
        ("the same length and a common start", (0..<8192).map { "prefixprefix\(10_000 + $0)" }),
        ("a common end", (0..<8192).map { "\(10_000 + $0)suffixsuffix" }),
        // h = 31 h + c gives Aa and BB the same value.
        (
            "equal under a multiplier of 31",
            (0..<8192).map { number in
                (0..<13).map { number >> $0 & 1 == 0 ? "Aa" : "BB" }.joined()
            }
        ),
        // h = 33 h + c likewise.
        (
            "equal under a multiplier of 33",
            (0..<8192).map { number in
                (0..<13).map { number >> $0 & 1 == 0 ? "bA" : "ab" }.joined()
            }
        ),
        // Sums and exclusive ors do not see an order.
        (
            "the same letters in another order",
            (0..<8192).map { number in
                (0..<13).map { number >> $0 & 1 == 0 ? "ab" : "ba" }.joined()
            }
        ),
        ("zero bits in the low half", (0..<8192).map { "\\u\(String(0x1000 + $0, radix: 16))" }),
    ]

    private static func object(_ names: some Sequence<String>) -> [UInt8] {
        Array("{\(names.map { "\"\($0)\":0" }.joined(separator: ","))}".utf8)
    }

    @Test(
        "8,192 names chosen to collide are told apart, and one repeated among them is found",
        arguments: families.map(\.name))
    func collidingNames(_ family: String) throws {
        let names = try #require(Self.families.first { $0.name == family }?.names)
        let text = Self.object(names)
        #expect(refusal(of: text, Self.wide) == nil)
        let repeated = Self.object(names + [names[4096]])
        #expect(refusal(of: repeated, Self.wide) == .duplicateKey(offset: text.count))
    }

    /// The least processor time of a few scans, in nanoseconds; other processes do not count.
    private func time(_ text: [UInt8], _ limits: JSONLimits) throws -> Double {
        var index = JSONIndex(limits: limits)
        var least = Double.infinity
        for _ in 0..<5 {
            let start = processorTime()
            try index.scan(text.span)
            least = min(least, processorTime() - start)
        }
        return least
    }

    private func processorTime() -> Double {
        var time = timespec()
        // SAFETY: the call fills in the structure and keeps no pointer to it.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Texts of `count` parts that might make a reader slow.
    private static let shapes: [(name: String, text: @Sendable (Int) -> [UInt8])] = [
        ("many names", { count in object((0..<count).map(String.init)) }),
        ("many names with escapes", { count in object((0..<count).map { "\\n\($0)" }) }),
        (
            "many objects of as many names as are compared in pairs",
            { count in
                let some = String(decoding: object((0..<8).map(String.init)), as: UTF8.self)
                return Array(
                    "[\(Array(repeating: some, count: count / 8).joined(separator: ","))]".utf8)
            }
        ),
        (
            "many objects of as few names as are hashed",
            { count in
                let some = String(decoding: object((0..<9).map(String.init)), as: UTF8.self)
                return Array(
                    "[\(Array(repeating: some, count: count / 9).joined(separator: ","))]".utf8)
            }
        ),
        (
            "few long names that differ in the last byte",
            { count in object((0..<8).map { String(repeating: "\\n", count: count) + "\($0)" }) }
        ),
        (
            "brackets",
            { count in
                [UInt8](repeating: UInt8(ascii: "["), count: count)
                    + [UInt8](repeating: UInt8(ascii: "]"), count: count)
            }
        ),
        (
            "objects in objects",
            { count in
                Array(
                    (String(repeating: #"{"a":"#, count: count) + "0"
                        + String(repeating: "}", count: count)).utf8)
            }
        ),
        (
            "whitespace",
            { count in [UInt8](repeating: 0x20, count: count * 8) + [UInt8(ascii: "1")] }
        ),
        (
            "digits",
            { count in [UInt8](repeating: UInt8(ascii: "1"), count: count * 8) }
        ),
    ]

    @Test("eight times the text takes about eight times the time", arguments: shapes.map(\.name))
    func linear(_ name: String) throws {
        let shape = try #require(Self.shapes.first { $0.name == name }?.text)
        let one = try time(shape(1_000), Self.deep)
        let eight = try time(shape(8_000), Self.deep)
        // A quadratic part would make it 64 times.
        #expect(eight / one < 16)
    }
}
