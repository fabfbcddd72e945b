import FoundationEssentials
import PropertyList
import SecretMemory
import TestSupport
import Testing

@testable import Archiving

/// The rules of docs/FORMAT.md, "Archived values".
@Suite struct ArchivedFormTests {
    struct Point: ArchivableStruct, Hashable {
        let x: Int
        let y: Int?

        static func unarchive(from properties: inout ArchiveDecoder) throws(ArchiveError) -> Point {
            Point(x: try properties["x"], y: try properties["y"])
        }
    }

    struct Single: ArchivableStruct, Equatable {
        let value: Int

        static func unarchive(
            from properties: inout ArchiveDecoder
        ) throws(ArchiveError) -> Single { Single(value: try properties["value"]) }
    }

    /// A type of its own that is archived as a struct is.
    struct Wrapper: Archivable, Equatable {
        let point: Point
        func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
            try point.archive(into: &encoder)
        }
        static func unarchive(
            from decoder: inout ArchiveDecoder
        ) throws(ArchiveError) -> Wrapper { Wrapper(point: try .unarchive(from: &decoder)) }
    }

    enum Colour: String, Archivable { case red, null = "$null" }

    static let registry: ArchiveRegistry = {
        var registry = ArchiveRegistry()
        registry.register(Point.self)
        registry.register(Single.self)
        registry.register(Wrapper.self)
        registry.register(Colour.self)
        return registry
    }()

    private func plain(_ value: any Archivable) throws -> ArchiveValue {
        try ArchivedForm.plain(value, registry: Self.registry)
    }

    private func read(_ value: ArchiveValue) throws -> any Archivable {
        try ArchivedForm.value(ofPlain: value, registry: Self.registry)
    }

    private func refusal(_ value: ArchiveValue) -> String {
        ArchivedForm.refusal { _ = try read(value) }
    }

    @Test("a value whose type a property list has is written as it is")
    func plainValues() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1)
        #expect(try plain(true) == true)
        #expect(try plain(5) == 5)
        #expect(try plain(0.5) == 0.5)
        #expect(try plain("text") == "text")
        #expect(try plain(date) == .date(date))
        #expect(try plain(Data([1])) == .data(Data([1])))
        #expect(try read(5) as? Int == 5)
        #expect(try read(0.5) as? Double == 0.5)
    }

    @Test("a value of another type is a dictionary with the type and the value")
    func namedValues() throws {
        #expect(try plain(Int8(5)) == ["$type": "Int8", "$value": 5])
        #expect(try plain(Float(0.5)) == ["$type": "Float", "$value": 0.5])
        #expect(try plain(["a": [1]]) == ["$type": "[String: [Int]]", "$value": ["a": [1]]])
        #expect(try plain(Set([1])) == ["$type": "Set<Int>", "$value": [1]])
        #expect(try plain(Colour.red) == ["$type": "Colour", "$value": "red"])
        #expect(try plain(Colour.null) == ["$type": "Colour", "$value": nil])
        #expect(try read(["$type": "[Int8]", "$value": [1, -1]]) as? [Int8] == [1, -1])
    }

    @Test("a struct is a dictionary of its properties, with its type where that is not known")
    func structs() throws {
        let point = Point(x: 1, y: nil)
        #expect(try plain(point) == ["$type": "Point", "x": 1, "y": nil])
        #expect(try plain([point]) == ["$type": "[Point]", "$value": [["x": 1, "y": nil]]])
        #expect(try plain(Point?.some(point)) == ["$type": "Point?", "x": 1, "y": nil])
        #expect(try plain(Wrapper(point: point)) == ["$type": "Wrapper", "x": 1, "y": nil])
        #expect(try read(["y": 2, "$type": "Point", "x": 1]) as? Point == Point(x: 1, y: 2))
        #expect(
            try read(["$type": "Point", "$value": ["x": 1, "y": 2]]) as? Point == .init(x: 1, y: 2))
        #expect(try read(["$type": "Point?", "x": 1, "y": 2]) as? Point? == Point(x: 1, y: 2))
    }

    @Test("a struct with one property is told from a value that is named")
    func oneProperty() throws {
        for single in [Single(value: 1), Single(value: -1)] {
            #expect(
                try plain(single) == ["$type": "Single", "value": .integer(Int64(single.value))])
            let restored = try ArchivedForm.restored(single, registry: Self.registry)
            #expect(restored as? Single == single)
        }
    }

    @Test("a property is what it holds if it is an optional, and says its type as any value does")
    func properties() throws {
        struct Holder: ArchivableStruct { let value: any Archivable }
        func form(_ value: any Archivable) throws -> ArchiveValue? {
            guard case .dictionary(let members) = try plain([Holder(value: value)]),
                case .array(let elements)? = members["$value"],
                case .dictionary(let properties)? = elements.first
            else { return nil }
            return properties["value"]
        }
        #expect(try form(1) == 1)
        #expect(try form(Int?.some(1)) == 1)
        #expect(try form(Int?.none) == .null)
        #expect(try form(Int??.some(.none)) == "$$null")
        #expect(try form(Int8?.some(1)) == ["$type": "Int8", "$value": 1])
        #expect(try form([Int?]([nil])) == ["$type": "[Int?]", "$value": [nil]])
        #expect(try form([Int]?.some([1])) == ["$type": "[Int]", "$value": [1]])
        #expect(try form("$null") == "$$null")
        #expect(try form(String?.some("$null")) == "$$null")
        #expect(try form(String??.some("$null")) == "$$$null")
        #expect(try form(Point(x: 1, y: 2)) == ["$type": "Point", "x": 1, "y": 2])
        #expect(try form([1, "a"] as ArchivedList) == [1, "a"])
    }

    @Test("nothing is a text, and a text that looks like it has one more sign")
    func nothing() throws {
        #expect(try plain(Int?.none) == ["$type": "Int?", "$value": nil])
        #expect(try plain(Int??.some(.none)) == ["$type": "Int??", "$value": "$$null"])
        #expect(
            try plain([nil, "$null", "$$null", "$", "null"] as [String?])
                == ["$type": "[String?]", "$value": [nil, "$$null", "$$$null", "$", "null"]])
        #expect(try plain("$null") == "$$null")
        #expect(try plain(["$null"] as ArchivedList) == ["$$null"])
        #expect(try read("$$null") as? String == "$null")
        #expect(try read("$$$null") as? String == "$$null")
    }

    @Test("nothing has no place where no optional is")
    func nothingAlone() throws {
        #expect(refusal(nil) == "notDecodable: it is nothing, not String")
        #expect(refusal([nil]) == "notDecodable: it is nothing, not String")
        #expect(
            refusal(["$type": "[Int]", "$value": [nil]]) == "notDecodable: it is nothing, not Int")
        #expect(try read(["$type": "[String]", "$value": [nil]]) as? [String] == ["$null"])
        // More optionals than the type has.
        #expect(
            refusal(["$type": "Int?", "$value": "$$null"])
                == "notDecodable: it is String, not Int")
        // As many as it has are nothing to the inner one of two.
        #expect(try read(["$type": "Int??", "$value": "$$null"]) as? Int?? == .some(.some(.none)))
    }

    @Test("a text in two bytes a character may be nothing too")
    func nothingInUTF16() throws {
        let text = "$null".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let file =
            Array("bplist00".utf8) + [0xD2, 1, 2, 3, 4, 0x55] + Array("$type".utf8) + [0x56]
            + Array("$value".utf8) + [0x54] + Array("Int?".utf8) + [0x65] + text
            + [8, 13, 19, 26, 31] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 42]
        let value = try ArchivedForm.value(of: file)
        #expect(value is Int?)
        #expect(value as? Int == nil)
    }

    @Test("a dictionary has texts for keys, or is a list of keys and one of values")
    func dictionaries() throws {
        #expect(
            try plain([5: "a"])
                == ["$type": "[Int: String]", "$value": ["keys": [5], "values": ["a"]]])
        let form = "$value"
        func read(_ content: ArchiveValue) -> String {
            refusal(["$type": "[Int: String]", .init(stringLiteral: form): content])
        }
        let notAsMany = "notDecodable: [Int: String] is not as many keys as values"
        #expect(read(["keys": [5], "values": ["a", "b"]]) == notAsMany)
        #expect(read(["keys": [5]]) == notAsMany)
        #expect(read(["keys": [5], "value": ["a"]]) == notAsMany)
        #expect(read(["keys": [5], "values": ["a"], "more": 1]) == notAsMany)
        #expect(read(["keys": 5, "values": ["a"]]) == notAsMany)
        #expect(read(["keys": [5], "values": 1]) == notAsMany)
        #expect(read([5]) == "notDecodable: it is a list, not [Int: String]")
        #expect(
            read(["keys": [5, 5], "values": ["a", "a"]])
                == "notDecodable: a dictionary has a key twice")
    }

    @Test("no element and no key is there twice")
    func twice() throws {
        #expect(
            refusal(["$type": "Set<Int>", "$value": [1, 1]])
                == "notDecodable: a set has an element twice")
        for type in ["[String: Int]", "ArchivedMap"] {
            let file = try rawDictionary(type: type, keys: ["e\u{301}", "\u{e9}"])
            #expect(
                ArchivedForm.refusal { _ = try ArchivedForm.value(of: file) }
                    == "notDecodable: a \(type == "ArchivedMap" ? "map has a name" : "dictionary has a key") twice"
            )
        }
    }

    private func rawDictionary(type: String, keys: [String]) throws -> [UInt8] {
        let arena = try SecretArena.forTest()
        var writer = try PropertyListWriter(
            into: try SecretBuffer(arena: arena, capacity: 1 << 12))
        let one = try writer.add(integer: 1)
        var members: [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)] = []
        for key in keys { members.append((try writer.add(string: key), one)) }
        let inner = try writer.add(dictionary: members)
        let names = (try writer.add(string: "$type"), try writer.add(string: "$value"))
        let name = try writer.add(string: type)
        let root = try writer.add(dictionary: [(names.0, name), (names.1, inner)])
        return try writer.finish(root: root).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
    }

    @Test("an array without a type is a list, a dictionary without one a map")
    func listsAndMaps() throws {
        #expect(
            try plain([1, "a", [2]] as ArchivedList) == [
                1, "a", ["$type": "[Int]", "$value": [2]],
            ])
        #expect(try plain(["a": 1, "b": [:] as ArchivedMap] as ArchivedMap) == ["a": 1, "b": [:]])
        #expect(try plain([ArchivedMap()]) == ["$type": "[ArchivedMap]", "$value": [[:]]])
        let list = try #require(try read([1, ["a": 0.5], []]) as? ArchivedList)
        #expect(list.elements[0] as? Int == 1)
        #expect((list.elements[1] as? ArchivedMap)?["a"] as? Double == 0.5)
        #expect((list.elements[2] as? ArchivedList)?.elements.isEmpty == true)
        var map = ArchivedMap(["a": 1])
        map["b"] = "c"
        map["a"] = nil
        #expect(map.elements.keys.sorted() == ["b"])
        let twice: ArchivedMap = ["a": 1, "a": 2]
        #expect(twice["a"] as? Int == 2)
    }

    @Test("a name of a map that begins with the sign of the form has one more")
    func namesOfMaps() throws {
        let map: ArchivedMap = ["$type": "Int8", "$value": 1, "$": 2, "$$": 3, "a$": 4]
        #expect(
            try plain(map) == ["$$type": "Int8", "$$value": 1, "$$": 2, "$$$": 3, "a$": 4])
        let restored = try #require(try ArchivedForm.restored(map) as? ArchivedMap)
        #expect(restored.elements.keys.sorted() == map.elements.keys.sorted())
        #expect(refusal(["$": 1]) == "notDecodable: a name of a map begins with one $")
        #expect(refusal(["$types": "Int"]) == "notDecodable: a name of a map begins with one $")
    }

    @Test("names of types and of properties stand once")
    func sharing() throws {
        let points = [Point](repeating: Point(x: 7, y: 9), count: 100)
        let bytes = try ArchivedForm.bytes(of: points)
        var index = PropertyListIndex()
        try index.scan(bytes.span)
        // The dictionary with the type, its two keys and the type's name; the array; two names.
        #expect(index.objectCount == 4 + 1 + 2 + 3 * 100)
        let list = ArchivedList([any Archivable](repeating: Int8(1), count: 100))
        let other = try ArchivedForm.bytes(of: list)
        try index.scan(other.span)
        #expect(index.objectCount == 1 + 3 + 2 * 100)
    }

    @Test("an integer is in the bounds of its type")
    func bounds() throws {
        let cases: [(String, ArchiveValue)] = [
            ("Int8", 128), ("UInt8", -1), ("UInt64", -1), ("Int32", .integer(1 << 31)),
        ]
        for (type, value) in cases {
            #expect(
                refusal(["$type": .string(type), "$value": value])
                    == "notDecodable: an integer is out of the bounds of \(type)")
        }
        // Above those of Int64 there are integers of 16 bytes, which FoundationEssentials writes too.
        let bytes = try ArchivedForm.bytes(of: UInt64.max)
        #expect(bytes.contains(0x14))
        let high = [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8)
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.value(of: single(high)) }
                == "notDecodable: an integer is out of the bounds of Int")
        let higher = [0x14] + [UInt8](repeating: 1, count: 16)
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.value(of: single(higher)) }
                == "notDecodable: an integer is out of the bounds of Int")
    }

    /// A list of one object.
    private func single(_ object: [UInt8]) -> [UInt8] {
        Array("bplist00".utf8) + object + [8, 0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            + [UInt8(8 + object.count)]
    }

    @Test("a real is of either size, and a Float where a Float has it")
    func reals() throws {
        #expect(try ArchivedForm.bytes(of: Float(1.5)).contains(0x22))
        #expect(try read(["$type": "Float", "$value": 0.5]) as? Float == 0.5)
        #expect(
            refusal(["$type": "Float", "$value": 0.1]) == "notDecodable: a real is no Float")
        #expect(refusal(["$type": "Float", "$value": 1]) == "notDecodable: it is Int, not Float")
        #expect(try ArchivedForm.value(of: single([0x22, 0x3F, 0x80, 0, 0])) as? Double == 1)
    }

    @Test("a raw value that the type does not have is refused")
    func rawValues() {
        #expect(
            refusal(["$type": "Colour", "$value": "blue"])
                == "notDecodable: Colour has no value of a raw value that is there")
    }

    @Test("kinds that no value has are refused")
    func otherKinds() {
        for (object, name) in [([0x80, 1], "a reference"), ([0xC0], "a set"), ([0], "nothing")] {
            #expect(
                ArchivedForm.refusal {
                    _ = try ArchivedForm.value(of: single(object.map(UInt8.init)))
                } == "notDecodable: \(name) stands where a value is to be")
        }
        #expect(
            ArchivedForm.refusal {
                _ = try ArchivedForm.value(of: single([0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]))
            } == "notDecodable: a date is not finite")
        #expect(throws: ArchiveError.self) { try ArchivedForm.value(of: [1, 2, 3]) }
    }
}
