import Foundation
import Testing

@testable import Archiving

/// The files of Tests/Vectors/values, which Python's plistlib has written, with what each must give.
struct ArchivedVector: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let type: String?
    let says: String?
    let refusal: String?

    var testDescription: String { file }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors/values")

    static let all: [ArchivedVector] = {
        do {
            let manifest = try Data(contentsOf: folder.appending(path: "MANIFEST.json"))
            return try JSONDecoder().decode([ArchivedVector].self, from: manifest)
        } catch {
            Issue.record(error)
            return []
        }
    }()

    var bytes: [UInt8] {
        get throws { Array(try Data(contentsOf: Self.folder.appending(path: file))) }
    }
}

@Suite struct ArchivedVectorTests {
    enum Colour: String, Archivable { case red }

    struct Account: ArchivableStruct {
        let token: String
        let expires: Date?
        let level: Int8?
        let friends: [Account]
    }

    static let registry: ArchiveRegistry = {
        var registry = ArchiveRegistry()
        registry.register(Colour.self, formerly: "Hue")
        registry.register(Account.self) { properties in
            Account(
                token: try properties["token"], expires: try properties["expires"],
                level: try properties["level"], friends: try properties["friends"])
        }
        return registry
    }()

    /// What is read, but is not as we would write it or cannot be compared.
    static let otherwise: Set<String> = [
        "enum_that_had_another_name.plist", "struct_of_a_later_version.plist",
        "struct_with_its_value_apart.plist",
        // The reader of plain values has no integer of 64 bits.
        "uint64.plist",
    ]

    @Test("each vector gives what its manifest says", arguments: ArchivedVector.all)
    func vectors(vector: ArchivedVector) throws {
        let bytes = try vector.bytes
        do throws(ArchiveError) {
            let value = try Self.registry.value(ofPropertyList: bytes.span, archive: "test")
            #expect(Swift.type(of: value).archiveTypeName == vector.type)
            #expect(Self.described(value) == vector.says)
        } catch {
            let refusal = try #require(vector.refusal, "\(error)")
            switch error {
            case .notDecodable("test", let reason):
                #expect(reason == refusal || reason.hasSuffix(refusal))
            case .unregisteredType("test", let type): #expect("unregistered \(type)" == refusal)
            default: Issue.record(error)
            }
        }
    }

    @Test("what is read is written as it was", arguments: ArchivedVector.all)
    func written(vector: ArchivedVector) throws {
        guard vector.refusal == nil, !Self.otherwise.contains(vector.file) else { return }
        let bytes = try vector.bytes
        let value = try Self.registry.value(ofPropertyList: bytes.span, archive: "test")
        let plain = try ArchivedForm.plain(value, registry: Self.registry)
        #expect(try plain == ArchiveValue(propertyList: bytes.span, archive: "test"))
    }

    @Test("vectors are as their script makes them")
    func script() throws {
        #expect(ArchivedVector.all.count > 50)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3",
            ArchivedVector.folder.appending(path: "make_vectors.py").path(percentEncoded: false),
            "--check",
        ]
        try process.run()
        process.waitUntilExit()
        // Of env, where there is no python3.
        #expect(process.terminationStatus == 0 || process.terminationStatus == 127)
    }

    private static func described(_ value: any Archivable) -> String {
        switch value {
        case let text as String: return text.debugDescription
        case let data as Data: return data.map { String(format: "%02x", $0) }.joined()
        case let date as Date: return "\(date.timeIntervalSinceReferenceDate) s"
        case let account as Account:
            let parts: [any Archivable] = [
                account.token, account.expires, account.level, account.friends,
            ]
            return "<\(parts.map(described).joined(separator: ", "))>"
        case let list as ArchivedList:
            return "(\(list.elements.map(described).joined(separator: ", ")))"
        case let map as ArchivedMap:
            let members = map.elements.map { "\($0.key.debugDescription): \(described($0.value))" }
            return "(\(members.sorted().joined(separator: ", ")))"
        default: return describedByMirror(value)
        }
    }

    private static func describedByMirror(_ value: any Archivable) -> String {
        let mirror = Mirror(reflecting: value)
        let children = mirror.children.compactMap { $0.value as? any Archivable }
        switch mirror.displayStyle {
        case .optional: return children.first.map(described) ?? "nil"
        case .collection, .set: return "[\(children.map(described).joined(separator: ", "))]"
        case .dictionary:
            let pairs = mirror.children.map { pair in
                Mirror(reflecting: pair.value).children.compactMap { $0.value as? any Archivable }
                    .map(described).joined(separator: ": ")
            }
            return "[\(pairs.joined(separator: ", "))]"
        default: return "\(value)"
        }
    }
}
