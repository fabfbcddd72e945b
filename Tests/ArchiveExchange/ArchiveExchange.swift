import Archiving
import Foundation

/// Archives values of types of its own, or restores them without naming these: it only registers them.
///
///     archive-exchange archive|restore|draft STATE [COUNT]
///
/// `restore` prints what it got. `draft` adds as many drafts to the draft box as COUNT says.
@main
enum ArchiveExchange {
    static func main() { exit(run()) }

    nonisolated private static func run() -> Int32 {
        let words = CommandLine.arguments
        guard words.count >= 3 else { return 2 }
        do {
            let archiver = Archiver(store: try ArchiveStore(path: words[2]))
            switch words[1] {
            case "archive": try archiver.archive(Place.all, named: "places")
            case "restore": try restore(archiver)
            case "draft":
                for number in 0..<(words.count > 3 ? Int(words[3]) ?? 0 : 0) {
                    try DraftBox(in: archiver).save(
                        Draft(title: "\(getpid())-\(number)", time: Draft.wallTime()))
                }
            default: return 2
            }
            return 0
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 1
        }
    }

    private static func restore(_ archiver: Archiver) throws {
        var registry = ArchiveRegistry()
        registry.register(Kind.self)
        registry.register(Place.self) { properties in
            Place(
                name: try properties["name"], kind: try properties["kind"],
                visits: try properties["visits"], nearest: try properties["nearest"])
        }
        guard let value = try archiver.unarchive(named: "places", with: registry) else {
            throw ArchiveError.noKey(store: "")
        }
        print(type(of: value))
        guard let places = value as? [String: Place] else { throw ArchiveError.noKey(store: "") }
        print(places == Place.all ? "the same" : "another")
    }
}

private enum Kind: String, Archivable { case city, lake }

private struct Place: ArchivableStruct, Equatable {
    var name: String
    var kind: Kind
    var visits: [Date]
    var nearest: [Int16?]

    static let all = [
        "a": Place(
            name: "西湖", kind: .lake, visits: [Date(timeIntervalSince1970: 1.5)], nearest: [1, nil]),
        "b": Place(name: "", kind: .city, visits: [], nearest: []),
    ]
}
