import FoundationEssentials
import PropertyList
import SecretMemory
import TestSupport
import Testing

@testable import Archiving

/// What somebody who has the key might write to take more than a reader's due.
@Suite struct ArchivedLimitsTests {
    typealias Reference = PropertyListWriter.Reference

    struct Idle: ArchivableStruct {
        static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Idle {
            Idle()
        }
    }

    /// Reads what `body` writes.
    private func refusal(
        registry: ArchiveRegistry = ArchiveRegistry(), capacity: Int = 1 << 22,
        _ body: (inout PropertyListWriter) throws(PropertyListError) -> Reference
    ) throws -> String {
        let arena = try SecretArena.forTest(capacity: 2 * capacity)
        var writer = try PropertyListWriter(
            into: try SecretBuffer(arena: arena, capacity: 1 << 12, limit: capacity),
            limits: PropertyListBounds.limits())
        let root = try body(&writer)
        let buffer = try writer.finish(root: root)
        return ArchivedForm.refusal {
            // Fewer than a reader takes, which are tried soon.
            var room = 50_000
            _ = try buffer.withBytes { bytes throws(ArchiveError) in
                try registry.value(ofPropertyList: bytes, archive: "test", room: &room)
            }
        }
    }

    @Test("shared values are counted as often as they are referred to")
    func sharedValues() throws {
        let tooMany = "notDecodable: it has too many values"
        #expect(
            try refusal { writer throws(PropertyListError) in
                var inner = try writer.add(array: [try writer.add(boolean: true)])
                for _ in 0..<40 { inner = try writer.add(array: [inner, inner]) }
                return inner
            } == tooMany)
        #expect(
            try refusal { writer throws(PropertyListError) in
                let (one, other) = (try writer.add(string: "a"), try writer.add(string: "b"))
                var inner = try writer.add(dictionary: [])
                for _ in 0..<40 {
                    inner = try writer.add(dictionary: [(one, inner), (other, inner)])
                }
                return inner
            } == tooMany)
    }

    @Test("looking for the type of a large dictionary is counted too")
    func largeDictionaries() throws {
        var registry = ArchiveRegistry()
        registry.register(Idle.self)
        // The type stands last, in a dictionary of 10,000 names that 1,000 elements share.
        #expect(
            try refusal(registry: registry) { writer throws(PropertyListError) in
                let value = try writer.add(boolean: true)
                var members: [(key: Reference, value: Reference)] = []
                for number in 0..<10_000 {
                    members.append((try writer.add(string: "\(number)"), value))
                }
                members.append((try writer.add(string: "$type"), try writer.add(string: "Idle")))
                let large = try writer.add(dictionary: members)
                return try writer.add(array: [Reference](repeating: large, count: 1000))
            } == "notDecodable: it has too many values")
    }

    @Test("an archive names so many types and no more")
    func types() throws {
        func list(_ count: Int) throws -> String {
            try refusal { writer throws(PropertyListError) in
                let (type, value) = (
                    try writer.add(string: "$type"), try writer.add(string: "$value")
                )
                let one = try writer.add(integer: 1)
                var elements: [Reference] = []
                for _ in 0..<count {
                    let name = try writer.add(string: "Int8")
                    elements.append(try writer.add(dictionary: [(type, name), (value, one)]))
                }
                return try writer.add(array: elements)
            }
        }
        #expect(try list(ArchiveDecoder.maximumTypes) == "accepted")
        #expect(
            try list(ArchiveDecoder.maximumTypes + 1) == "notDecodable: it names too many types")
    }

    @Test("a name of a type is a text, and written as names are")
    func names() throws {
        #expect(
            try refusal { writer throws(PropertyListError) in
                try writer.add(dictionary: [
                    (try writer.add(string: "$type"), try writer.add(integer: 1))
                ])
            } == "notDecodable: the name of a type is no text")
        for name in ["", "Box<Int>", String(repeating: "[", count: 100_000)] {
            #expect(
                try refusal { writer throws(PropertyListError) in
                    try writer.add(dictionary: [
                        (try writer.add(string: "$type"), try writer.add(string: name))
                    ])
                } == "notDecodable: the name of a type is malformed")
        }
    }

    @Test("values are as deep as may be and no deeper, on both ways")
    func depth() throws {
        func nested(_ depth: Int) -> ArchivedList {
            (1..<depth).reduce([]) { inner, _ in [inner] }
        }
        let bound = PropertyListBounds.maximumDepth
        #expect(try ArchivedForm.restored(nested(bound)) is ArchivedList)
        let tooDeep = "notEncodable: it is deeper than \(bound) levels"
        for depth in [bound + 1, 2 * bound, 1000] {
            #expect(
                ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: nested(depth)) } == tooDeep)
        }
    }

    @Test("a value that holds itself is refused")
    func endless() {
        final class Endless: ArchivableStruct, @unchecked Sendable {
            var archivedProperties: ArchivedProperties { ["self": self] }
        }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: Endless()) }
                == "notEncodable: it is deeper than 64 levels")
    }

    @Test("what is written has no more bytes and no more values than a reader takes")
    func sizes() throws {
        let text = String(repeating: "x", count: 5000)
        let size = try ArchivedForm.bytes(of: text).count
        #expect(try ArchivedForm.bytes(of: text, limit: size).count == size)
        for limit in [1, 100, size - 1] {
            #expect(throws: ArchiveError.tooLarge(archive: "test", limit: limit)) {
                try ArchivedForm.bytes(of: text, limit: limit)
            }
        }
        #expect(throws: ArchiveError.tooLarge(archive: "test", limit: 1 << 30)) {
            try ArchivedForm.bytes(of: Data(count: 1 << 20), limit: 1 << 30, capacity: 1 << 16)
        }
        #expect(throws: ArchiveError.tooLarge(archive: "test", limit: 1 << 30)) {
            let arena = try SecretArena.forTest(capacity: 1 << 12)
            _ = try ArchiveRegistry().propertyList(
                of: 1, in: arena, limit: 1 << 30, archive: "test")
        }
    }

    @Test("a reader counts no more values than the writer has counted")
    func counts() throws {
        let cases =
            ArchivableTests.scalars + ArchivableTests.collections + ArchivableTests.optionals
            + ArchivableStructTests.cases
        let map: ArchivedMap = ["a": 1, "b": [1, [2, "c"] as ArchivedList] as ArchivedList]
        for value in cases.map(\.value) + [map, ArchivedList(cases.map(\.value))] {
            let arena = try SecretArena.forTest()
            let registry = ArchivableStructTests.registry
            var encoder = try registry.encoder(in: arena, limit: 1 << 18, archive: "test")
            let root = try encoder.typedReference(of: value)
            let written = encoder.room
            let buffer = try encoder.finish(root: root)
            var room = PropertyListBounds.maximumVisits
            _ = try buffer.withBytes { bytes throws(ArchiveError) in
                try registry.value(ofPropertyList: bytes, archive: "test", room: &room)
            }
            #expect(room >= written, "\(value)")
        }
        let arena = try SecretArena.forTest()
        var encoder = try ArchiveRegistry().encoder(in: arena, limit: 1 << 18, archive: "test")
        try encoder.charge(PropertyListBounds.maximumVisits)
        #expect(
            throws: ArchiveError.notEncodable(
                archive: "test", reason: "it has too many values")
        ) { try encoder.charge(1) }
    }
}
