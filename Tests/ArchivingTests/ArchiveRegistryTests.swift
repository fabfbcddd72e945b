import FoundationEssentials
import Testing

@testable import Archiving

@Suite struct ArchiveRegistryTests {
    struct Account: ArchivableStruct, Hashable {
        let name: String
        static func restore(_ properties: inout ArchiveDecoder) throws -> Account {
            Account(name: try properties["name"])
        }
    }

    enum Renamed: Int, Archivable {
        case one = 1
        static let archiveTypeName = "Number"
    }

    @Test("a type comes with its arrays, dictionaries, sets and optionals")
    func composites() throws {
        var registry = ArchiveRegistry()
        registry.register(Account.self, restore: Account.restore)
        let names: [(String, any Archivable.Type)] = [
            ("Account", Account.self), ("[Account]", [Account].self), ("Account?", Account?.self),
            ("[String: Account]", [String: Account].self), ("Set<Account>", Set<Account>.self),
            ("[[Account: Account??]]", [[Account: Account??]].self),
            ("[Set<[Account]>: Int8?]", [Set<[Account]>: Int8?].self),
            ("ArchivedList?", ArchivedList?.self), ("[Data: Date]", [Data: Date].self),
        ]
        for (name, type) in names {
            #expect(type.archiveTypeName == name)
            #expect(try registry.type(named: name) == type, "\(name)")
        }
    }

    @Test("a type that nobody has registered is named")
    func unregistered() throws {
        let bytes = try ArchivedForm.bytes(of: [["a": Account?.none]])
        #expect(throws: ArchiveError.unregisteredType(archive: "test", type: "Account")) {
            try ArchivedForm.value(of: bytes)
        }
        // Its name alone is not enough for a struct.
        var registry = ArchiveRegistry()
        registry.register(Account.self)
        let account = try ArchivedForm.bytes(of: Account(name: "a"))
        #expect(throws: ArchiveError.unregisteredType(archive: "test", type: "Account")) {
            try ArchivedForm.value(of: account, registry: registry)
        }
    }

    @Test("elements of a set and keys of a dictionary are of a type that can be one")
    func hashable() throws {
        for name in ["Set<ArchivedList>", "[ArchivedMap: Int]", "Set<[ArchivedList]>"] {
            #expect(throws: ArchiveTypeNameError.notAName) {
                try ArchiveRegistry().type(named: name)
            }
        }
    }

    @Test("a type that has another name is read under its earlier ones")
    func earlierNames() throws {
        #expect(try ArchivedForm.plain(Renamed.one) == ["$type": "Number", "$value": 1])
        var registry = ArchiveRegistry()
        registry.register(Renamed.self, formerly: "Count", "Amount")
        registry.register(Account.self, formerly: "User", restore: Account.restore)
        for name in ["Number", "Count", "Amount"] {
            let value: ArchiveValue = ["$type": .string("[\(name)?]"), "$value": [1, nil]]
            let restored = try ArchivedForm.value(ofPlain: value, registry: registry)
            #expect(restored as? [Renamed?] == [.one, nil])
        }
        let user: ArchiveValue = ["$type": "User", "name": "a"]
        let restored = try ArchivedForm.value(ofPlain: user, registry: registry)
        #expect(restored as? Account == Account(name: "a"))
        // As a property too, for which the type is asked for by its new name.
        struct Holder: ArchivableStruct {
            let account: [Account]
        }
        registry.register(Holder.self) { Holder(account: try $0["account"]) }
        let holder: ArchiveValue = [
            "$type": "Holder", "account": ["$type": "[User]", "$value": [["name": "b"]]],
        ]
        let held = try ArchivedForm.value(ofPlain: holder, registry: registry)
        #expect((held as? Holder)?.account == [Account(name: "b")])
    }

    @Test("what is registered last restores")
    func lastCounts() throws {
        var registry = ArchiveRegistry()
        registry.register(Account.self, restore: Account.restore)
        registry.register(Account.self) { _ in Account(name: "second") }
        let value = try ArchivedForm.restored(Account(name: "first"), registry: registry)
        #expect(value as? Account == Account(name: "second"))
        var other = ArchiveRegistry()
        other.register(Account.self, formerly: "User") { _ in Account(name: "third") }
        other.register(Renamed.self)
        registry.add(other)
        let third = try ArchivedForm.restored(Account(name: "first"), registry: registry)
        #expect(third as? Account == Account(name: "third"))
        #expect(try registry.type(named: "User") == Account.self)
        #expect(try registry.type(named: "Number") == Renamed.self)
    }

    @Test("a registry is a value")
    func value() {
        let empty = ArchiveRegistry()
        var other = empty
        other.register(Renamed.self)
        #expect(throws: ArchiveTypeNameError.unregistered("Number")) {
            try empty.type(named: "Number")
        }
    }

    @Test("two types of one name stop the program, and so does a name that is none")
    func faults() async {
        await #expect(processExitsWith: .failure) {
            enum Other: Int, Archivable {
                case one
                static let archiveTypeName = "Number"
            }
            var registry = ArchiveRegistry()
            registry.register(Renamed.self)
            registry.register(Other.self)
        }
        await #expect(processExitsWith: .failure) {
            var registry = ArchiveRegistry()
            registry.register(Renamed.self, formerly: "Int")
        }
        await #expect(processExitsWith: .failure) {
            var registry = ArchiveRegistry()
            registry.register(Renamed.self, formerly: "[Number]")
        }
        await #expect(processExitsWith: .failure) {
            var registry = ArchiveRegistry()
            registry.register(Account.self, formerly: "Number", restore: Account.restore)
            var other = ArchiveRegistry()
            other.register(Renamed.self)
            registry.add(other)
        }
        await #expect(processExitsWith: .success) {
            var registry = ArchiveRegistry()
            registry.register(Renamed.self)
            registry.register(Renamed.self, formerly: "Number", "Count")
            registry.register(Int.self)
            registry.add(registry)
        }
    }

    @Test("a type whose name is none is not archived")
    func namesThatAreNone() {
        struct Generic<T: Archivable>: ArchivableStruct { let value: T }
        struct Long: ArchivableStruct {
            static let archiveTypeName = String(repeating: "x", count: 256)
        }
        for value in [Generic(value: 1), [Generic(value: 1)], Long(), [Long?]()] as [any Archivable]
        {
            let reason = ArchivedForm.refusal { _ = try ArchivedForm.bytes(of: value) }
            #expect(reason.hasPrefix("notEncodable: "), "\(reason)")
            #expect(reason.hasSuffix(" is no name of a type"), "\(reason)")
        }
    }
}
