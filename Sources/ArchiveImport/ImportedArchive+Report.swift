import AccountCommands
import Archiving
import FoundationEssentials

extension ImportedArchive {
    /// Values that are shown one by one.
    private static let shown = 20

    /// What would be kept, for `--dry-run`.
    ///
    /// As JSON it is one line: `kind`, and what belongs to it. Drafts have `drafts`, of each its
    /// `title`, `time`, `pictures`, a number, `original_photo`, `assets`, and `text` where there is
    /// one; and `warnings`. Objects have their `class`, null where they differ, and `objects`; any
    /// other kind has `value`. What a key has chosen has that `key` too, and is of the kind
    /// `defaults` where it is no drafts.
    ///
    /// - Parameter key: by which it was read.
    package func report(isJSON: Bool, key: String? = nil) -> String {
        isJSON ? json(key) : lines
    }

    private func json(_ key: String?) -> String {
        var members: [String: ArchiveValue] = [:]
        switch self {
        case .drafts(let drafts, let warnings):
            members["kind"] = "drafts"
            members["drafts"] = .array(drafts.map(\.reported))
            members["warnings"] = .array(warnings.map { .string($0) })
        case .objects(let objects, let className):
            members["kind"] = "objects"
            members["class"] = className.map { .string($0) } ?? .null
            members["objects"] = .array(objects)
        case .value(let value):
            members["kind"] = "value"
            members["value"] = value
        }
        if let key {
            members["key"] = .string(key)
            if members["drafts"] == nil { members["kind"] = "defaults" }
        }
        return ArchiveValue.dictionary(members).line
    }

    private var lines: String {
        switch self {
        case .drafts(let drafts, _):
            Self.counted(drafts.count, "draft")
                + drafts.enumerated().map { "\($0 + 1)  \($1.line)" }.joined()
        case .objects(let objects, let className):
            Self.counted(objects.count, "object", of: className) + Self.list(objects)
        case .value(let value): Self.list([value])
        }
    }

    private static func counted(
        _ count: Int, _ what: String, of className: String? = nil
    ) -> String {
        let ending = className.map { " of the class \(ControlCharacters.escaped($0))" } ?? ""
        return "\(count) \(what)\(count == 1 ? "" : "s")\(ending)\n"
    }

    private static func list(_ values: [ArchiveValue]) -> String {
        let rest = values.count - shown
        return values.prefix(shown).map(\.line).joined()
            + (rest > 0 ? "and \(rest) more\n" : "")
    }
}

extension Draft {
    /// All but the pictures themselves.
    fileprivate var reported: ArchiveValue {
        var members: [String: ArchiveValue] = [
            "title": .string(title), "time": .string(time),
            "pictures": .integer(Int64(pictures.count)),
            "original_photo": .boolean(isOriginalPhoto),
            "assets": pictureAssets.isEmpty ? .null : .array(pictureAssets.map { .string($0) }),
        ]
        if let text { members["text"] = .string(text) }
        return .dictionary(members)
    }

    /// A line for a person.
    fileprivate var line: String {
        var remarks: [String] = []
        if !pictures.isEmpty {
            remarks.append("\(pictures.count) picture\(pictures.count == 1 ? "" : "s")")
        }
        if !pictureAssets.isEmpty {
            remarks.append("\(pictureAssets.count) asset\(pictureAssets.count == 1 ? "" : "s")")
        }
        if isOriginalPhoto { remarks.append("in full size") }
        let ending = remarks.isEmpty ? "" : " (" + remarks.joined(separator: ", ") + ")"
        let time = time.isEmpty ? "without a time" : ControlCharacters.escaped(time)
        return "\(time)  \(ControlCharacters.escaped(title))\(ending)\n"
    }
}

extension ArchiveValue {
    /// The value as JSON on a line of its own.
    fileprivate var line: String {
        // What JSON does not have was replaced.
        ((try? showable.json()) ?? "null") + "\n"
    }

    /// The value with texts in the place of numbers and dates that JSON does not have.
    private var showable: ArchiveValue {
        switch self {
        case .real(let number) where !number.isFinite:
            ["$real": .string(number.description)]
        case .date(let date) where date.rfc3339 == nil:
            ["$date": .string("\(date.timeIntervalSince1970)")]
        case .array(let elements): .array(elements.map(\.showable))
        case .dictionary(let members): .dictionary(members.mapValues(\.showable))
        default: self
        }
    }
}
