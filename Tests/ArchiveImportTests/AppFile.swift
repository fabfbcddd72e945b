import Archiving
import Foundation
import JSON
import SecretMemory
import TestSupport
import Testing

@testable import ArchiveImport

/// A file of Tests/Vectors that an app wrote, or that was made to be like one, and what its manifest
/// says of it.
struct AppFile: CustomTestStringConvertible, Sendable {
    let folder: String
    let file: String
    /// What is given with --key.
    let key: String?
    /// The reason of a rejection.
    let reason: String?
    /// What a report says; of StructArchiver's, the value.
    let expected: ArchiveValue

    var testDescription: String { file + (key.map { " --key \($0)" } ?? "") }

    static let vectors = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors")
    static let folders = ["drafts", "structarchiver", "appfiles"]
    static let all = folders.flatMap { load($0) }

    func bytes() throws -> [UInt8] { try Self.bytes("\(folder)/\(file)") }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: vectors.appending(path: path)))
    }

    /// Those of a folder; none where its manifest cannot be read, which a test sees.
    static func load(_ folder: String) -> [AppFile] {
        guard let text = try? bytes("\(folder)/MANIFEST.json"),
            case .dictionary(let manifest)? = try? ArchiveValue(json: text),
            case .array(let cases)? = manifest["cases"]
        else { return [] }
        return cases.compactMap { AppFile(folder, $0) }
    }

    private init?(_ folder: String, _ entry: ArchiveValue) {
        guard case .dictionary(let members) = entry, case .string(let file)? = members["file"],
            let expected = members["expect"]
        else { return nil }
        self.folder = folder
        self.file = file
        self.expected = expected
        // The apps' own say it beside what they expect.
        var key: String?
        if case .string(let given)? = members["key"] { key = given }
        if case .dictionary(let report) = expected, case .string(let given)? = report["key"] {
            key = given
        }
        self.key = key
        if case .string(let text) = expected, text.hasPrefix("reject:") {
            reason = String(text.dropFirst("reject:".count))
        } else {
            reason = nil
        }
    }
}

extension ArchiveValue {
    /// Reads JSON, in which a number with a fraction or an exponent is a real.
    init(json text: [UInt8]) throws {
        var index = JSONIndex(limits: JSONLimits(maximumBytes: 1 << 24, maximumDepth: 600))
        try index.scan(text.span)
        let arena = try SecretArena.forTest()
        self = try Self.value(index.root, index, text, arena)
    }

    private static func value(
        _ node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: [UInt8], _ arena: SecretArena
    ) throws -> ArchiveValue {
        switch index.kind(of: node) {
        case .null: return .null
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .number:
            if let number = index.integer(node, in: text.span) { return .integer(number) }
            return .real(index.float(node, in: text.span) ?? .infinity)
        case .string: return .string(try string(node, index, text, arena))
        case .array:
            var elements: [ArchiveValue] = []
            try index.forEachElement(of: node) { element in
                elements.append(try value(element, index, text, arena))
            }
            return .array(elements)
        case .object:
            var members: [String: ArchiveValue] = [:]
            try index.forEachMember(of: node) { name, member in
                members[try string(name, index, text, arena)] = try value(
                    member, index, text, arena)
            }
            return .dictionary(members)
        }
    }

    private static func string(
        _ node: JSONIndex.Node, _ index: borrowing JSONIndex, _ text: [UInt8], _ arena: SecretArena
    ) throws -> String {
        let count = index.decodedCount(of: node, in: text.span)
        var buffer = try SecretBuffer(arena: arena, capacity: max(1, count))
        try index.appendString(node, in: text.span, to: &buffer)
        return buffer.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }
}

/// Reads a file as the commands do.
func read(_ file: [UInt8], key: String? = nil) throws -> ImportedArchive {
    let arena = try SecretArena(
        capacity: ArchiveImportLimits.arena(forFileOf: file.count), preferring: .lockedPages)
    defer { #expect(arena.used == 0) }
    return try ImportedArchive.read(file.span, key: key, in: arena)
}
