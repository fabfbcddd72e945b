/// Writes random valid texts, spelled in every way that RFC 8259 allows.
///
/// Names are unique within an object, under canonical equivalence too: Foundation's dictionaries
/// take composed and decomposed letters for the same. There is no U+0000.
struct JSONTextGenerator {
    private var random: SplitMix64
    private var text: [UInt8] = []
    /// Whether every number fits a Double; Foundation refuses the others.
    private let onlyFinite: Bool

    init(seed: UInt64, onlyFinite: Bool) {
        random = SplitMix64(seed: seed)
        self.onlyFinite = onlyFinite
    }

    /// The next text.
    mutating func next() -> [UInt8] {
        text = []
        whitespace()
        value(depth: 0)
        whitespace()
        return text
    }

    private mutating func value(depth: Int) {
        // Containers first, so that most texts have some.
        let kinds = depth < 10 ? 10 : 5
        switch (depth == 0 ? 9 : 0) - random.below(kinds) {
        case 0, -5, 5: string(prefix: "")
        case -1, 4: number()
        case -2: append("true")
        case -3, 3: append("false")
        case -4: append("null")
        case -6, -7, 6, 7: array(depth: depth)
        default: object(depth: depth)
        }
    }

    private mutating func array(depth: Int) {
        append("[")
        for place in 0..<random.below(6) {
            if place > 0 { append(",") }
            whitespace()
            value(depth: depth + 1)
            whitespace()
        }
        whitespace()
        append("]")
    }

    private mutating func object(depth: Int) {
        append("{")
        // Now and then more than are compared in pairs.
        let count = random.below(8) == 0 ? 8 + random.below(12) : random.below(6)
        for place in 0..<count {
            if place > 0 { append(",") }
            whitespace()
            string(prefix: "\(place):")
            whitespace()
            append(":")
            whitespace()
            value(depth: depth + 1)
            whitespace()
        }
        whitespace()
        append("}")
    }

    private mutating func string(prefix: String) {
        append("\"")
        append(prefix)
        for _ in 0..<random.below(12) { character() }
        append("\"")
    }

    private mutating func character() {
        switch random.below(8) {
        case 0:
            append(["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"][random.below(8)])
        case 1:
            let scalar = scalar(below: 0x11_0000)
            for unit in String(scalar).utf16 { escape(unit) }
        case 2:
            append(String(scalar(below: [0x800, 0x1_0000, 0x11_0000][random.below(3)])))
        default:
            let scalar = scalar(below: 0x80)
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" {
                escape(UInt16(scalar.value))
            } else {
                append(String(scalar))
            }
        }
    }

    private mutating func scalar(below bound: Int) -> Unicode.Scalar {
        let scalar = Unicode.Scalar(UInt32(1 + random.below(bound - 1))) ?? "\u{FFFD}"
        return scalar.value < 0x20 || scalar == "\"" || scalar == "\\" ? "x" : scalar
    }

    private mutating func escape(_ unit: UInt16) {
        append("\\u")
        for shift in [12, 8, 4, 0] {
            let digit = String(unit >> UInt16(shift) & 0xF, radix: 16)
            append(random.below(2) == 0 ? digit : digit.uppercased())
        }
    }

    private mutating func number() {
        if random.below(2) == 0 { append("-") }
        switch random.below(4) {
        case 0: append("0")
        case 1: append(String(random.next() >> UInt64(random.below(64))))
        default: append(String(1 + random.below(1_000_000)))
        }
        if random.below(3) == 0 {
            append(".")
            for _ in 0...random.below(8) { append(String(random.below(10))) }
        }
        if random.below(3) == 0 {
            append(["e", "E"][random.below(2)])
            append(["", "+", "-"][random.below(3)])
            let digits = onlyFinite ? 2 : [1, 2, 2, 3, 25][random.below(5)]
            for _ in 0..<digits { append(String(random.below(10))) }
        }
    }

    private mutating func whitespace() {
        guard random.below(4) == 0 else { return }
        for _ in 0..<random.below(4) { append([" ", "\t", "\n", "\r"][random.below(4)]) }
    }

    private mutating func append(_ part: String) { text += Array(part.utf8) }
}
