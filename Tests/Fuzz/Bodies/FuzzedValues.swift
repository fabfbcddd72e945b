import FoundationEssentials

@testable import Archiving

/// Types that the body of values has registered, and what it is for two values to be the same.
enum FuzzedValues {
    enum Colour: String, Archivable { case text, null = "$null", name = "名前" }

    struct Cents: Archivable, Hashable {
        let number: Int8
        func archive(into encoder: inout ArchiveEncoder) throws(ArchiveError) {
            try number.archive(into: &encoder)
        }
        static func unarchive(from decoder: inout ArchiveDecoder) throws(ArchiveError) -> Cents {
            Cents(number: try .unarchive(from: &decoder))
        }
    }

    /// A struct whose properties may all be missing.
    struct Node: ArchivableStruct {
        static let archiveTypeName = "Node"
        var name: String?
        var number: Int8??
        var children: [Node]
        var list: ArchivedList
        var map: ArchivedMap
        var colour: Colour
        var cents: Set<Cents>
        var date: Date?
        var data: Data
        var ratio: Float
        var wide: UInt64
        var pairs: [Int: String?]

        init(_ properties: inout ArchiveDecoder) throws(ArchiveError) {
            name = try properties["name", default: nil]
            number = try properties["number", default: nil]
            children = try properties["children", default: []]
            list = try properties["list", default: []]
            map = try properties["map", default: [:]]
            colour = try properties["colour", default: .text]
            cents = try properties["cents", default: []]
            date = try properties["date", default: nil]
            data = try properties["data", default: Data()]
            ratio = try properties["ratio", default: 0]
            wide = try properties["wide", default: 0]
            pairs = try properties["pairs", default: [:]]
        }
    }

    static let registry: ArchiveRegistry = {
        var registry = ArchiveRegistry()
        registry.register(Colour.self, formerly: "Color")
        registry.register(Cents.self)
        registry.register(Node.self) { properties in try Node(&properties) }
        return registry
    }()

    /// Whether two plain values are the same; a number that is none is as good as another.
    static func isSame(_ one: ArchiveValue, _ other: ArchiveValue) -> Bool {
        switch (one, other) {
        case (.real(let one), .real(let other)):
            return one.bitPattern == other.bitPattern || one.isNaN && other.isNaN
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
        case (.dictionary(let one), .dictionary(let other)):
            return one.count == other.count
                && one.allSatisfy { key, value in other[key].map { isSame(value, $0) } ?? false }
        default: return one == other
        }
    }

    /// Whether two values are of one type and the same.
    static func isSame(_ one: any Archivable, _ other: any Archivable) -> Bool {
        guard type(of: one) == type(of: other) else { return false }
        if let one = one as? ArchivedList, let other = other as? ArchivedList {
            return one.elements.count == other.elements.count
                && zip(one.elements, other.elements).allSatisfy { isSame($0, $1) }
        }
        if let one = one as? ArchivedMap, let other = other as? ArchivedMap {
            return one.elements.count == other.elements.count
                && one.elements.allSatisfy { name, value in
                    other[name].map { isSame(value, $0) } ?? false
                }
        }
        if let one = one as? any Equatable, isEqual(one, other) { return true }
        return text(one) == text(other)
    }

    private static func isEqual<T: Equatable>(_ one: T, _ other: any Archivable) -> Bool {
        one == other as? T
    }

    /// A value as a text, in which numbers that are none are one, and what has no order has one.
    private static func text(_ value: Any) -> String {
        if let date = value as? Date { return "\(date.timeIntervalSinceReferenceDate)" }
        if let data = value as? Data { return "\(Array(data))" }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .none, .enum: return "\(value)"
        case .set, .dictionary:
            return "\(type(of: value))\(mirror.children.map { text($0.value) }.sorted())"
        default: return "\(type(of: value))\(mirror.children.map { text($0.value) })"
        }
    }
}
