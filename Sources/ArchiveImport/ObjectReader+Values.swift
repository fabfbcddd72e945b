import AccountImport
import Archiving
import FoundationEssentials
import PropertyList

// Values of objects that `prove` has gone through.
extension ObjectReader {
    /// The value of an object.
    func value(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> ArchiveValue {
        switch try kind(object, in: bytes) {
        case .null: return .null
        case .boolean: return .boolean(graph.boolean(object, in: bytes) == true)
        case .integer: return .integer(try integer(object, in: bytes))
        case .real: return .real(graph.real(object, in: bytes) ?? .nan)
        case .date: return .date(try date(object, in: bytes))
        case .string: return .string(try text(object, in: bytes))
        case .data:
            let range = try dataRange(object, in: bytes)
            if let value = try archivedValue(range, in: bytes) { return value }
            return .data(Self.data(range, of: bytes))
        case .uid: throw .malformedArchive
        case .array, .set:
            var values: [ArchiveValue] = []
            for element in try elements(of: object, in: bytes) {
                values.append(try value(element, in: bytes))
            }
            return .array(values)
        case .dictionary: return .dictionary(try dictionary(object, in: bytes))
        case .object: return try model(object, in: bytes)
        }
    }

    // Addresses and pictures are what they hold; any other object has its class with it.
    private func model(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> ArchiveValue {
        if let address = try address(object, in: bytes) { return .string(address) }
        if let picture = try pictureData(object, in: bytes) { return .data(picture) }
        var fields = try dictionary(object, in: bytes)
        if let name = try className(of: object, in: bytes) {
            fields[Self.classKey] = .string(name)
        }
        return .dictionary(fields)
    }

    private func dictionary(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ImportError) -> [String: ArchiveValue] {
        var values: [String: ArchiveValue] = [:]
        for member in try members(of: object, in: bytes) {
            let key = try key(member.key, in: bytes)
            // Two texts may be one to Swift and two to Foundation.
            guard values[key] == nil else { throw .duplicateKey }
            values[key] = try value(member.value, in: bytes)
        }
        return values
    }

    /// The text of a key; a whole number is its digits.
    func key(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> String {
        switch try kind(object, in: bytes) {
        case .string: return try text(object, in: bytes)
        case .integer: return String(try integer(object, in: bytes))
        default: throw .badKey
        }
    }

    private func integer(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Int64 {
        guard let number = graph.integer(object, in: bytes) else { throw .integerOutOfRange }
        return number
    }

    /// A date.
    func date(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Date {
        let seconds = try ask { () throws(ObjectGraphError) in
            try graph.date(object, in: bytes)
        }
        guard let seconds else { throw .badDate }
        return Date(timeIntervalSince1970: seconds)
    }

    /// What an NSURL holds; nil for anything else, and for one that counts from another.
    func address(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> String? {
        let relative = try ask { () throws(ObjectGraphError) -> Object? in
            guard try graph.object(object, isOf: "NSURL", in: bytes),
                let relative = try graph.member("NS.relative", of: object, in: bytes),
                try graph.kind(of: relative, in: bytes) == .string
            else { return nil }
            guard let base = try graph.member("NS.base", of: object, in: bytes) else {
                return relative
            }
            return try graph.kind(of: base, in: bytes) == .null ? relative : nil
        }
        guard let relative else { return nil }
        return try text(relative, in: bytes)
    }
}

// Pictures.
extension ObjectReader {
    // Of UIImage itself, and of the categories by which apps have made it archivable.
    private static let pictureNames: [StaticString] = [
        "UIImageData", "UIPNGImageData", "UIJPEGImageData", "UIImage.data", "UIImage",
    ]

    /// The file of an image: PNG or JPEG as a rule; nil for anything else, and for an image that has
    /// none with it.
    func pictureData(_ object: Object, in bytes: Span<UInt8>) throws(ImportError) -> Data? {
        let range = try ask { () throws(ObjectGraphError) in try picture(object, in: bytes) }
        return range.map { Self.data($0, of: bytes) }
    }

    /// Where it is.
    func picture(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Range<Int>? {
        guard try isImage(object, in: bytes) else { return nil }
        for name in Self.pictureNames {
            guard let member = try graph.member(name, of: object, in: bytes),
                let range = try graph.dataRange(member, in: bytes), !range.isEmpty
            else { continue }
            return range
        }
        var found: Range<Int>?
        try graph.forEachMember(of: object, in: bytes) { _, member throws(ObjectGraphError) in
            guard found == nil, let range = try graph.dataRange(member, in: bytes), !range.isEmpty
            else { return }
            found = range
        }
        return found
    }

    /// Whether it is an image, with its data or without.
    func isImage(_ object: Object, in bytes: Span<UInt8>) throws(ObjectGraphError) -> Bool {
        guard try graph.kind(of: object, in: bytes) == .object else { return false }
        if try graph.object(object, isOf: "UIImage", in: bytes) { return true }
        return try graph.object(object, isOf: "NSImage", in: bytes)
    }
}
