import Archiving
import FoundationEssentials

// Of `Archivable`.
enum Visibility: String, Archivable { case everyone, friends }

struct Money: Equatable, Sendable {
    var cents: Int
}

extension Money: Archivable {
    func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
        try cents.archive(into: &encoder)
    }
    static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Money {
        Money(cents: try .unarchive(from: &decoder))
    }
}

func otherTypes(_ archiver: Archiver) throws {
    var registry = ArchiveRegistry()
    registry.register(Money.self)
    registry.register(Visibility.self)
    let both: ArchivedList = [Money(cents: 350), Visibility.friends]
    try archiver.archive(both, named: "both")
    let list = try archiver.unarchive(named: "both", with: registry) as? ArchivedList
    try check(list?.elements.first as? Money == Money(cents: 350))
    try check(list?.elements.last as? Visibility == .friends)
}

// Of `ArchivedList` and `ArchivedMap`.
func severalTypes(_ archiver: Archiver) throws {
    let list: ArchivedList = [1, "two", 3.0, ["four"]]
    let map: ArchivedMap = ["count": 1, "names": ["one", "two"]]
    try archiver.archive(list, named: "list")
    try archiver.archive(map, named: "map")
    let registry = ArchiveRegistry()
    let restored = try archiver.unarchive(named: "list", with: registry) as? ArchivedList
    try check(restored?.elements.last as? [String] == ["four"])
    let names = try archiver.unarchive(named: "map", with: registry) as? ArchivedMap
    try check(names?["names"] as? [String] == ["one", "two"])
}

// Of `ArchiveRegistry` and `ArchiveDecoder`.
struct Account: ArchivableStruct {
    var token: String
    var expires: Date?
}

func registeredTypes(_ archiver: Archiver) throws {
    var registry = ArchiveRegistry()
    registry.register(Visibility.self)
    registry.register(Account.self) { properties in
        Account(token: try properties["token"], expires: try properties["expires"])
    }
    try archiver.archive(Account(token: "made up", expires: nil), named: "account")
    let account = try archiver.unarchive(named: "account", with: registry) as? Account
    try check(account?.token == "made up" && account?.expires == nil)
    try structs(archiver)
    try ownProperties(archiver)
}

// Of `ArchivableStruct`.
func structs(_ archiver: Archiver) throws {
    var registry = ArchiveRegistry()
    struct Account: ArchivableStruct {
        var token: String
        var expires: Date?
    }
    registry.register(Account.self) { properties in
        Account(token: try properties["token"], expires: try properties["expires"])
    }
    let account = try archiver.unarchive(named: "account", with: registry)
    try check((account as? Account)?.token == "made up")
}

// Of `ArchivedProperties`.
func ownProperties(_ archiver: Archiver) throws {
    struct Session: ArchivableStruct {
        var token: String
        var expires: Date?

        var archivedProperties: ArchivedProperties {
            ["token": token, "expires": expires]
        }
    }
    var registry = ArchiveRegistry()
    registry.register(Session.self) { properties in
        Session(token: try properties["token"], expires: try properties["expires"])
    }
    let now = Date(timeIntervalSince1970: 1.5)
    try archiver.archive(Session(token: "made up", expires: now), named: "session")
    let session = try archiver.unarchive(named: "session", with: registry) as? Session
    try check(session?.token == "made up" && session?.expires == now)
}
