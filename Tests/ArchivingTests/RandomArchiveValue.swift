import Archiving
import FoundationEssentials

/// A small generator whose numbers are the same at each run: SplitMix64 of Steele et al., 2014.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

extension ArchiveValue {
    private static let letters = Array(
        "aZ0~ \u{0}\n\u{e9}\u{301}中文\u{feff}\u{ffff}😀\u{10ffff}".unicodeScalars)

    /// A random value of any kind but a null, which Foundation's encoder takes at some places only.
    static func random(using source: inout SplitMix64, depth: Int = 0) -> Self {
        switch source.below(depth > 3 ? 6 : 9) {
        case 0: return .boolean(source.below(2) == 0)
        case 1:
            let bits = Int64(truncatingIfNeeded: source.next() >> UInt64(source.below(64)))
            return .integer(source.below(2) == 0 ? bits : 0 &- bits)
        case 2:
            let value = Double(bitPattern: source.next())
            // Foundation's decoder takes a whole real for an integer too.
            return .real(value.isNaN || Int64(exactly: value) != nil ? 0.1 : value)
        case 3:
            return .date(Date(timeIntervalSinceReferenceDate: Double(source.below(1 << 40)) / 1024))
        case 4: return .data(Data((0..<length(&source)).map { _ in UInt8(source.below(256)) }))
        case 5: return .string(randomText(&source))
        case 6, 7:
            return .array(
                (0..<source.below(8)).map { _ in random(using: &source, depth: depth + 1) })
        default:
            var members: [String: Self] = [:]
            for _ in 0..<source.below(8) {
                members[randomText(&source)] = random(using: &source, depth: depth + 1)
            }
            return .dictionary(members)
        }
    }

    private static func randomText(_ source: inout SplitMix64) -> String {
        let choice = source.below(2) == 0 ? 5 : letters.count
        var text = String.UnicodeScalarView()
        for _ in 0..<length(&source) { text.append(letters[source.below(choice)]) }
        return String(text)
    }

    private static func length(_ source: inout SplitMix64) -> Int {
        [0, 1, 3, 14, 15, 16, source.below(300)][source.below(7)]
    }
}
