import AccountImport
import Archiving
import JSON
package import SecretMemory

@testable import ArchiveImport

/// What a person gives to `account draft import` and `account archive import`: whatever an app has
/// archived, and all that is taken for it.
///
/// An input that begins with `M` says how an archive is made; one with `D` how user defaults are,
/// among whose values is one.
package final class DraftsBody: FuzzBody {
    package static let name = "drafts"
    package static let vectors = ["drafts", "appfiles"]
    /// Those of the vectors.
    private static let keys = ["drafts", "FRAMES", "HOME_FRAME_DEFAULT_ARRAY", "root", "a", "1"]

    package let arena: SecretArena
    private var index = JSONIndex(
        limits: JSONLimits(maximumBytes: 1 << 24, maximumDepth: 600, allowsEscapedNUL: true))

    package init() throws { arena = try SecretArena(capacity: 1 << 21, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        guard input.count > 0, input[0] == UInt8(ascii: "M") || input[0] == UInt8(ascii: "D")
        else { return try read(input) }
        var choices = FuzzInput(input.array)
        let isDefaults = choices.byte() == UInt8(ascii: "D")
        guard let archive = try ArchiveMaker.make(choices, of: .drafts, in: arena) else { return }
        guard isDefaults else { return try archive.withBytes { try read($0) } }
        let defaults = try ArchiveMaker.defaults(around: archive, in: arena)
        try defaults.withBytes { try read($0) }
    }

    private func read(_ file: Span<UInt8>) throws {
        let whole = try read(file, key: nil)
        for key in Self.keys {
            guard let chosen = try read(file, key: key) else { continue }
            guard case .value(.dictionary(let members))? = whole, let member = members[key],
                case .value(let value) = chosen
            else { continue }
            // Data that was asked for may be a property list, which stays data in its place.
            if case .data = member { continue }
            try require(
                ImportedArchive.value(member).report(isJSON: true)
                    == ImportedArchive.value(value).report(isJSON: true),
                "another value under \(key)")
        }
    }

    private func read(_ file: Span<UInt8>, key: String?) throws -> ImportedArchive? {
        let archive: ImportedArchive
        do throws(ImportError) {
            archive = try Self.read(file, key, arena)
        } catch {
            try visit(error)
            return nil
        }
        let report = archive.report(isJSON: true, key: key)
        try requireJSON(report)
        let again = try Self.read(file, key, arena)
        try require(again.report(isJSON: true, key: key) == report, "read twice, it differs")
        for scalar in archive.report(isJSON: false).unicodeScalars {
            let isControl = scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
            try require(!isControl || scalar == "\n", "a control character for a terminal")
        }
        try visit(archive)
        return archive
    }

    // What shared objects stand for is bounded as it is for large files.
    private static func read(
        _ file: Span<UInt8>, _ key: String?, _ arena: SecretArena
    ) throws(ImportError) -> ImportedArchive {
        try ImportedArchive.read(
            file, key: key, ImportBudget(visits: 4096, content: 1 << 16), in: arena)
    }

    private func visit(_ archive: ImportedArchive) throws {
        switch archive {
        case .drafts(let drafts, _):
            for draft in drafts {
                try require(!draft.pictures.contains { $0.isEmpty }, "a picture without bytes")
                try require(!draft.pictureAssets.contains(""), "an asset without a place")
            }
        case .objects(let objects, let className):
            try require(!objects.isEmpty, "no objects")
            for case .dictionary(let members) in objects {
                try require((members["$class"] == nil) == (className != nil), "a class twice")
            }
        case .value: break
        }
    }

    private func requireJSON(_ text: String) throws {
        do throws(JSONError) { try index.scan(text.utf8.span) } catch {
            throw Violation(description: "no JSON, \(error): \(text)")
        }
    }

    private func visit(_ error: ImportError) throws {
        try require(error.reason != "out-of-memory", "a file that takes all memory")
        try require(error.reason.utf8.count < 80, "a long reason: \(error.reason)")
        try ResponseBody.requireOwnWords(error.reason)
        try require((error.hint ?? "").utf8.count < 20_000, "a long hint")
    }
}

extension ArchiveMaker.Words {
    /// Drafts and other models.
    static let drafts = ArchiveMaker.Words(
        classes: [
            "LMDraftModel", "NSArray", "NSDictionary", "NSString", "NSDate", "NSData", "NSSet",
            "NSNull", "NSURL", "UIImage", "NSMutableArray", "User",
        ],
        keys: [
            "_articleTitle", "articleTitle", "_time", "time", "_pictureArrays", "pictureArrays",
            "_assetArrays", "_OriginalPhoto", "OriginalPhoto", "_text", "NS.objects", "NS.keys",
            "NS.string", "NS.time", "NS.data", "NS.relative", "NS.base", "UIImageData", "UIImage",
            "$class", "$classname", "$classes", "name", "access_token",
        ],
        texts: [
            "$null", "", "2016-12-13 21:05:09", "LMDraftModel", "UIImage", "NSArray", "NSURL", "a",
            "assets-library://a1", "\u{1B}\u{202E}", "1",
        ],
        data: [[], [0x89, 0x50], Array("bplist00".utf8), Array("\u{3}Int12345678".utf8)])
}
