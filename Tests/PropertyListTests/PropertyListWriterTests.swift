import SecretMemory
import TestSupport
import Testing

@testable import PropertyList

@Suite struct PropertyListWriterTests {
    /// Header, then values, then containers, then one offset for each object as it was added.
    @Test func aFileIsWrittenByteForByte() throws {
        let file = try write { writer throws(PropertyListError) in
            let key = try writer.add(string: "k")
            let one = try writer.add(integer: 1)
            let list = try writer.add(array: [one, key])
            let yes = try writer.add(boolean: true)
            return try writer.add(dictionary: [(key, list), (try writer.add(string: "é"), yes)])
        }
        var expected = Array("bplist00".utf8)
        expected += [0x51, 0x6B, 0x10, 0x01, 0x09, 0x61, 0x00, 0xE9]
        expected += [0xA2, 1, 0, 0xD2, 0, 4, 2, 3]
        expected += [8, 10, 16, 12, 13, 19]
        expected += [0, 0, 0, 0, 0, 0, 1, 1]
        expected += [0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 24]
        #expect(file == expected)
    }

    @Test(
        arguments: [
            (0, [0x10, 0]), (255, [0x10, 0xFF]), (256, [0x11, 1, 0]), (65_535, [0x11, 0xFF, 0xFF]),
            (65_536, [0x12, 0, 1, 0, 0]), (4_294_967_295, [0x12, 0xFF, 0xFF, 0xFF, 0xFF]),
            (4_294_967_296, [0x13, 0, 0, 0, 1, 0, 0, 0, 0]),
            (-1, [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            (.min, [0x13, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            (.max, [0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ] as [(Int64, [UInt8])])
    func integersTakeTheFewestBytes(value: Int64, object: [UInt8]) throws {
        let file = try write { writer throws(PropertyListError) in
            try writer.add(integer: value)
        }
        #expect(Array(file[8..<(file.count - 33)]) == object)
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0x61, 0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE4, 0xB8, 0x61],
        ] as [[UInt8]])
    func textThatIsNotUTF8IsNotWritten(bytes: [UInt8]) throws {
        #expect(throws: PropertyListError.unwritable) {
            try write { writer throws(PropertyListError) in try writer.add(string: bytes.span) }
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func aDateThatIsNotFiniteIsNotWritten(seconds: Double) throws {
        #expect(throws: PropertyListError.unwritable) {
            try write { writer throws(PropertyListError) in try writer.add(date: seconds) }
        }
    }

    /// Counted from 1970 and back it would be 0.10000002384185791.
    @Test(arguments: [0.1, -0.0, -63_113_904_000.125, 1e300])
    func aDateThatIsCountedFrom2001IsTheSameToTheLastBit(seconds: Double) throws {
        let file = try write { writer throws(PropertyListError) in
            try writer.add(dateSince2001: seconds)
        }
        var index = PropertyListIndex()
        try index.scan(file.span)
        let found = index.secondsSince2001(index.root, in: file.span)
        #expect(found?.bitPattern == seconds.bitPattern)
        #expect(throws: PropertyListError.unwritable) {
            try write { writer throws(PropertyListError) in
                try writer.add(dateSince2001: seconds / 0)
            }
        }
    }

    @Test func aTextIsTheSameInWhateverFormItIsGiven() throws {
        for text in ["uid", "", "用户😀"] as [StringOfProgram] {
            let string = "\(text.text)"
            let fromString = try write { writer throws(PropertyListError) in
                try writer.add(string: string)
            }
            let fromStatic = try write { writer throws(PropertyListError) in
                try writer.add(string: text.text)
            }
            let utf8 = Array(string.utf8)
            let fromSpan = try write { writer throws(PropertyListError) in
                try writer.add(string: utf8.span)
            }
            #expect(fromString == fromStatic && fromString == fromSpan)
            #expect(try PropertyListReader().read(fromSpan) == .success(.text(string)))
        }
    }

    @Test func whatNoReaderWouldTakeIsNotWritten() throws {
        #expect(throws: PropertyListError.duplicateKey(offset: 11)) {
            try write { writer throws(PropertyListError) in
                let (key, value) = (try writer.add(string: "k"), try writer.add(boolean: true))
                return try writer.add(dictionary: [(key, value), (key, value)])
            }
        }
        #expect(throws: PropertyListError.duplicateKey(offset: 13)) {
            try write { writer throws(PropertyListError) in
                let (key, other) = (try writer.add(string: "k"), try writer.add(string: "k"))
                let value = try writer.add(boolean: true)
                return try writer.add(dictionary: [(key, value), (other, value)])
            }
        }
        #expect(throws: PropertyListError.damaged(offset: 8)) {
            try write { writer throws(PropertyListError) in
                let value = try writer.add(boolean: true)
                return try writer.add(dictionary: [(value, value)])
            }
        }
    }

    @Test func theLimitsOfReadersAreThoseOfTheWriter() throws {
        let nested = PropertyListValue.array([.array([])])
        let cases: [(PropertyListLimits, PropertyListError)] = [
            (.init(maximumDepth: 1), .tooDeep), (.init(maximumObjects: 1), .tooManyObjects),
            (.init(maximumBytes: 44), .tooLarge),
        ]
        for (limits, error) in cases {
            #expect(throws: error) {
                try write(limits: limits) { writer throws(PropertyListError) in
                    try writer.add(nested)
                }
            }
        }
        let limits = PropertyListLimits(maximumBytes: 45, maximumObjects: 2, maximumDepth: 2)
        let file = try write(limits: limits) { writer throws(PropertyListError) in
            try writer.add(nested)
        }
        #expect(file.count == 45)
    }

    /// Wherever the room ends, in a value, a container or the trailer, the error is the buffer's.
    @Test func aBufferThatIsTooSmallIsAnErrorAtEverySize() throws {
        let value = PropertyListValue.dictionary([
            Array("key".utf8): .array([.text("用户"), .integer(-1), .date(1), .data([1, 2])])
        ])
        let full = try PropertyListWriter.file(of: value).count
        for capacity in 1..<full {
            #expect(throws: PropertyListError.memory(.overLimit), "\(capacity) bytes") {
                try write(capacity: capacity) { writer throws(PropertyListError) in
                    try writer.add(value)
                }
            }
        }
        let file = try write(capacity: full) { writer throws(PropertyListError) in
            try writer.add(value)
        }
        #expect(try PropertyListReader().read(file) == .success(value))
    }

    /// Gives the file whose root `body` adds.
    private func write(
        limits: PropertyListLimits = PropertyListLimits(), capacity: Int = 4096,
        _ body: (inout PropertyListWriter) throws(PropertyListError) ->
            PropertyListWriter.Reference
    ) throws -> [UInt8] {
        let buffer = try SecretBuffer(arena: try SecretArena.forTest(), capacity: capacity)
        var writer = try PropertyListWriter(into: buffer, limits: limits)
        let root = try body(&writer)
        return try writer.finish(root: root).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
    }
}
