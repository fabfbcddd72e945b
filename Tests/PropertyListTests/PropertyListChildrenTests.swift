import SecretMemory
import TestSupport
import Testing

@testable import PropertyList

/// What is written from parts of a longer list, and asked for by its position.
@Suite struct PropertyListChildrenTests {
    private func file(
        _ body: (inout PropertyListWriter) throws(PropertyListError) ->
            PropertyListWriter.Reference
    ) throws -> [UInt8] {
        let buffer = try SecretBuffer(arena: try SecretArena.forTest(), capacity: 4096)
        var writer = try PropertyListWriter(into: buffer)
        let root = try body(&writer)
        return try writer.finish(root: root).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
    }

    @Test("a part of a list of references becomes a container")
    func parts() throws {
        let file = try file { writer throws(PropertyListError) in
            var references: [PropertyListWriter.Reference] = []
            for text in ["a", "b"] { references.append(try writer.add(string: text)) }
            for number in 1...3 { references.append(try writer.add(integer: Int64(number))) }
            let array = try writer.add(elements: references[2...])
            let dictionary = try writer.add(keysThenValues: references[..<4])
            return try writer.add(array: [array, dictionary, try writer.add(elements: [])])
        }
        #expect(
            try PropertyListReader().read(file)
                == .success(
                    .array([
                        .array([.integer(1), .integer(2), .integer(3)]),
                        .dictionary([Array("a".utf8): .integer(1), Array("b".utf8): .integer(2)]),
                        .array([]),
                    ])))
    }

    @Test("children are found by their positions")
    func positions() throws {
        let file = try file { writer throws(PropertyListError) in
            let array = try writer.add(array: [
                try writer.add(integer: 5), try writer.add(integer: 6),
            ])
            return try writer.add(dictionary: [
                (try writer.add(string: "first"), array),
                (try writer.add(string: "名"), try writer.add(integer: 7)),
            ])
        }
        let bytes = file.span
        var index = PropertyListIndex()
        try index.scan(bytes)
        let (first, second) = (
            index.key(0, of: index.root, in: bytes), index.key(1, of: index.root, in: bytes)
        )
        let texts = [
            index.string(first, equals: "first" as String, in: bytes),
            index.string(second, equals: "名" as String, in: bytes),
            index.string(second, equals: "first" as String, in: bytes),
            index.string(index.root, equals: "first" as String, in: bytes),
        ]
        #expect(texts == [true, true, false, false])
        let array = index.value(0, of: index.root, in: bytes)
        let numbers = [
            index.integer(index.element(0, of: array, in: bytes), in: bytes),
            index.integer(index.element(1, of: array, in: bytes), in: bytes),
            index.integer(index.value(1, of: index.root, in: bytes), in: bytes),
        ]
        #expect(numbers == [5, 6, 7])
    }

    @Test("a position without a child ends the process", .disabled(if: Sanitizer.isActive))
    func noChild() async {
        await #expect(processExitsWith: .failure) {
            var index = PropertyListIndex()
            let file = try PropertyListWriter.file(of: .array([.integer(1)]))
            try index.scan(file.span)
            _ = index.element(1, of: index.root, in: file.span)
        }
    }

    @Test(
        "an integer without a sign is written as one that has one, as long as it can be",
        arguments: [
            (0, [0x10, 0]), (UInt64(Int64.max), [0x13, 0x7F] + .init(repeating: 255, count: 7)),
            (
                UInt64(Int64.max) + 1,
                [0x14] + .init(repeating: 0, count: 8) + [0x80] + .init(repeating: 0, count: 7)
            ),
            (.max, [0x14] + .init(repeating: 0, count: 8) + .init(repeating: 255, count: 8)),
        ] as [(UInt64, [UInt8])])
    func unsigned(value: UInt64, object: [UInt8]) throws {
        let file = try file { writer throws(PropertyListError) in try writer.add(unsigned: value) }
        #expect(Array(file[8..<(file.count - 33)]) == object)
        var index = PropertyListIndex()
        try index.scan(file.span)
        let (found, signed) = (
            index.unsignedInteger(index.root, in: file.span),
            index.integer(index.root, in: file.span)
        )
        #expect(found == value && signed == Int64(exactly: value))
    }

    @Test("what is no integer without a sign is none")
    func noUnsigned() throws {
        for value in [PropertyListValue.integer(-1), .boolean(true), .text("1")] {
            let file = try PropertyListWriter.file(of: value)
            var index = PropertyListIndex()
            try index.scan(file.span)
            let found = index.unsignedInteger(index.root, in: file.span)
            #expect(found == nil)
        }
    }

    @Test("a real of four bytes is the same number")
    func float() throws {
        let file = try file { writer throws(PropertyListError) in
            try writer.add(real: Float(0.1))
        }
        #expect(Array(file[8..<13]) == [0x22, 0x3D, 0xCC, 0xCC, 0xCD])
        #expect(try PropertyListReader().read(file) == .success(.real(Double(Float(0.1)))))
    }
}
