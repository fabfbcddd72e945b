import SecretMemory
import TestSupport
import Testing

@testable import PropertyList

@Suite struct PropertyListIndexTests {
    @Test(arguments: PropertyListVector.all)
    func eachVectorGivesWhatItsManifestSays(vector: PropertyListVector) throws {
        let result = try PropertyListReader().read(try vector.bytes)
        switch vector.result {
        case "value": #expect(try result.get().notation == vector.value)
        case "damaged":
            let offset = try #require(vector.offset)
            #expect(result == .failure(.damaged(offset: offset)))
        case "duplicateKey":
            let offset = try #require(vector.offset)
            #expect(result == .failure(.duplicateKey(offset: offset)))
        case "notAPropertyList": #expect(result == .failure(.notAPropertyList))
        case "tooManyObjects": #expect(result == .failure(.tooManyObjects))
        case "tooDeep": #expect(result == .failure(.tooDeep))
        case "cyclic": #expect(result == .failure(.cyclic))
        default: Issue.record("no such result: \(vector.result)")
        }
    }

    @Test func vectorsAreThere() {
        #expect(PropertyListVector.good.count > 30)
        #expect(PropertyListVector.all.count > PropertyListVector.good.count + 70)
    }

    @Test(.enabled(if: Python.isThere, "needs python3"))
    func vectorsAreAsTheirScriptMakesThem() throws {
        #expect(try Python.run([Python.script("make_vectors.py"), "--check"]) == [])
    }

    @Test func aMemberIsFoundByItsNameInEitherForm() throws {
        let file = try PropertyListWriter.file(
            of: .dictionary([
                Array("uid".utf8): .integer(1), Array("名".utf8): .integer(2),
                Array("".utf8): .integer(3),
            ]))
        let bytes = file.span
        var index = PropertyListIndex()
        try index.scan(bytes)
        let cases: [(StaticString, Int64?)] = [
            ("uid", 1), ("名", 2), ("", 3), ("ui", nil), ("uidd", nil), ("名名", nil), ("UID", nil),
        ]
        for (name, value) in cases {
            let member = index.member(name, of: index.root, in: bytes)
            let found = member.map { index.integer($0, in: bytes) }
            #expect(found == value.map { .some($0) }, "\(name)")
        }
    }

    @Test func whatIsNoContainerHasNoMembersAndNoElements() throws {
        let file = try PropertyListWriter.file(of: .array([.text("a"), .dictionary([:])]))
        let bytes = file.span
        var index = PropertyListIndex()
        try index.scan(bytes)
        let member = index.member("a", of: index.root, in: bytes)
        #expect(member == nil)
        index.forEachMember(of: index.root, in: bytes) { _, _ in Issue.record("an array's member") }
        index.forEachElement(of: index.root, in: bytes) { node in
            let member = index.member("a", of: node, in: bytes)
            #expect(member == nil)
            index.forEachMember(of: node, in: bytes) { _, _ in Issue.record("a member") }
            index.forEachElement(of: node, in: bytes) { _ in Issue.record("an element") }
            let isEmptyString = index.string(node, equals: "", in: bytes)
            #expect(!isEmptyString)
        }
    }

    @Test(
        arguments: [
            ("ab", "ab", true), ("ab", "a", false), ("ab", "abc", false), ("ab", "ac", false),
            ("", "", true), ("", "a", false), ("é", "é", true), ("é", "e\u{301}", false),
            ("名", "名", true), ("名", "前", false), ("名", "名前", false), ("名前", "名", false),
            ("😀", "😀", true), ("😀", "😁", false), ("a\u{0}", "a", false), ("中", "x", false),
        ] as [(String, StringOfProgram, Bool)])
    func stringsAreComparedCodePointByCodePoint(
        text: String, other: StringOfProgram, isEqual: Bool
    ) throws {
        let file = try PropertyListWriter.file(of: .text(text))
        var index = PropertyListIndex()
        try index.scan(file.span)
        let found = index.string(index.root, equals: other.text, in: file.span)
        #expect(found == isEqual)
    }

    @Test func anErrorOfTheBodyEndsTheWayThroughMembers() throws {
        struct Stop: Error {}
        let file = try PropertyListWriter.file(of: .array([.integer(1), .integer(2)]))
        let bytes = file.span
        var index = PropertyListIndex()
        try index.scan(bytes)
        var count = 0
        do throws(Stop) {
            try index.forEachElement(of: index.root, in: bytes) { _ throws(Stop) in
                count += 1
                throw Stop()
            }
            Issue.record("the error was lost")
        } catch {}
        #expect(count == 1)
    }

    @Test func aStringThatDoesNotFitIsAnErrorOfTheBuffer() throws {
        let arena = try SecretArena.forTest()
        for text in ["0123456789", "名名名名"] {
            let file = try PropertyListWriter.file(of: .text(text))
            var index = PropertyListIndex()
            try index.scan(file.span)
            var buffer = try SecretBuffer(arena: arena, capacity: 8)
            do throws(SecretMemoryError) {
                try index.appendString(index.root, in: file.span, to: &buffer)
                Issue.record("it fitted")
            } catch {
                #expect(error == .overLimit)
            }
        }
    }

    @Test func limitsAreHeldAtTheirBorders() throws {
        // Three objects, two deep.
        let value = PropertyListValue.array([.array([.integer(1)])])
        let file = try PropertyListWriter.file(of: value)
        let cases: [(PropertyListLimits, PropertyListError?)] = [
            (.init(maximumBytes: file.count, maximumObjects: 3, maximumDepth: 2), nil),
            (.init(maximumBytes: file.count - 1), .tooLarge),
            (.init(maximumObjects: 2), .tooManyObjects),
            (.init(maximumDepth: 1), .tooDeep),
            (.init(maximumDepth: 0), .tooDeep),
        ]
        for (limits, error) in cases {
            let expected = error.map { Result.failure($0) } ?? .success(value)
            #expect(try PropertyListReader(limits: limits).read(file) == expected, "\(limits)")
        }
        let scalar = try PropertyListWriter.file(of: .integer(1))
        let reader = try PropertyListReader(limits: .init(maximumDepth: 0))
        #expect(reader.read(scalar) == .success(.integer(1)))
    }

    /// 2^63 ways lead to the innermost array; whoever walked them would not come back.
    @Test func anObjectIsLookedAtOnceHoweverManyWaysLeadToIt() throws {
        let limits = PropertyListLimits(maximumDepth: 64)
        let arena = try SecretArena.forTest()
        var writer = try PropertyListWriter(
            into: try SecretBuffer(arena: arena, capacity: 4096), limits: limits)
        var inner = try writer.add(array: [])
        for _ in 1..<64 { inner = try writer.add(array: [inner, inner]) }
        let buffer = try writer.finish(root: inner)
        var index = PropertyListIndex(limits: limits)
        var copier = try PropertyListWriter(
            into: try SecretBuffer(arena: arena, capacity: 4096), limits: limits)
        let copy = try buffer.withBytes { bytes throws(PropertyListError) in
            try index.scan(bytes)
            return try copier.addCopy(of: index.root, from: index, in: bytes)
        }
        let copied = try copier.finish(root: copy)
        #expect(copied.count == buffer.count)
    }

    /// Each of 2,000 strings is 16,384 bytes of what follows it, the other strings' markers and
    /// lengths included, which are ASCII; apart from that the file is faultless.
    @Test func overlappingObjectsCostNoMoreThanTheFileAllows() throws {
        let count = 2000
        let marker: [UInt8] = [0x5F, 0x11, 0x40, 0x00]
        var file = Array("bplist00".utf8) + [0xAF, 0x11] + bigEndian(count, 2)
        for number in 1...count { file += bigEndian(number, 2) }
        let first = file.count
        for _ in 0..<count { file += marker }
        file += [UInt8](repeating: 0x61, count: 0x4000)
        let table = file.count
        file += bigEndian(8, 2)
        for number in 0..<count { file += bigEndian(first + marker.count * number, 2) }
        file += [0, 0, 0, 0, 0, 0, 2, 2]
        for value in [count + 1, 0, table] { file += bigEndian(value, 8) }
        // The second string no longer fits in what the root and the first one left.
        let error = PropertyListError.damaged(offset: first + marker.count)
        #expect(try PropertyListReader().read(file) == .failure(error))
    }

    private func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    @Test func anIndexServesAgainAfterAFailure() throws {
        let reader = try PropertyListReader()
        let file = try PropertyListWriter.file(of: .array([.text("a")]))
        for _ in 0..<3 {
            #expect(reader.read(file) == .success(.array([.text("a")])))
            #expect(reader.read(Array(file.dropLast())) != .success(.array([.text("a")])))
            #expect(reader.read([]) == .failure(.notAPropertyList))
        }
    }
}

/// A literal in a table of cases.
struct StringOfProgram: ExpressibleByStringLiteral, Sendable {
    let text: StaticString
    init(stringLiteral text: StaticString) { self.text = text }
}
