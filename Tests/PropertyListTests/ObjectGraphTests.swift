import Foundation
import SecretMemory
import TestSupport
import Testing

@testable import PropertyList

/// A class of an app's.
class GraphShape: NSObject, NSCoding {
    var name = "shape"
    var next: GraphShape?

    override init() { super.init() }
    required init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "name")
        coder.encode(next, forKey: "next")
        coder.encode(7, forKey: "number")
        coder.encode(2.5, forKey: "ratio")
        coder.encode(true, forKey: "flag")
    }
}

final class GraphCircle: GraphShape {}

/// What NSKeyedArchiver wrote, and plain property lists, read as objects.
@Suite struct ObjectGraphTests {
    static func archive(_ object: Any) throws -> [UInt8] {
        [UInt8](
            try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false))
    }

    static func graph(
        _ bytes: [UInt8], limits: ObjectGraphLimits = ObjectGraphLimits()
    ) throws -> ObjectGraph {
        var graph = ObjectGraph(limits: limits)
        try graph.scan(bytes.span)
        return graph
    }

    static func root(_ graph: ObjectGraph, _ bytes: [UInt8]) throws -> ObjectGraph.Object {
        var root: ObjectGraph.Object?
        try graph.forEachTop(in: bytes.span) { _, object in root = object }
        return try #require(root)
    }

    static func text(
        _ object: ObjectGraph.Object, _ graph: ObjectGraph, _ bytes: [UInt8]
    ) throws -> String {
        let arena = try SecretArena.forTest(capacity: 4096)
        var buffer = try SecretBuffer(arena: arena, capacity: 1024)
        try graph.appendString(object, in: bytes.span, to: &buffer)
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    @Test("the values of Foundation's classes are read from its archives")
    func values() throws {
        let when = Date(timeIntervalSince1970: 1_874_997_015.25)
        let bytes = try Self.archive(
            [
                "text": "名", "when": when, "bytes": Data([1, 2, 3]), "list": [1, 2, 3],
                "set": NSSet(array: ["x"]), "null": NSNull(),
            ] as NSDictionary)
        let graph = try Self.graph(bytes)
        #expect(graph.isArchive)
        let root = try Self.root(graph, bytes)
        let span = bytes.span
        #expect(try graph.kind(of: root, in: span) == .dictionary)
        let text = try #require(try graph.member("text", of: root, in: span))
        #expect(try graph.string(text, equals: "名", in: span))
        #expect(try !graph.string(text, equals: "x", in: span))
        #expect(try graph.decodedCount(of: text, in: span) == 3)
        #expect(try Self.text(text, graph, bytes) == "名")
        let date = try #require(try graph.member("when", of: root, in: span))
        #expect(try graph.date(date, in: span) == 1_874_997_015.25)
        let data = try #require(try graph.member("bytes", of: root, in: span))
        let range = try #require(try graph.dataRange(data, in: span))
        #expect(Array(bytes[range]) == [1, 2, 3])
        let list = try #require(try graph.member("list", of: root, in: span))
        var numbers: [Int64] = []
        try graph.forEachElement(of: list, in: span) { element in
            numbers.append(graph.integer(element, in: bytes.span) ?? -1)
        }
        #expect(numbers == [1, 2, 3])
        let set = try #require(try graph.member("set", of: root, in: span))
        #expect(try graph.kind(of: set, in: span) == .set)
        let null = try #require(try graph.member("null", of: root, in: span))
        #expect(try graph.kind(of: null, in: span) == .null)
        #expect(try graph.member("absent", of: root, in: span) == nil)
        var keys = 0
        try graph.forEachMember(of: root, in: span) { _, _ in keys += 1 }
        #expect(keys == 6)
    }

    @Test("an object of a class has its fields, its class and those above")
    func classes() throws {
        let circle = GraphCircle()
        circle.next = GraphShape()
        let bytes = try Self.archive(circle)
        let graph = try Self.graph(bytes)
        let root = try Self.root(graph, bytes)
        let span = bytes.span
        #expect(try graph.kind(of: root, in: span) == .object)
        let name = try #require(try graph.className(of: root, in: span))
        #expect(try Self.text(name, graph, bytes).hasSuffix("Circle"))
        #expect(try graph.object(root, isOf: "NSObject", in: span))
        #expect(try !graph.object(root, isOf: "NSArray", in: span))
        var fields: [String] = []
        try graph.forEachMember(of: root, in: span) { key, _ in
            fields.append((try? Self.text(key, graph, bytes)) ?? "?")
        }
        #expect(Set(fields) == ["name", "next", "number", "ratio", "flag"])
        let number = try #require(try graph.member("number", of: root, in: span))
        #expect(graph.integer(number, in: span) == 7)
        #expect(try graph.kind(of: number, in: span) == .integer)
        let ratio = try #require(try graph.member("ratio", of: root, in: span))
        #expect(graph.real(ratio, in: span) == 2.5)
        let flag = try #require(try graph.member("flag", of: root, in: span))
        #expect(graph.boolean(flag, in: span) == true)
        let next = try #require(try graph.member("next", of: root, in: span))
        let end = try #require(try graph.member("next", of: next, in: span))
        #expect(try graph.kind(of: end, in: span) == .null)
        #expect(try graph.className(of: number, in: span) == nil)
        #expect(try !graph.object(number, isOf: "NSObject", in: span))
    }

    @Test("what is asked of another kind gives nothing")
    func otherKinds() throws {
        let bytes = try Self.archive("text" as NSString)
        let graph = try Self.graph(bytes)
        let root = try Self.root(graph, bytes)
        let span = bytes.span
        #expect(try graph.date(root, in: span) == nil)
        #expect(try graph.dataRange(root, in: span) == nil)
        #expect(try graph.member("x", of: root, in: span) == nil)
        #expect(graph.integer(root, in: span) == nil)
        var visits = 0
        try graph.forEachElement(of: root, in: span) { _ in visits += 1 }
        try graph.forEachMember(of: root, in: span) { _, _ in visits += 1 }
        #expect(visits == 0)
        let number = try Self.archive(5 as NSNumber)
        let other = try Self.graph(number)
        let five = try Self.root(other, number)
        #expect(try other.decodedCount(of: five, in: number.span) == nil)
        #expect(try !other.string(five, equals: "5", in: number.span))
        #expect(try Self.text(five, other, number) == "")
    }

    @Test("a walk passes each object before what it holds, in the order of the file")
    func walk() throws {
        let bytes = try Self.archive([["a", "b"], ["c"]] as NSArray)
        let graph = try Self.graph(bytes)
        var seen: [String] = []
        try graph.walk(in: bytes.span) { object, kind in
            seen.append(
                kind == .string ? ((try? Self.text(object, graph, bytes)) ?? "?") : "\(kind)")
            return .into
        }
        #expect(seen == ["array", "array", "a", "b", "array", "c"])
        var passed = 0
        try graph.walk(in: bytes.span) { _, _ in
            passed += 1
            return passed == 1 ? .into : .past
        }
        #expect(passed == 3)
    }

    @Test("an object that several hold is passed as often, up to the limit")
    func shared() throws {
        var value: NSArray = ["x"]
        for _ in 0..<8 { value = [value, value] }
        let bytes = try Self.archive(value)
        var visits = 0
        try Self.graph(bytes).walk(in: bytes.span) { _, _ in
            visits += 1
            return .into
        }
        #expect(visits == 511 + 256)
        let limits = ObjectGraphLimits(maximumVisits: 766)
        #expect(throws: ObjectGraphError.tooManyVisits) {
            try Self.graph(bytes, limits: limits).walk(in: bytes.span) { _, _ in .into }
        }
    }

    @Test("a walk ends at the limit on depth, and not before")
    func depth() throws {
        var value: NSArray = []
        for _ in 0..<7 { value = [value] }
        let bytes = try Self.archive(value)
        try Self.graph(bytes, limits: ObjectGraphLimits(maximumDepth: 8)).walk(in: bytes.span) {
            _, _ in .into
        }
        #expect(throws: ObjectGraphError.tooDeep) {
            try Self.graph(bytes, limits: ObjectGraphLimits(maximumDepth: 7)).walk(
                in: bytes.span
            ) { _, _ in .into }
        }
    }

    @Test("a plain property list is one object without a name")
    func plain() throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: [
                "when": Date(timeIntervalSince1970: 5), "list": [true, Data([9])], "r": 1.5,
            ] as [String: Any], format: .binary, options: 0)
        let bytes = [UInt8](data)
        let graph = try Self.graph(bytes)
        #expect(!graph.isArchive)
        var tops = 0
        try graph.forEachTop(in: bytes.span) { name, _ in
            tops += 1
            #expect(name == nil)
        }
        #expect(tops == 1)
        let root = try Self.root(graph, bytes)
        #expect(try graph.kind(of: root, in: bytes.span) == .dictionary)
        let when = try #require(try graph.member("when", of: root, in: bytes.span))
        #expect(try graph.date(when, in: bytes.span) == 5)
        var kinds: Set<String> = []
        try graph.walk(in: bytes.span) { object, kind in
            kinds.insert("\(kind)")
            return .into
        }
        #expect(kinds == ["dictionary", "date", "array", "boolean", "data", "real"])
    }

    @Test("a file that is none gives the reader's error")
    func refused() {
        #expect(throws: ObjectGraphError.propertyList(.notAPropertyList)) {
            try Self.graph([1, 2, 3])
        }
    }

    @Test("a UID is written in the fewest bytes and read back")
    func uids() throws {
        for uid: UInt32 in [0, 255, 256, 65_535, 65_536, .max] {
            let arena = try SecretArena.forTest(capacity: 4096)
            var writer = try PropertyListWriter(
                into: try SecretBuffer(arena: arena, capacity: 256))
            let root = try writer.add(uid: uid)
            let file = try writer.finish(root: root)
            try file.withBytes { bytes in
                var index = PropertyListIndex()
                try index.scan(bytes)
                #expect(index.uid(index.root, in: bytes) == UInt64(uid))
            }
        }
    }
}
