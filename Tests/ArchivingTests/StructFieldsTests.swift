import FoundationEssentials
import Testing

@testable import Archiving

@Suite struct StructFieldsTests {
    struct Plain: ArchivableStruct {
        var text = "a text that does not stand in the string itself"
        var flag = true
        var small: Int8 = -1
        var optional: Double? = 0.5
        var list = [1, 2]
        var date = Date(timeIntervalSinceReferenceDate: 5)
        var computed: Int { 1 }
        static let shared = 2
    }

    final class Reference: ArchivableStruct {
        let number: Int
        init(number: Int) { self.number = number }
    }

    class Base: ArchivableStruct, @unchecked Sendable {
        let base = 1
        required init() {}
        class func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Self {
            Self()
        }
    }

    final class Derived: Base, @unchecked Sendable {
        let derived = 2
    }

    private func names(_ value: some ArchivableStruct) throws -> [String] {
        try value.archivedProperties.elements.map { "\($0.0): \($0.1)" }
    }

    @Test("all stored properties of a struct are found, and no others")
    func storedProperties() throws {
        let expected = [
            "text: a text that does not stand in the string itself", "flag: true", "small: -1",
            "optional: Optional(0.5)", "list: [1, 2]",
            "date: \(Date(timeIntervalSinceReferenceDate: 5))",
        ]
        #expect(StructFields.of(Plain()) != nil)
        for _ in 0..<2 { #expect(try names(Plain()) == expected) }
        struct Empty: ArchivableStruct {}
        #expect(try names(Empty()) == [])
    }

    @Test("a property keeps its reference as long as it is held")
    func references() throws {
        var plain: Plain? = Plain(text: String(repeating: "x", count: 100))
        let properties = try #require(plain).archivedProperties
        plain = nil
        #expect(properties.elements[0].1 as? String == String(repeating: "x", count: 100))
    }

    @Test("a value whose type is known by itself alone is reflected by a mirror")
    func existentials() throws {
        struct Holder: ArchivableStruct {
            let any: any Archivable
            let number: Int
        }
        #expect(StructFields.of(Holder(any: 1, number: 2)) == nil)
        #expect(try names(Holder(any: "one", number: 2)) == ["any: one", "number: 2"])
        #expect(try names(Holder(any: 3.5, number: 4)) == ["any: 3.5", "number: 4"])
    }

    @Test("references within a struct, which may be weak, are reflected by a mirror")
    func weakReferences() throws {
        struct Holder: ArchivableStruct, @unchecked Sendable {
            weak var weak: Reference?
            unowned var unowned: Reference
            var number = 3
        }
        let reference = Reference(number: 7)
        let holder = Holder(weak: reference, unowned: reference)
        #expect(StructFields.of(holder) == nil)
        let properties = try holder.archivedProperties.elements
        #expect(properties.map(\.0) == ["weak", "unowned", "number"])
        #expect((properties[0].1 as? Reference?)??.number == 7)
        #expect((properties[1].1 as? Reference)?.number == 7)
        #expect(properties[2].1 as? Int == 3)
        struct Twice: ArchivableStruct, @unchecked Sendable { var held: Reference?? }
        #expect(StructFields.of(Twice(held: reference)) == nil)
    }

    @Test("a class is reflected with the classes above it")
    func classes() throws {
        #expect(StructFields.of(Reference(number: 1)) == nil)
        #expect(try names(Reference(number: 1)) == ["number: 1"])
        #expect(try names(Derived()).sorted() == ["base: 1", "derived: 2"])
    }

    @Test("a mirror that a struct makes itself is not asked")
    func ownMirrors() throws {
        struct Redacted: ArchivableStruct, CustomReflectable {
            let token = "made up"
            var customMirror: Mirror { Mirror(self, children: ["token": "•••"]) }
        }
        #expect(try names(Redacted()) == ["token: made up"])
        struct Hidden: ArchivableStruct, CustomReflectable {
            let any: any Archivable = 1
            var customMirror: Mirror { Mirror(self, children: []) }
        }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: Hidden()) }
                == "notEncodable: Hidden has a mirror of its own, and does not say its properties")
    }

    @Test("an enum does not lose which case it is")
    func enums() throws {
        enum Either: ArchivableStruct { case one, two(Int) }
        for value in [Either.one, .two(2)] {
            #expect(StructFields.of(value) == nil)
            #expect(
                ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: value) }
                    == "notEncodable: Either is no struct, and does not say its properties")
        }
    }

    @Test("a property that is not archivable is named, and never left out")
    func notArchivable() throws {
        struct Inner: Sendable {}
        struct Outer: ArchivableStruct {
            let good = 1
            let bad = Inner()
        }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: ["a": [Outer()]]) }
                == "notEncodable: the property bad of Outer is of the type Inner, which is not "
                + "archivable")
        struct List: ArchivableStruct { let list: [any Archivable] = [] }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: List()) }
                == "notEncodable: the property list of List is of the type Array<Archivable>, "
                + "which is not archivable")
    }

    @Test("names that the form keeps for itself are no names of properties")
    func reservedNames() throws {
        struct Lazy: ArchivableStruct {
            lazy var value = 1
        }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: Lazy()) }
                == "notEncodable: the name of a property, $__lazy_storage_$_value, begins with $")
        struct Twice: ArchivableStruct {
            var archivedProperties: ArchivedProperties { ["a": 1, "a": 2] }
        }
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: Twice()) }
                == "notEncodable: a dictionary has a key twice")
        struct Failing: ArchivableStruct {
            var archivedProperties: ArchivedProperties {
                get throws(ArchiveError) { throw .busy(archive: "other") }
            }
        }
        #expect(throws: ArchiveError.busy(archive: "other")) {
            try ArchivedForm.bytes(of: Failing())
        }
    }
}
