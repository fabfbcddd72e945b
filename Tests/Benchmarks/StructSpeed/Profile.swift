import Archiving

/// What is archived: five properties, named by the type itself.
struct Profile: Codable, Equatable, ArchivableStruct {
    var token: String
    var name: String
    var id: Int
    var score: Double
    var isActive: Bool

    package var archivedProperties: ArchivedProperties {
        ["token": token, "name": name, "id": id, "score": score, "isActive": isActive]
    }

    init(number: Int) {
        token = "2.00made-up-\(number)-0123456789"
        name = number.isMultiple(of: 4) ? "用户\(number)" : "user \(number)"
        id = 1_000_000 + number
        score = Double(number) / 7
        isActive = number.isMultiple(of: 3)
    }

    init(restoring properties: inout ArchiveDecoder) throws {
        token = try properties["token"]
        name = try properties["name"]
        id = try properties["id"]
        score = try properties["score"]
        isActive = try properties["isActive"]
    }
}

/// The same, whose properties are found by reflection.
struct ReflectedProfile: Equatable, ArchivableStruct {
    var token: String
    var name: String
    var id: Int
    var score: Double
    var isActive: Bool

    init(_ profile: Profile) {
        token = profile.token
        name = profile.name
        id = profile.id
        score = profile.score
        isActive = profile.isActive
    }

    init(restoring properties: inout ArchiveDecoder) throws {
        token = try properties["token"]
        name = try properties["name"]
        id = try properties["id"]
        score = try properties["score"]
        isActive = try properties["isActive"]
    }
}
