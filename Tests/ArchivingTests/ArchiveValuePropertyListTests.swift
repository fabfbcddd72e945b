import FoundationEssentials
import PropertyList
import SecretMemory
import TestSupport
import Testing

@testable import Archiving

@Suite struct ArchiveValuePropertyListTests {
    static let seeds: [UInt64] = [1, 2, 3, 4]
    static let valuesPerSeed = 250
    static let examples: [ArchiveValue] = [
        nil, true, false, 0, -1, 255, 256, .integer(.max), .integer(.min), 1.5, .real(-.infinity),
        .real(0.1), "", "text", "名前😀", "e\u{301}", "null", "$nul", "$$null",
        .date(Date(timeIntervalSinceReferenceDate: 0.1)),
        .date(Date(timeIntervalSinceReferenceDate: -63_113_904_000.25)),
        .data(Data()), .data(Data([0, 255])), [], [:], [nil, nil, [nil]],
        ["a": nil, "b": ["a": 1, "b": [true, false, true]], "": ""],
    ]

    @Test(arguments: examples)
    func whatIsWrittenIsRead(value: ArchiveValue) throws {
        #expect(try read(write(value)) == value)
    }

    @Test(arguments: examples)
    func foundationReadsWhatIsWritten(value: ArchiveValue) throws {
        #expect(try FoundationPeer.value(of: write(.array([value]))) == .array([value]))
    }

    @Test(arguments: examples)
    func whatFoundationWritesIsRead(value: ArchiveValue) throws {
        #expect(try read(FoundationPeer.file(of: .array([value]))) == .array([value]))
    }

    @Test(arguments: seeds)
    func randomValuesGoBothWays(seed: UInt64) throws {
        var source = SplitMix64(state: seed)
        for _ in 0..<Self.valuesPerSeed {
            let value = ArchiveValue.array([.random(using: &source)])
            let file = try write(value)
            #expect(try read(file) == value)
            #expect(try FoundationPeer.value(of: file) == value)
            #expect(try read(FoundationPeer.file(of: value)) == value)
        }
    }

    // Foundation's decoder refuses such a key.
    @Test func aKeyIsNeverNothing() throws {
        #expect(try read(write(["$null": 1])) == ["$null": 1])
    }

    /// Foundation's encoder writes a nil of a keyed container so, and its decoder reads one.
    @Test func nothingIsWhatFoundationTakesForNothing() throws {
        struct Peer: Codable, Equatable {
            var name: String?
            var age: Int?
        }
        let file = try write(["name": nil, "age": 3])
        #expect(try PropertyListDecoder().decode(Peer.self, from: Data(file)) == Peer(age: 3))
    }

    @Test func aDateIsTheSameToTheLastBit() throws {
        let seconds = 0.1
        let date = ArchiveValue.date(Date(timeIntervalSinceReferenceDate: seconds))
        guard case .date(let read) = try read(write(date)) else {
            Issue.record("no date")
            return
        }
        #expect(read.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
    }

    /// Swift takes the two for one text, Foundation's own files have both.
    @Test func aKeyKeepsItsBytes() throws {
        let value: ArchiveValue = [["e\u{301}": 1], ["\u{e9}": 2], ["e\u{301}": 3]]
        guard case .array(let elements) = try read(write(value)) else {
            Issue.record("no array")
            return
        }
        let keys = elements.map { element -> [UInt8] in
            guard case .dictionary(let members) = element else { return [] }
            return members.keys.flatMap { Array($0.utf8) }
        }
        #expect(keys == [Array("e\u{301}".utf8), Array("\u{e9}".utf8), Array("e\u{301}".utf8)])
    }

    @Test func keysBooleansAndNullsStandOnce() throws {
        let one: ArchiveValue = ["key": true, "other": false, "none": nil]
        let file = try write(.array([ArchiveValue](repeating: one, count: 50)))
        var index = PropertyListIndex()
        try index.scan(file.span)
        // The array, its dictionaries, three keys and three values.
        #expect(index.objectCount == 1 + 50 + 6)
    }

    // No arguments of the test: a date that is not finite cannot be described.
    @Test func whatWouldComeBackAsSomethingElseIsRefused() {
        for value in ["$null", ["a": ["$null"]]] as [ArchiveValue] {
            expect(notEncodable: "not finite") { try write(value) }
        }
        for seconds in [Double.nan, .infinity, -.infinity] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            expect(notEncodable: "not finite") { try write(.array([.date(date)])) }
        }
    }

    @Test func depthIsBoundedOnBothWays() throws {
        let deepest = nested(PropertyListBounds.maximumDepth)
        #expect(try read(write(deepest)) == deepest)
        expect(notEncodable: "64 levels") {
            try write(nested(PropertyListBounds.maximumDepth + 1))
        }
        expect(notEncodable: "64 levels") {
            try write(["k": nested(PropertyListBounds.maximumDepth)])
        }
        let file = try raw { writer throws(PropertyListError) in
            var inner = try writer.add(array: [])
            for _ in 0..<PropertyListBounds.maximumDepth {
                inner = try writer.add(array: [inner])
            }
            return inner
        }
        expect(notDecodable: "64 levels") { try read(file) }
    }

    /// A list of some hundred bytes would else be a tree that no memory holds.
    @Test func sharedArraysAreNoWayToATreeWithoutEnd() throws {
        let file = try raw { writer throws(PropertyListError) in
            var inner = try writer.add(array: [try writer.add(boolean: true)])
            for _ in 0..<40 { inner = try writer.add(array: [inner, inner]) }
            return inner
        }
        expect(notDecodable: "too many") { try read(file) }
    }

    @Test func whatHasNoPlaceHereIsRefused() throws {
        let unsigned: [UInt8] =
            [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 255, count: 8)
        expect(notDecodable: "out of bounds") { try read(file(of: unsigned)) }
        expect(notDecodable: "not finite") { try read(file(of: [0x33, 0x7F, 0xF0] + zeros(6))) }
        expect(notDecodable: "keyed archive") { try read(file(of: [0x80, 1])) }
        expect(notDecodable: "a set") { try read(file(of: [0xC0])) }
        #expect(try read(file(of: [0x00])) == .null)
        #expect(try read(file(of: [0x22, 0x3F, 0x80, 0, 0])) == .real(1))
        let twice = try raw { writer throws(PropertyListError) in
            let one = try writer.add(integer: 1)
            return try writer.add(dictionary: [
                (try writer.add(string: "e\u{301}"), one), (try writer.add(string: "\u{e9}"), one),
            ])
        }
        expect(notDecodable: "one text") { try read(twice) }
    }

    @Test func bytesThatAreNoPropertyListAreDamage() throws {
        let good = try write(["a": [1, 2]])
        for file in [[], Array("{}".utf8), Array(good.dropLast()), Array(good.dropFirst())] {
            #expect(throws: ArchiveError.self) { try read(file) }
            do { _ = try read(file) } catch ArchiveError.damaged(let archive, _) {
                #expect(archive == "test")
            }
        }
        let twice: [UInt8] = [0xD2, 1, 1, 1, 1]
        let file = Array("bplist00".utf8) + twice + [0x51, 0x61, 8, 13] + zeros(6) + [1, 1]
        let whole = file + zeros(7) + [2] + zeros(8) + zeros(7) + [15]
        #expect(
            throws: ArchiveError.damaged(archive: "test", reason: "a dictionary has a key twice")
        ) { try read(whole) }
        #expect(
            throws: ArchiveError.damaged(archive: "test", reason: "it is no binary property list")
        ) { try read(Array("<plist/>".utf8)) }
    }

    @Test func sizesAreBounded() throws {
        let value = ArchiveValue.data(Data(count: 5000))
        let size = try write(value).count
        #expect(try write(value, limit: size).count == size)
        for limit in [size - 1, 5000, 100, 1] {
            #expect(throws: ArchiveError.tooLarge(archive: "test", limit: limit)) {
                try write(value, limit: limit)
            }
        }
        // The arena is full before the limit is met.
        #expect(throws: ArchiveError.tooLarge(archive: "test", limit: 1 << 24)) {
            try write(.data(Data(count: 3 << 20)), limit: 1 << 24)
        }
        let rest = PropertyListBounds.maximumBytes - 7
        let large = Array("bplist00".utf8) + [UInt8](repeating: 0, count: rest)
        #expect(
            throws: ArchiveError.tooLarge(
                archive: "test", limit: PropertyListBounds.maximumBytes)
        ) { try read(large) }
    }

    @Test func theNumberOfValuesIsBounded() throws {
        let integers = (0...PropertyListBounds.maximumObjects).map {
            ArchiveValue.integer(Int64($0))
        }
        expect(notEncodable: "too many") { try write(.array(integers), limit: 1 << 23, 1 << 24) }
        let some = ArchiveValue.array([ArchiveValue](repeating: nil, count: 1 << 12))
        let shared = ArchiveValue.array([ArchiveValue](repeating: some, count: 1 << 10))
        expect(notEncodable: "too many") { try write(shared, limit: 1 << 24, 1 << 26) }
        #expect(
            ArchiveError(
                writing: .memory(.unavailable(errno: 12)), archive: "test", limit: 1)
                == .system("no memory for the archive test", errno: 12))
    }

    // MARK: -

    private func write(
        _ value: ArchiveValue, limit: Int = 1 << 20, _ capacity: Int = 1 << 22
    ) throws -> [UInt8] {
        let arena = try SecretArena.forTest(capacity: capacity)
        let buffer = try value.propertyList(in: arena, limit: limit, archive: "test")
        return buffer.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
    }

    private func read(_ file: [UInt8]) throws -> ArchiveValue {
        try ArchiveValue(propertyList: file.span, archive: "test")
    }

    private func nested(_ depth: Int) -> ArchiveValue {
        (1..<depth).reduce([]) { inner, _ in [inner] }
    }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// A list of one object.
    private func file(of object: [UInt8]) -> [UInt8] {
        Array("bplist00".utf8) + object + [8] + zeros(6) + [1, 1] + zeros(7) + [1] + zeros(8)
            + zeros(7) + [UInt8(8 + object.count)]
    }

    private func raw(
        _ body: (inout PropertyListWriter) throws(PropertyListError)
            -> PropertyListWriter.Reference
    ) throws -> [UInt8] {
        let arena = try SecretArena.forTest()
        var writer = try PropertyListWriter(
            into: try SecretBuffer(arena: arena, capacity: 1 << 14),
            limits: PropertyListLimits(maximumDepth: 100))
        let root = try body(&writer)
        return try writer.finish(root: root).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
    }

    private func expect(notEncodable reason: String, _ body: () throws -> [UInt8]) {
        #expect {
            _ = try body()
        } throws: { error in
            guard case .notEncodable("test", let found) = error as? ArchiveError else {
                return false
            }
            return found.contains(reason)
        }
    }

    private func expect(notDecodable reason: String, _ body: () throws -> ArchiveValue) {
        #expect {
            _ = try body()
        } throws: { error in
            guard case .notDecodable("test", let found) = error as? ArchiveError else {
                return false
            }
            return found.contains(reason)
        }
    }
}
