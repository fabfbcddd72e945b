/// Reads an input as a row of choices, for bodies whose parser would refuse random bytes at once.
///
/// At its end it gives zeros, so that every input is a good one.
struct FuzzInput {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    /// The next byte.
    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        position += 1
        return bytes[position - 1]
    }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { bound > 0 ? integer(size: 2) % bound : 0 }

    /// Up to seven bytes, the most significant first.
    mutating func integer(size: Int) -> Int {
        var value = 0
        for _ in 0..<size { value = value << 8 | Int(byte()) }
        return value
    }

    /// Eight bytes.
    mutating func word() -> UInt64 {
        UInt64(truncatingIfNeeded: integer(size: 4)) << 32
            | UInt64(truncatingIfNeeded: integer(size: 4))
    }

    /// So many bytes, zeros past the end.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, position + count)
        let taken = bytes[position..<end]
        position = end
        return taken + [UInt8](repeating: 0, count: count - taken.count)
    }

    /// All that is left.
    mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[min(position, bytes.count)...])
    }

    /// Another input with all that is left.
    mutating func restAsText() -> String { String(decoding: rest(), as: UTF8.self) }
}

extension FuzzInput {
    /// Changes a file by choices: bits, bytes, cuts, insertions.
    ///
    /// This way a fuzzer gets near to a file that a code guards, which it could never guess.
    mutating func edit(_ file: [UInt8], changes: Int = 8) -> [UInt8] {
        var file = file
        for _ in 0..<changes where !isAtEnd {
            let kind = byte()
            let place = below(file.count + 1)
            switch kind % 6 {
            case 0: if place < file.count { file[place] ^= 1 << (byte() & 7) }
            case 1: if place < file.count { file[place] = byte() }
            case 2: file.removeSubrange(place...)
            case 3: file.removeSubrange(place..<min(file.count, place + 1 + Int(byte())))
            case 4: file.insert(contentsOf: take(Int(byte() & 15)), at: place)
            default:
                // A part that is written twice, or moved over another one.
                let from = below(file.count + 1)
                let part = file[from..<min(file.count, from + Int(byte()))]
                file.replaceSubrange(place..<min(file.count, place + part.count), with: part)
            }
        }
        return file
    }
}
