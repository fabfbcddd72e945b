import FoundationEssentials
import Testing

@testable import Archiving

@Suite struct ArchivableStructTests {
    enum Role: String, Archivable { case owner, guest }

    struct Account: ArchivableStruct, Hashable {
        var token: String
        var expires: Date?
        var roles: [Role]
        var friends: [Account]
        var level: Int8
        var names: [String: String?]
        var ratio: Float?

        static let example = Account(
            token: "made up", expires: Date(timeIntervalSinceReferenceDate: 0.1), roles: [.owner],
            friends: [.plain], level: -3, names: ["a": nil, "b": "$null"], ratio: 1.5)
        static let plain = Account(
            token: "$null", expires: nil, roles: [], friends: [], level: 0, names: [:], ratio: nil)
    }

    /// What says itself which properties it has, and restores itself.
    struct Point: ArchivableStruct, Hashable {
        let x: Double
        let y: Double

        var archivedProperties: ArchivedProperties {
            var properties: ArchivedProperties = ["x": x]
            properties.append("y", y)
            return properties
        }
        static func unarchive(from properties: inout ArchiveDecoder) throws(ArchiveError) -> Point {
            Point(x: try properties["x"], y: try properties["y"])
        }
    }

    static let registry: ArchiveRegistry = {
        var registry = ArchiveRegistry()
        registry.register(Point.self)
        registry.register(Role.self)
        registry.register(Account.self) { properties in
            Account(
                token: try properties["token"], expires: try properties["expires"],
                roles: try properties["roles"], friends: try properties["friends"],
                level: try properties["level"], names: try properties["names"],
                ratio: try properties["ratio"])
        }
        return registry
    }()

    static let cases: [ArchivableCase] = [
        .init(Account.example), .init(Account.plain), .init([Account.example, .plain]),
        .init(["a": Account.plain]), .init(Account?.none), .init(Account?.some(.example)),
        .init([Account?.none, .example]), .init(Set([Account.example])),
        .init([Account.plain: [Account?.none]]), .init(["a": [["b": Set([Account.example])]]]),
        .init(Point(x: 1, y: -0.5)), .init([Point(x: 0, y: 0): 1]), .init(Account??.some(.none)),
        .init(Account??.some(.some(.plain))),
    ]

    @Test("a struct comes back as what it was, in collections too", arguments: cases)
    func comesBack(each: ArchivableCase) throws {
        #expect(each.isEqual(try ArchivedForm.restored(each.value, registry: Self.registry)))
        let list = try ArchivedForm.restored(
            ArchivedList([each.value, each.value]), registry: Self.registry)
        let elements = try #require(list as? ArchivedList).elements
        #expect(elements.count == 2 && elements.allSatisfy(each.isEqual))
    }

    @Test("properties may be asked for in any order, more than once, and in part")
    func anyOrder() throws {
        var registry = Self.registry
        registry.register(Account.self) { properties in
            let level: Int8 = try properties["level"]
            #expect(try properties["level"] == level)
            #expect(try properties.contains("token") && !properties.contains("tokn"))
            #expect(try properties["ratio", default: Float?.some(9)] == 1.5)
            #expect(try properties["none", default: 7] == 7)
            return Account(
                token: try properties["token"], expires: nil, roles: [], friends: [], level: level,
                names: [:])
        }
        let restored = try ArchivedForm.restored(Account.example, registry: registry)
        #expect((restored as? Account)?.level == -3)
    }

    @Test("an optional may become a value and a value an optional, between two versions")
    func evolution() throws {
        struct Earlier: ArchivableStruct {
            static let archiveTypeName = "Version"
            let name: String
            let note: String?
            let gone: Int
        }
        struct Later: ArchivableStruct, Equatable {
            static let archiveTypeName = "Version"
            let name: String?
            let note: String
            let new: [Int]
        }
        var registry = ArchiveRegistry()
        registry.register(Later.self) { properties in
            Later(
                name: try properties["name"], note: try properties["note"],
                new: try properties["new", default: [1]])
        }
        for text in ["text", "$null", "$$null", ""] {
            let bytes = try ArchivedForm.bytes(of: Earlier(name: text, note: text, gone: 1))
            let restored = try ArchivedForm.value(of: bytes, registry: registry)
            #expect(restored as? Later == Later(name: text, note: text, new: [1]))
        }
        let none = try ArchivedForm.bytes(of: Earlier(name: "", note: nil, gone: 1))
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.value(of: none, registry: registry) }
                == "notDecodable: the property note of Version: it is nothing, not String")
    }

    struct Holder: ArchivableStruct {
        let value: any Archivable
    }

    /// What the answer is when its property is asked for as that type.
    private func refusal<T: Archivable>(
        of value: any Archivable, as type: T.Type, _ name: String = "value"
    ) throws -> String {
        var registry = Self.registry
        registry.register(Holder.self) { properties in
            let _: T = try properties[name]
            return Holder(value: 0)
        }
        let bytes = try ArchivedForm.bytes(of: Holder(value: value), registry: registry)
        return ArchivedForm.refusal {
            _ = try ArchivedForm.value(of: bytes, registry: registry)
        }
    }

    @Test("a property that is missing is named")
    func missing() throws {
        #expect(
            try refusal(of: 1, as: Int.self, "valu") == "notDecodable: Holder has no property valu")
        #expect(
            try refusal(of: 1, as: Int?.self, "valu") == "notDecodable: Holder has no property valu"
        )
    }

    @Test("a property of another type is named with both types")
    func bothTypes() throws {
        let prefix = "notDecodable: the property value of Holder: it is "
        #expect(try refusal(of: "", as: Int.self) == prefix + "String, not Int")
        #expect(try refusal(of: 1, as: String.self) == prefix + "Int, not String")
        #expect(try refusal(of: 1.5, as: Int.self) == prefix + "Double, not Int")
        #expect(try refusal(of: 1, as: Double.self) == prefix + "Int, not Double")
        #expect(try refusal(of: true, as: Data.self) == prefix + "Bool, not Data")
        #expect(try refusal(of: Data(), as: Bool.self) == prefix + "Data, not Bool")
        #expect(try refusal(of: 1, as: Int8.self) == prefix + "Int, not Int8")
        #expect(try refusal(of: 1, as: Date.self) == prefix + "Int, not Date")
        #expect(
            try refusal(of: Date(timeIntervalSinceReferenceDate: 0), as: Float.self)
                == prefix + "Date, not Float")
        #expect(try refusal(of: Int8(1), as: Int.self) == prefix + "Int8, not Int")
        #expect(try refusal(of: [1], as: [Int8].self) == prefix + "[Int], not [Int8]")
        #expect(try refusal(of: [1], as: Set<Int>.self) == prefix + "[Int], not Set<Int>")
        #expect(try refusal(of: [1], as: Int.self) == prefix + "[Int], not Int")
        #expect(try refusal(of: 1, as: [Int].self) == prefix + "Int, not [Int]")
        #expect(
            try refusal(of: ArchivedList([1]), as: [Int].self) == prefix + "a list, not [Int]")
        #expect(
            try refusal(of: ArchivedMap(["a": 1]), as: [String: Int].self)
                == prefix + "a dictionary, not [String: Int]")
        #expect(
            try refusal(of: [1], as: ArchivedList.self) == prefix + "[Int], not ArchivedList")
        #expect(
            try refusal(of: Account.plain, as: Point.self) == prefix + "Account, not Point")
        #expect(try refusal(of: Point(x: 1, y: 1), as: Role.self) == prefix + "Point, not Role")
        #expect(try refusal(of: Int?.none, as: Int.self) == prefix + "nothing, not Int")
        #expect(try refusal(of: [Int]?.none, as: [Int].self) == prefix + "nothing, not [Int]")
        #expect(try refusal(of: Int??.some(nil), as: Int?.self) == prefix + "String, not Int")
    }

    @Test("a property of a type that two names of the program share is the registered one")
    func sameName() throws {
        enum Outer { enum Role: String, Archivable { case other } }
        #expect(
            try refusal(of: Role.guest, as: Outer.Role.self)
                == "notDecodable: the property value of Holder: it is Role, not Role")
        #expect(
            ArchivedForm.refusal {
                _ = try ArchivedForm.bytes(of: Outer.Role.other, registry: Self.registry)
            } == "notEncodable: Role is the name of another type that is registered")
    }

    @Test("a property of a type that nobody has registered is restored by whoever names it")
    func unregisteredProperty() throws {
        enum Private: Int, Archivable { case one }
        #expect(try refusal(of: [Private.one], as: [Private].self) == "accepted")
        #expect(try refusal(of: ["": Private?.none], as: [String: Private?].self) == "accepted")
    }

    @Test("an error deep within says the way there")
    func path() throws {
        struct Outer: ArchivableStruct { let inner: [String: Inner] }
        struct Inner: ArchivableStruct { let value: Int }
        var registry = ArchiveRegistry()
        registry.register(Outer.self) { Outer(inner: try $0["inner"]) }
        registry.register(Inner.self) { properties in
            let text: String = try properties["value"]
            return Inner(value: text.count)
        }
        let bytes = try ArchivedForm.bytes(of: Outer(inner: ["a": Inner(value: 1)]))
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.value(of: bytes, registry: registry) }
                == "notDecodable: the property inner of Outer: the property value of Inner: "
                + "it is Int, not String")
    }

    @Test("an error of the closure's own says which type it was for")
    func ownErrors() throws {
        struct Strange: Error, CustomStringConvertible { var description: String { "strange" } }
        var registry = ArchiveRegistry()
        registry.register(Point.self) { _ in throw Strange() }
        struct Thrower: ArchivableStruct {}
        registry.register(Thrower.self) { _ in throw Strange() }
        let bytes = try ArchivedForm.bytes(of: Thrower())
        #expect(
            ArchivedForm.refusal { _ = try ArchivedForm.value(of: bytes, registry: registry) }
                == "notDecodable: Thrower cannot be restored: strange")
        // A type that restores itself needs no closure, and does not look at one.
        let point = try ArchivedForm.restored(Point(x: 1, y: 2), registry: registry)
        #expect(point as? Point == Point(x: 1, y: 2))
    }

    @Test("an error that a closure swallows leaves it where it was")
    func swallowed() throws {
        var registry = Self.registry
        registry.register(Account.self) { properties in
            let wrong: [Int]? = try? properties["friends"]
            #expect(wrong == nil)
            return Account(
                token: try properties["token"], expires: nil, roles: try properties["roles"],
                friends: [], level: 0, names: [:])
        }
        let restored = try ArchivedForm.restored(Account.example, registry: registry)
        #expect((restored as? Account)?.roles == [.owner])
    }

    @Test("what is no value with properties has none")
    func noProperties() throws {
        struct Lookalike: Archivable {
            func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
                try [1].archive(into: &encoder)
            }
            static func unarchive(
                from decoder: inout ArchiveDecoder
            ) throws(ArchiveError) -> Lookalike {
                let _: Int = try decoder["a"]
                return Lookalike()
            }
        }
        var registry = ArchiveRegistry()
        registry.register(Lookalike.self)
        #expect(
            ArchivedForm.refusal {
                _ = try ArchivedForm.restored(Lookalike(), registry: registry)
            } == "notDecodable: it is a list, not a value with properties")
        #expect(
            ArchivedForm.refusal {
                _ = try ArchivedForm.value(
                    ofPlain: ["$type": "[Account]", "$value": [1]], registry: Self.registry)
            } == "notDecodable: it is Int, not Account")
    }
}
