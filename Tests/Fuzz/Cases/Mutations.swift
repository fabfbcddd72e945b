/// Changes inputs a little, the same way at each run.
struct Mutations {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    // SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    private mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// A copy with one to four changes, of at most `limit` bytes.
    mutating func change(_ input: [UInt8], besides others: [[UInt8]], limit: Int) -> [UInt8] {
        var bytes = input
        for _ in 0...below(4) {
            let place = below(bytes.count + 1)
            switch below(7) {
            case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(below(8)) }
            case 1: if place < bytes.count { bytes[place] = UInt8(below(256)) }
            case 2: bytes.insert(UInt8(below(256)), at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
            case 4:
                let end = min(bytes.count, place + 1 + below(16))
                bytes.insert(contentsOf: bytes[place..<end], at: below(bytes.count + 1))
            case 5: bytes.removeSubrange(place...)
            default:
                // The end of another input.
                let other = others[below(others.count)]
                bytes.replaceSubrange(place..., with: other[below(other.count + 1)...])
            }
        }
        return Array(bytes.prefix(limit))
    }
}
