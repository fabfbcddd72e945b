import AccountImport
import Archiving
import FoundationEssentials
import PropertyList

// The drafts of a Weibo app: by the names of instance variables, with an underscore, or of
// properties.
extension ObjectReader {
    private enum Field {
        static let title: [StaticString] = ["_articleTitle", "articleTitle"]
        static let time: [StaticString] = ["_time", "time"]
        static let pictures: [StaticString] = ["_pictureArrays", "pictureArrays"]
        static let assets: [StaticString] = ["_assetArrays", "assetArrays"]
        static let isOriginal: [StaticString] = [
            "_OriginalPhoto", "OriginalPhoto", "_originalPhoto", "originalPhoto",
        ]
        static let text: [StaticString] = [
            "_articleContent", "articleContent", "_articleText", "articleText", "_text", "text",
        ]
        static let all = [title, time, pictures, assets, isOriginal, text].flatMap { $0 }
    }

    /// Whether there are drafts, and nothing else.
    func areDrafts(_ objects: [Object], in bytes: Span<UInt8>) throws(ImportError) -> Bool {
        for object in objects {
            guard try isDraft(object, in: bytes) else { return false }
        }
        return !objects.isEmpty
    }

    // A title and something else of a draft; one without a title has pictures and how to post them.
    // Some apps leave out what is nil.
    private func isDraft(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Bool {
        let kind = try kind(object, in: bytes)
        guard kind == .object || kind == .dictionary else { return false }
        let hasPictures = try member(Field.pictures, of: object, in: bytes) != nil
        let hasRest = try member(Field.assets + Field.isOriginal, of: object, in: bytes) != nil
        guard try member(Field.title, of: object, in: bytes) != nil else {
            return hasPictures && hasRest
        }
        if hasPictures || hasRest { return true }
        return try member(Field.time, of: object, in: bytes) != nil
    }

    /// Makes drafts, in the order of the file: the newest is the first.
    func drafts(
        _ objects: [Object], in bytes: Span<UInt8>
    ) throws(ImportError) -> ImportedArchive {
        var drafts: [Draft] = []
        var warnings: [String] = []
        var unknown: Set<String> = []
        for object in objects {
            var remarks: [String] = []
            drafts.append(try draft(object, &remarks, in: bytes))
            warnings += remarks.map { "draft \(drafts.count): \($0)" }
            unknown.formUnion(try unknownFields(of: object, in: bytes))
        }
        for name in unknown.sorted() {
            warnings.append("the field \(name) is none that a draft has here, and was left out")
        }
        return .drafts(drafts, warnings: warnings)
    }

    private func draft(
        _ object: Object, _ remarks: inout [String], in bytes: Span<UInt8>
    ) throws(ImportError) -> Draft {
        var draft = Draft(
            title: try text(Field.title, "title", of: object, &remarks, in: bytes) ?? "",
            text: try text(Field.text, "text", of: object, &remarks, in: bytes),
            time: try text(Field.time, "time", of: object, &remarks, in: bytes) ?? "",
            isOriginalPhoto: try isOriginalPhoto(object, &remarks, in: bytes))
        try addAssets(of: object, to: &draft, &remarks, in: bytes)
        try addPictures(of: object, to: &draft, &remarks, in: bytes)
        return draft
    }

    private func unknownFields(
        of object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> [String] {
        var names: [String] = []
        for member in try members(of: object, in: bytes) {
            let isKnown = try ask { () throws(ObjectGraphError) -> Bool in
                for name in Field.all where try graph.string(member.key, equals: name, in: bytes) {
                    return true
                }
                return try graph.kind(of: member.value, in: bytes) == .null
            }
            if !isKnown { names.append(try key(member.key, in: bytes)) }
        }
        return names
    }

    // Numbers and dates stand where a text is meant when an app has not kept one.
    private func text(
        _ names: [StaticString], _ what: String, of object: Object, _ remarks: inout [String],
        in bytes: Span<UInt8>
    ) throws(ImportError) -> String? {
        guard let member = try member(names, of: object, in: bytes) else { return nil }
        switch try kind(member, in: bytes) {
        case .null: return nil
        case .string: return try text(member, in: bytes)
        case .object:
            guard let plain = try plainText(of: member, in: bytes) else { break }
            return try text(plain, in: bytes)
        case .integer: return try key(member, in: bytes)
        case .date:
            guard let time = try date(member, in: bytes).rfc3339 else { break }
            remarks.append("its \(what) is a point in time, and is written down as one")
            return time
        default: break
        }
        remarks.append("its \(what) is no text, and was left out")
        return nil
    }

    // The text of an NSAttributedString.
    private func plainText(
        of object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> Object? {
        try ask { () throws(ObjectGraphError) -> Object? in
            guard try graph.object(object, isOf: "NSAttributedString", in: bytes),
                let text = try graph.member("NSString", of: object, in: bytes),
                try graph.kind(of: text, in: bytes) == .string
            else { return nil }
            return text
        }
    }

    private func isOriginalPhoto(
        _ object: Object, _ remarks: inout [String], in bytes: Span<UInt8>
    ) throws(ImportError) -> Bool {
        guard let member = try member(Field.isOriginal, of: object, in: bytes) else { return false }
        if let flag = graph.boolean(member, in: bytes) { return flag }
        if let number = graph.integer(member, in: bytes) { return number != 0 }
        if try kind(member, in: bytes) != .null {
            remarks.append("whether its pictures are originals is neither true nor false")
        }
        return false
    }

    private func addAssets(
        of object: Object, to draft: inout Draft, _ remarks: inout [String],
        in bytes: Span<UInt8>
    ) throws(ImportError) {
        let assets = try list(Field.assets, of: object, in: bytes)
        for (number, asset) in assets.enumerated() {
            if let place = try place(asset, in: bytes) {
                draft.pictureAssets.append(place)
            } else {
                remarks.append("its asset \(number + 1) is no address, and was left out")
            }
        }
    }

    private func addPictures(
        of object: Object, to draft: inout Draft, _ remarks: inout [String],
        in bytes: Span<UInt8>
    ) throws(ImportError) {
        let pictures = try list(Field.pictures, of: object, in: bytes)
        for (number, picture) in pictures.enumerated() {
            if let data = try data(picture, in: bytes) {
                draft.pictures.append(data)
            } else if let place = try place(picture, in: bytes) {
                draft.pictureAssets.append(place)
                remarks.append(
                    "its picture \(number + 1) is a path, not an image, and is kept as an asset")
            } else {
                remarks.append("its picture \(number + 1) holds no image, and was left out")
            }
        }
    }

    // The elements of a list; what is no list stands for itself, and nothing for none.
    private func list(
        _ names: [StaticString], of object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> [Object] {
        guard let member = try member(names, of: object, in: bytes) else { return [] }
        let kind = try kind(member, in: bytes)
        guard kind == .array || kind == .set else { return kind == .null ? [] : [member] }
        var objects: [Object] = []
        for element in try elements(of: member, in: bytes)
        where try self.kind(element, in: bytes) != .null {
            objects.append(element)
        }
        return objects
    }

    private func data(_ picture: Object, in bytes: Span<UInt8>) throws(ImportError) -> Data? {
        if let data = try pictureData(picture, in: bytes) { return data }
        guard try kind(picture, in: bytes) == .data else { return nil }
        let range = try dataRange(picture, in: bytes)
        return range.isEmpty ? nil : Self.data(range, of: bytes)
    }

    private func place(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> String? {
        if let address = try address(object, in: bytes) { return address }
        guard try kind(object, in: bytes) == .string else { return nil }
        let text = try text(object, in: bytes)
        return text.isEmpty ? nil : text
    }
}
