import SecretMemory
import TestSupport
import Testing

@testable import PropertyList

@Suite struct PropertyListWriterTests {
    @Test func whatIsWrittenIsReadBack() throws {
        let arena = try SecretArena.forTest()
        var writer = try PropertyListWriter(into: SecretBuffer(arena: arena, capacity: 4096))
        let name = try writer.add(string: "名前")
        let token = try writer.add(string: "access_token" as StaticString)
        let value = try writer.add(integer: -5)
        let date = try writer.add(date: 1_700_000_000)
        let list = try writer.add(array: [value, date, value])
        let root = try writer.add(dictionary: [(name, name), (token, list)])
        let buffer = try writer.finish(root: root)
        var index = PropertyListIndex()
        try buffer.withBytes { bytes throws(PropertyListError) in try index.scan(bytes) }
        buffer.withBytes { bytes in
            #expect(index.kind(of: index.root) == .dictionary)
            #expect(index.count(of: index.root) == 2)
            let list = index.member("access_token", of: index.root, in: bytes)
            var found: [Int64?] = []
            if let list {
                index.forEachElement(of: list, in: bytes) {
                    found.append(index.integer($0, in: bytes))
                }
            }
            #expect(found == [-5, nil, -5])
            let name = index.member("名前", of: index.root, in: bytes)
            #expect(name.map { index.string($0, equals: "名前", in: bytes) } == true)
            #expect(name.map { index.decodedCount(of: $0, in: bytes) } == 6)
        }
    }
}
