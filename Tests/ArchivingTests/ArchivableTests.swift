import FoundationEssentials
import Testing

@testable public import Archiving

extension Int128: Archivable {}

/// A case of a table: a value, and how to compare what comes back, its type included.
struct ArchivableCase: Sendable, CustomTestStringConvertible {
    let value: any Archivable
    let isEqual: @Sendable (any Archivable) -> Bool
    let testDescription: String

    init<T: Archivable & Equatable>(_ value: T) {
        self.value = value
        isEqual = { other in type(of: other) == T.self && other as? T == value }
        testDescription = "\(T.archiveTypeName): \(value)"
    }
}

@Suite struct ArchivableTests {
    enum Colour: String, Archivable { case red, green = "$null" }
    enum Level: Int8, Archivable { case low = -1, high }
    struct Options: OptionSet, Archivable, Hashable { let rawValue: UInt16 }

    struct Money: Archivable, Hashable {
        let cents: Int
        func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
            try cents.archive(into: &encoder)
        }
        static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Money {
            Money(cents: try .unarchive(from: &decoder))
        }
    }

    static let scalars: [ArchivableCase] = [
        .init(true), .init(false), .init(Int.min), .init(Int.max), .init(0), .init(Int8.min),
        .init(Int8.max), .init(Int16.min), .init(Int16.max), .init(Int32.min), .init(Int32.max),
        .init(Int64.min), .init(Int64.max), .init(UInt.max), .init(UInt8.max), .init(UInt16.max),
        .init(UInt32.max), .init(UInt64.max), .init(UInt64.max / 2 + 1), .init(UInt64.min),
        .init(Float.pi), .init(-Float.infinity), .init(Float.leastNonzeroMagnitude), .init(0.1),
        .init(-0.0), .init(Double.infinity), .init(Double.greatestFiniteMagnitude), .init(""),
        .init("text"), .init("名前😀"), .init("$null"), .init("$$null"), .init("$"), .init("null"),
        .init(Date(timeIntervalSinceReferenceDate: 0.1)), .init(Data()), .init(Data([0, 255])),
    ]

    static let collections: [ArchivableCase] = [
        .init([Int]()), .init([1, 2]), .init([[1], []]), .init(["$null", "$"]), .init([UInt64.max]),
        .init([Data([1])]), .init([true, false]), .init([Float(1.5)]), .init([0.5]),
        .init([String: Int]()), .init(["a": 1, "$type": 2, "$null": 3]),
        .init(["a": ["b": [1.5]]]), .init([1: "a", -1: "b"]), .init([[1]: [2]]),
        .init([Date(timeIntervalSinceReferenceDate: 1): Data([1])]), .init(["a": [1: ["b"]]]),
        .init(Set<Int>()), .init(Set([1, 2, 3])), .init(Set([Set(["a"]), []])),
        .init(["keys": 1, "values": 2]), .init([["keys": ["a"], "values": ["b"]]]),
    ]

    static let optionals: [ArchivableCase] = [
        .init(Int?.none), .init(Int?.some(1)), .init(Int??.none), .init(Int??.some(.none)),
        .init(Int??.some(.some(1))), .init(Int???.some(.some(.none))), .init(String?.some("$null")),
        .init(String?.none), .init(String??.some("$null")), .init(String??.some("$$null")),
        .init([String??.some(.none), .none, "$null", "$$null", "$", "null", "$nul"]),
        .init(["a": [Int8?.none, 1]] as [String: [Int8?]]), .init([[Int]?.none, [1]]),
        .init([Int?.none: 1, 2: 3]), .init(Set([String?.none, "$null"])),
        .init([String: Int?]?.none),
    ]

    static let ownTypes: [ArchivableCase] = [
        .init(Colour.red), .init(Colour.green), .init([Colour.green]), .init(Colour?.some(.green)),
        .init(Colour?.none), .init(Level.low), .init([Level.high: Money(cents: 5)]),
        .init(Options(rawValue: 65535)), .init(Set([Money(cents: 1)])), .init([Money?.none]),
    ]

    static let registry: ArchiveRegistry = {
        var registry = ArchiveRegistry()
        registry.register(Colour.self)
        registry.register(Level.self)
        registry.register(Options.self)
        registry.register(Money.self)
        return registry
    }()

    @Test(
        "a value comes back as the type that it was", arguments: scalars + collections + optionals)
    func comesBack(each: ArchivableCase) throws {
        #expect(each.isEqual(try ArchivedForm.restored(each.value)))
    }

    @Test("a value of a registered type comes back as the type that it was", arguments: ownTypes)
    func ownTypeComesBack(each: ArchivableCase) throws {
        #expect(each.isEqual(try ArchivedForm.restored(each.value, registry: Self.registry)))
    }

    @Test("a value in a list and in a map comes back as the type that it was")
    func comesBackFromAList() throws {
        let cases = Self.scalars + Self.collections + Self.optionals + Self.ownTypes
        let list = ArchivedList(cases.map(\.value))
        let map = ArchivedMap(
            Dictionary(uniqueKeysWithValues: cases.enumerated().map { ("\($0)", $1.value) }))
        let both = try #require(
            try ArchivedForm.restored(
                ["list": list, "map": map] as ArchivedMap, registry: Self.registry)
                as? ArchivedMap)
        let elements = try #require(both["list"] as? ArchivedList).elements
        let members = try #require(both["map"] as? ArchivedMap)
        #expect(elements.count == cases.count && members.elements.count == cases.count)
        for (index, each) in cases.enumerated() {
            #expect(each.isEqual(elements[index]), "\(each.testDescription)")
            #expect(each.isEqual(try #require(members["\(index)"])), "\(each.testDescription)")
        }
    }

    @Test("a nested optional type is restored without being named")
    func nestedOptional() throws {
        let value: [String: [Int8?]] = ["a": [nil, 1, -128]]
        let restored = try ArchivedForm.restored(value)
        #expect(restored as? [String: [Int8?]] == value)
        #expect(restored as? [String: [Int8]] == nil)
    }

    @Test("what is no number comes back, and so does the sign of zero")
    func bitsOfReals() throws {
        let reals = try #require(try ArchivedForm.restored([Double.nan, -0.0]) as? [Double])
        #expect(reals[0].isNaN && reals[1].sign == .minus)
        let float = try #require(try ArchivedForm.restored(Float.nan) as? Float)
        #expect(float.isNaN)
    }

    @Test("a date is the same to the last bit")
    func bitsOfDates() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.1)
        let restored = try #require(try ArchivedForm.restored(date) as? Date)
        #expect(restored.timeIntervalSinceReferenceDate.bitPattern == (0.1).bitPattern)
    }

    @Test("names of types are those that the language writes")
    func names() {
        #expect(
            [[Int: Set<String>?]]?.archiveTypeName == "[[Int: Set<String>?]]?"
                && Colour.archiveTypeName == "Colour" && Data.archiveTypeName == "Data")
    }

    @Test("a date that is not finite is not archived")
    func dates() {
        for seconds in [Double.nan, .infinity] {
            let value = [Date(timeIntervalSinceReferenceDate: seconds)]
            #expect(
                ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: value) }
                    == "notEncodable: a date is not finite")
        }
    }

    @Test("an integer that has more than 64 bits is not archived")
    func wideIntegers() throws {
        struct Wide: Archivable {
            let value: Int128
            func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
                try value.archive(into: &encoder)
            }
            static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Wide {
                Wide(value: try .unarchive(from: &decoder))
            }
        }
        var registry = ArchiveRegistry()
        registry.register(Wide.self)
        for value in [Int128(Int64.min), Int128(UInt64.max), -1] {
            let restored = try ArchivedForm.restored(Wide(value: value), registry: registry)
            #expect((restored as? Wide)?.value == value)
        }
        for value in [Int128(Int64.min) - 1, Int128(UInt64.max) + 1] {
            #expect(
                ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: Wide(value: value)) }
                    == "notEncodable: an integer is out of bounds")
        }
    }

    @Test("a type that passes on two values, or none, is told so")
    func onePerValue() {
        struct Two: Archivable {
            let second: any Archivable
            func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
                try 1.archive(into: &encoder)
                try second.archive(into: &encoder)
            }
            static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Two {
                throw decoder.refusal("never")
            }
        }
        struct None: Archivable {
            func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {}
            static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> None {
                None()
            }
        }
        for second in [2, "two", [3], [String](), ["a": 4], Int?.none] as [any Archivable] {
            #expect(
                ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: Two(second: second)) }
                    == "notEncodable: a value was passed on beside another")
        }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: [None()]) }
                == "notEncodable: None has passed nothing on")
    }

    @Test("an error that a type swallows is an error all the same")
    func swallowedErrors() {
        struct Careless: Archivable {
            func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
                let date = Date(timeIntervalSinceReferenceDate: .nan)
                try? [[1: date]].archive(into: &encoder)
                try "instead".archive(into: &encoder)
            }
            static func unarchive(
                from decoder: inout ArchiveDecoder
            ) throws(ArchiveError) -> Careless { Careless() }
        }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: [Careless()]) }
                == "notEncodable: a date is not finite")
    }
}
