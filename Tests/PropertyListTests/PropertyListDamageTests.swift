import PropertyList
import Testing

/// What becomes of damaged files.
///
/// The policy: a damaged file is refused, or read as other readers read it. Where another reader
/// refuses what we read, or does not know the kind, it has no say. We may be stricter than any of
/// them, and are: in strings that are not well formed, in keys that stand twice, in cycles, in
/// depth, in objects that overlap, in gaps.
@Suite struct PropertyListDamageTests {
    @Test(arguments: PropertyListVector.good)
    func aTruncatedFileIsRefused(vector: PropertyListVector) throws {
        let reader = try PropertyListReader()
        let file = try vector.bytes
        for count in 0..<file.count {
            guard case .failure(let error) = reader.read(Array(file[..<count])) else {
                Issue.record("its first \(count) bytes were read")
                continue
            }
            #expect((error == .notAPropertyList) == (count < 8), "\(error) at \(count)")
        }
    }

    @Test(arguments: PropertyListVector.good)
    func aFlippedBitIsRefusedOrReadAsFoundationDoes(vector: PropertyListVector) throws {
        let reader = try PropertyListReader()
        for file in Self.flips(of: try vector.bytes) { _ = Self.isCompared(file, reader) }
    }

    @Test(.enabled(if: Python.isThere, "needs python3 with plistlib"))
    func aFlippedBitIsRefusedOrReadAsPlistlibDoes() throws {
        let reader = try PropertyListReader()
        var files: [[UInt8]] = []
        var values: [PropertyListValue] = []
        for vector in PropertyListVector.good {
            for file in Self.flips(of: try vector.bytes) {
                guard case .success(let value) = reader.read(file), Self.isKnownToPython(value)
                else { continue }
                files.append(file)
                values.append(value)
            }
        }
        let lines = try Python.read(files)
        #expect(lines.count == files.count)
        var compared = 0
        for (line, value) in zip(lines, values) where line != "refused" {
            compared += 1
            #expect(line == value.notation)
        }
        #expect(compared > 1000)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func randomDamageIsRefusedOrReadAsFoundationDoes(seed: UInt64) throws {
        let reader = try PropertyListReader()
        let originals = try PropertyListVector.good.map { try $0.bytes }
        var source = SplitMix64(state: seed)
        var compared = 0
        for _ in 0..<2500 {
            var file = originals[source.below(originals.count)]
            for _ in 0...source.below(4) {
                let place = source.below(file.count)
                switch source.below(4) {
                case 0: file[place] = UInt8(source.below(256))
                case 1: file[place] = [0, 1, 0x0F, 0x7F, 0x80, 0xA1, 0xD1, 0xFF][source.below(8)]
                case 2: file.swapAt(place, source.below(file.count))
                default: file[place] &+= source.below(2) == 0 ? 1 : 255
                }
            }
            if Self.isCompared(file, reader) { compared += 1 }
        }
        #expect(compared > 200)
    }

    private static func flips(of file: [UInt8]) -> some Sequence<[UInt8]> {
        (0..<(8 * file.count)).lazy.map { bit in
            var flipped = file
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            return flipped
        }
    }

    /// Holds what we read in a file against Foundation; whether it had a say.
    private static func isCompared(_ file: [UInt8], _ reader: PropertyListReader) -> Bool {
        // Foundation cuts integers of 16 bytes to 64 bits, where we say nothing.
        guard case .success(let value) = reader.read(file),
            !value.contains({ $0 == .integerOutOfRange }),
            case .value(let notation) = FoundationValue.read(file, besides: value)
        else { return false }
        #expect(notation == value.notation, "\(file)")
        return true
    }

    /// Python's dates end with the year 9999 and are rounded to microseconds; its integers have
    /// no end.
    private static func isKnownToPython(_ value: PropertyListValue) -> Bool {
        !value.contains {
            if case .date(let seconds) = $0 {
                return seconds.map { abs($0) > 1e11 || (2 * $0).rounded() != 2 * $0 } ?? true
            }
            return $0 == .integerOutOfRange
        }
    }
}
