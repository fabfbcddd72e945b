import Archiving
import FoundationEssentials
import LinuxSystem
import SecretMemory

/// Archives and restores small structs in one process, by turns with Foundation's coders, and prints
/// the nanoseconds of each as a line of JSON a round.
///
///     struct-speed STRUCTS ROUNDS [SIDE…]
///
/// The sides are ours, reflected, propertyList and json; without any it is all of them.
@main
enum StructSpeed {
    static func main() throws { try run() }

    nonisolated private static func run() throws {
        let words = try ProcessArguments.all()
        guard words.count >= 2, let count = Int(words[0]), let rounds = Int(words[1]) else {
            throw Failure.usage
        }
        let speed = try Measurement(count: count, sides: Set(words.dropFirst(2)))
        // The first round meets caches of the runtime that are empty.
        _ = try speed.round()
        for turn in 0..<rounds {
            let line = try speed.round(reversed: !turn.isMultiple(of: 2))
            try StandardStream.print("\(line)\n", to: StandardStream.output)
        }
    }
}

enum Failure: Error {
    case usage
    case differs(String)
}

struct Measurement {
    private static let limit = 1 << 26

    private let sides: Set<String>
    private let profiles: [Profile]
    private let reflected: [ReflectedProfile]
    private let arena: SecretArena
    private let registry: ArchiveRegistry

    init(count: Int, sides: Set<String>) throws {
        self.sides = sides
        profiles = (0..<count).map(Profile.init(number:))
        reflected = profiles.map(ReflectedProfile.init)
        arena = try SecretArena(capacity: 2 * Self.limit, preferring: .lockedPages)
        var registry = ArchiveRegistry()
        registry.register(Profile.self) { properties in
            try Profile(restoring: &properties)
        }
        registry.register(ReflectedProfile.self) { properties in
            try ReflectedProfile(restoring: &properties)
        }
        self.registry = registry
    }

    func round(reversed: Bool = false) throws -> String {
        let sides: [(String, () throws -> (archive: Int64, restore: Int64))] = [
            ("ours", { try ours(profiles) }), ("reflected", { try ours(reflected) }),
            ("propertyList", propertyList), ("json", json),
        ]
        var fields: [String] = []
        for (name, measure) in reversed ? sides.reversed() : sides {
            guard self.sides.isEmpty || self.sides.contains(name) else { continue }
            let took = try measure()
            fields.append(
                "\"\(name)\": {\"archive\": \(took.archive), \"restore\": \(took.restore)}")
        }
        return "{\(fields.joined(separator: ", "))}"
    }

    private func ours<T: ArchivableStruct & Equatable>(
        _ values: [T]
    ) throws -> (archive: Int64, restore: Int64) {
        let start = now()
        let buffer = try registry.propertyList(
            of: values, in: arena, limit: Self.limit, archive: "speed")
        let written = now()
        let restored = try buffer.withBytes { bytes throws(ArchiveError) in
            try registry.value(ofPropertyList: bytes, archive: "speed")
        }
        let end = now()
        guard restored as? [T] == values else { throw Failure.differs("ours") }
        return (written - start, end - written)
    }

    private func propertyList() throws -> (archive: Int64, restore: Int64) {
        let start = now()
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let data = try encoder.encode(profiles)
        let written = now()
        let restored = try PropertyListDecoder().decode([Profile].self, from: data)
        let end = now()
        guard restored == profiles else { throw Failure.differs("propertyList") }
        return (written - start, end - written)
    }

    private func json() throws -> (archive: Int64, restore: Int64) {
        let start = now()
        let data = try JSONEncoder().encode(profiles)
        let written = now()
        let restored = try JSONDecoder().decode([Profile].self, from: data)
        let end = now()
        guard restored == profiles else { throw Failure.differs("json") }
        return (written - start, end - written)
    }

    private func now() -> Int64 {
        let time = Clock.realtime()
        return Int64(time.seconds) * 1_000_000_000 + Int64(time.nanoseconds)
    }
}
