import AccountCommands
import Archiving
import FoundationEssentials

/// Drafts for people and for programs.
enum DraftText {
    /// Columns that a title may take in the table.
    private static let titleWidth = 40

    /// The list for programs; the pictures are only counted.
    static func value(_ draft: Draft, withText: Bool = false) -> ArchiveValue {
        var members: [String: ArchiveValue] = [
            "id": .string(draft.id), "title": .string(draft.title), "time": .string(draft.time),
            "original_photo": .boolean(draft.isOriginalPhoto),
            "assets": .array(draft.pictureAssets.map { .string($0) }),
            "pictures": .array(
                draft.pictures.map { picture in
                    [
                        "bytes": .integer(Int64(picture.count)),
                        "type": .string(PictureType.of(picture).name),
                    ]
                }),
        ]
        if withText { members["text"] = draft.text.map { .string($0) } ?? .null }
        return .dictionary(members)
    }

    /// The list for people.
    static func table(_ drafts: [Draft]) -> String {
        guard !drafts.isEmpty else { return "" }
        var rows = [["N", "TIME", "PICTURES", "TITLE"]]
        for (index, draft) in drafts.enumerated() {
            rows.append([
                "\(index + 1)", ControlCharacters.escaped(draft.time),
                "\(draft.pictures.count)" + (draft.isOriginalPhoto ? " full" : ""),
                ControlCharacters.escaped(shortened(draft.title)),
            ])
        }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count + 2)
            }.joined() + row[3] + "\n"
        }.joined()
    }

    private static func shortened(_ title: String) -> String {
        title.count <= titleWidth ? title : title.prefix(titleWidth - 1) + "…"
    }

    /// One draft for people.
    static func page(_ draft: Draft, _ number: Int) -> String {
        var lines = [
            "draft:     \(number), \(draft.id)",
            "title:     \(ControlCharacters.escaped(draft.title))",
            "time:      \(ControlCharacters.escaped(draft.time))",
        ]
        for (index, picture) in draft.pictures.enumerated() {
            lines.append(
                "picture \(index + 1): \(PictureType.of(picture).name), \(picture.count) bytes")
        }
        for asset in draft.pictureAssets {
            lines.append("asset:     \(ControlCharacters.escaped(asset))")
        }
        if draft.isOriginalPhoto { lines.append("in full size") }
        if let text = draft.text {
            lines.append("")
            // Lines stay lines; nothing else reaches the terminal as it is.
            lines += text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
                .map { ControlCharacters.escaped(String($0)) }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// What a picture is, told by how it begins.
enum PictureType: String {
    case png, jpeg, gif, webp, heic
    case other = "bin"

    /// How it is called, and what its files end with.
    var name: String { self == .jpeg ? "jpg" : rawValue }

    static func of(_ picture: Data) -> PictureType {
        let start = Array(picture.prefix(12))
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return .png }
        if start.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if start.starts(with: Array("GIF8".utf8)) { return .gif }
        guard start.count == 12 else { return .other }
        if start.starts(with: Array("RIFF".utf8)), start[8...] == Array("WEBP".utf8)[...] {
            return .webp
        }
        return start[4..<8] == Array("ftyp".utf8)[...] ? .heic : .other
    }
}
