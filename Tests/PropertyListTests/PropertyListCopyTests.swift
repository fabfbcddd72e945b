import SecretMemory
import TestSupport
import Testing

@testable import PropertyList

@Suite struct PropertyListCopyTests {
    @Test(arguments: PropertyListVector.good)
    func aCopyHoldsWhatTheOriginalHolds(vector: PropertyListVector) throws {
        let file = try copy(of: try vector.bytes)
        #expect(try PropertyListReader().read(file).get().notation == vector.value)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomValuesSurviveARewrite(seed: UInt64) throws {
        var source = SplitMix64(state: seed)
        let reader = try PropertyListReader()
        for _ in 0..<100 {
            let value = PropertyListValue.random(using: &source)
            let file = try copy(of: try FoundationValue.file(of: value))
            #expect(reader.read(file) == .success(value))
        }
    }

    /// What a later version writes stays, beside what this one writes anew.
    @Test func unknownMembersAreKeptBesideKnownOnes() throws {
        let later = PropertyListValue.array([.null, .uid(7), .set([.real(.infinity)]), .text("名")])
        let original = try PropertyListWriter.file(
            of: .dictionary([Array("uid".utf8): .text("1"), Array("later".utf8): later]))
        var index = PropertyListIndex()
        try index.scan(original.span)
        let arena = try SecretArena.forTest()
        var writer = try PropertyListWriter(into: SecretBuffer(arena: arena, capacity: 4096))
        var members: [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)] = []
        try index.forEachMember(of: index.root, in: original.span) {
            key, value throws(PropertyListError) in
            guard !index.string(key, equals: "uid", in: original.span) else { return }
            members.append(
                (
                    try writer.addCopy(of: key, from: index, in: original.span),
                    try writer.addCopy(of: value, from: index, in: original.span)
                ))
        }
        members.append((try writer.add(string: "uid"), try writer.add(string: "2")))
        let root = try writer.add(dictionary: members)
        let file = try writer.finish(root: root).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
        let expected = PropertyListValue.dictionary([
            Array("uid".utf8): .text("2"), Array("later".utf8): later,
        ])
        #expect(try PropertyListReader().read(file) == .success(expected))
    }

    @Test func whatIsSharedStaysShared() throws {
        let vector = try #require(
            PropertyListVector.good.first { $0.file == "shared_object.plist" })
        let file = try copy(of: try vector.bytes)
        var index = PropertyListIndex()
        try index.scan(file.span)
        #expect(index.objectCount == 5)
    }

    /// A value is copied as it stands, in more bytes than needed too.
    @Test func valuesAreCopiedByteForByte() throws {
        let vector = try #require(
            PropertyListVector.good.first { $0.file == "length_of_8_bytes.plist" })
        #expect(try copy(of: try vector.bytes) == vector.bytes)
    }

    @Test func aCopyObeysTheLimitsOfItsWriter() throws {
        let file = try PropertyListWriter.file(of: .array([.integer(1), .integer(2)]))
        #expect(throws: PropertyListError.tooManyObjects) {
            try copy(of: file, limits: .init(maximumObjects: 2))
        }
    }

    private func copy(
        of file: [UInt8], limits: PropertyListLimits = PropertyListLimits()
    ) throws -> [UInt8] {
        var index = PropertyListIndex()
        try index.scan(file.span)
        let arena = try SecretArena.forTest()
        let buffer = try SecretBuffer(arena: arena, capacity: 1024, limit: 1 << 18)
        var writer = try PropertyListWriter(into: buffer, limits: limits)
        let root = try writer.addCopy(of: index.root, from: index, in: file.span)
        return try writer.finish(root: root).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
    }
}
