import PropertyList
import Testing

/// Two other readers and writers against ours, on random values that are the same at each run.
@Suite struct PropertyListPeersTests {
    static let seeds: [UInt64] = [1, 2, 3, 4]
    static let valuesPerSeed = 250

    @Test(arguments: seeds)
    func foundationReadsWhatWeWrite(seed: UInt64) throws {
        var source = SplitMix64(state: seed)
        for _ in 0..<Self.valuesPerSeed {
            let value = PropertyListValue.random(using: &source)
            let file = try PropertyListWriter.file(of: value)
            #expect(FoundationValue.read(file, besides: value) == .value(value.notation))
        }
    }

    @Test(arguments: seeds)
    func weReadWhatFoundationWrites(seed: UInt64) throws {
        var source = SplitMix64(state: seed)
        let reader = try PropertyListReader()
        for _ in 0..<Self.valuesPerSeed {
            let value = PropertyListValue.random(using: &source)
            #expect(reader.read(try FoundationValue.file(of: value)) == .success(value))
        }
    }

    @Test(arguments: seeds)
    func weReadWhatWeWrite(seed: UInt64) throws {
        var source = SplitMix64(state: seed)
        let reader = try PropertyListReader()
        for _ in 0..<Self.valuesPerSeed {
            let value = PropertyListValue.random(using: &source)
            #expect(reader.read(try PropertyListWriter.file(of: value)) == .success(value))
        }
    }

    @Test(.enabled(if: Python.isThere, "needs python3 with plistlib"), arguments: seeds)
    func plistlibReadsWhatWeWrite(seed: UInt64) throws {
        var source = SplitMix64(state: seed)
        var files: [[UInt8]] = []
        var notations: [String] = []
        for _ in 0..<Self.valuesPerSeed {
            // Null and UIDs too, which Foundation has no part in.
            let extra = [PropertyListValue.null, .uid(source.next())][source.below(2)]
            let value = PropertyListValue.array([.random(using: &source), extra])
            files.append(try PropertyListWriter.file(of: value))
            notations.append(value.notation)
        }
        #expect(try Python.read(files) == notations)
    }

    @Test(.enabled(if: Python.isThere, "needs python3 with plistlib"), arguments: seeds)
    func weReadWhatPlistlibWrites(seed: UInt64) throws {
        let reader = try PropertyListReader()
        let written = try Python.write(seed: Int(seed), count: Self.valuesPerSeed)
        #expect(written.count == Self.valuesPerSeed)
        for (file, notation) in written {
            #expect(try reader.read(file).get().notation == notation)
        }
    }

    /// Where references and offsets grow by a byte, Core Foundation counts one earlier than needed.
    @Test(arguments: [253, 254, 255, 256, 257, 65_533, 65_534, 65_535, 65_536])
    func bothPeersReadAnyNumberOfObjects(count: Int) throws {
        let limits = PropertyListLimits(maximumObjects: 100_000)
        let value = PropertyListValue.array(
            [PropertyListValue](repeating: .integer(7), count: count))
        let file = try PropertyListWriter.file(of: value, limits: limits)
        #expect(try PropertyListReader(limits: limits).read(file) == .success(value))
        #expect(FoundationValue.read(file, besides: value) == .value(value.notation))
        if Python.isThere { #expect(try Python.read([file]) == [value.notation]) }
    }

    /// The offset table of a list with one string of n bytes begins at 10 or more bytes past n.
    @Test(arguments: Array(240...250) + Array(65_515...65_530))
    func bothPeersReadAnyOffsetOfTheTable(count: Int) throws {
        let value = PropertyListValue.data([UInt8](repeating: 1, count: count))
        let file = try PropertyListWriter.file(of: value)
        #expect(try PropertyListReader().read(file) == .success(value))
        #expect(FoundationValue.read(file, besides: value) == .value(value.notation))
        if Python.isThere { #expect(try Python.read([file]) == [value.notation]) }
    }
}
