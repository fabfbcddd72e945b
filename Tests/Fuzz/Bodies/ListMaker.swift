import SecretMemory

@testable import PropertyList

/// Makes property lists by a fuzzer's choices, of the words of archived values, with objects that are
/// shared.
struct ListMaker: ~Copyable {
    private static let words: [String] = [
        "$type", "$value", "keys", "values", "$null", "$$null", "$$$null", "$", "null", "$$type",
        "text",
        "e\u{301}", "\u{e9}", "名前", "Bool", "Int", "Int8", "UInt64", "Float", "Double", "String",
        "Date", "Data", "[Int]", "[Int8?]", "[String: Int]", "[Int: String]", "[[String: [Int8?]]]",
        "Set<Int>", "Set<Set<String>>", "Int?", "Int??", "String??", "ArchivedList", "ArchivedMap",
        "[ArchivedMap]", "Node", "[Node]", "Node?", "[String: Node??]", "Colour", "[Colour: Node]",
        "Cents", "Set<Cents>", "[Later]", "Int?????", "[", "Set<ArchivedList>", "name", "number",
        "children", "list", "map", "colour", "cents", "date", "data", "ratio", "wide", "pairs",
    ]
    private static let integers: [Int64] = [0, 1, -1, 127, 128, -129, 255, 256, .max, .min]
    private static let reals = [0, -0.0, 0.5, 0.1, .infinity, .nan, Double.leastNonzeroMagnitude]
    private static let maximumObjects = 400

    private var writer: PropertyListWriter
    private var made: [PropertyListWriter.Reference] = []

    private init(in arena: SecretArena) throws {
        writer = try PropertyListWriter(
            into: try SecretBuffer(arena: arena, capacity: 1024, limit: 1 << 18),
            limits: PropertyListLimits(maximumDepth: 64))
    }

    /// Nil where the choices make none, by a key that is there twice.
    static func list(_ choices: inout FuzzInput, in arena: SecretArena) throws -> [UInt8]? {
        var maker = try ListMaker(in: arena)
        let root = try maker.value(&choices, depth: 0)
        do throws(PropertyListError) { return try maker.finish(root) } catch { return nil }
    }

    private consuming func finish(
        _ root: PropertyListWriter.Reference
    ) throws(PropertyListError) -> [UInt8] {
        try writer.finish(root: root).array()
    }

    private mutating func value(
        _ choices: inout FuzzInput, depth: Int
    ) throws -> PropertyListWriter.Reference {
        let choice = choices.byte()
        if choice >= 0xF0, !made.isEmpty { return made[choices.below(made.count)] }
        let isLeaf = depth > 20 || made.count > Self.maximumObjects
        let reference: PropertyListWriter.Reference
        switch choice % (isLeaf ? 7 : 16) {
        case 0: reference = try writer.add(boolean: choices.byte() & 1 == 0)
        case 1: reference = try writer.add(integer: integer(&choices))
        case 2: reference = try writer.add(real: Self.reals[choices.below(Self.reals.count)])
        case 3: reference = try writer.add(string: word(&choices))
        case 4: reference = try writer.add(dateSince2001: Double(choices.integer(size: 3)) / 8)
        case 5: reference = try writer.add(data: choices.take(choices.below(4)).span)
        case 6: reference = try odd(&choices)
        case 7, 8: reference = try writer.add(array: try elements(&choices, depth: depth))
        case 9...13: reference = try named(&choices, depth: depth)
        default: reference = try dictionary(&choices, depth: depth)
        }
        made.append(reference)
        return reference
    }

    private func integer(_ choices: inout FuzzInput) -> Int64 {
        Self.integers[choices.below(Self.integers.count)]
    }

    private func word(_ choices: inout FuzzInput) -> String {
        Self.words[Int(choices.byte()) % Self.words.count]
    }

    /// Kinds and sizes that our writers have no use for.
    private mutating func odd(
        _ choices: inout FuzzInput
    ) throws -> PropertyListWriter.Reference {
        switch choices.byte() % 5 {
        case 0: return try writer.add(uid: 1)
        case 1: return try writer.add(unsigned: .max)
        case 2: return try writer.add(real: Float(0.5))
        case 3: return try writer.add(container: .set, [])
        default:
            return try writer.add { buffer throws(SecretMemoryError) in
                try buffer.append(0x00)
            }
        }
    }

    private mutating func elements(
        _ choices: inout FuzzInput, depth: Int
    ) throws -> [PropertyListWriter.Reference] {
        var elements: [PropertyListWriter.Reference] = []
        for _ in 0..<choices.below(5) { elements.append(try value(&choices, depth: depth + 1)) }
        return elements
    }

    private mutating func named(
        _ choices: inout FuzzInput, depth: Int
    ) throws -> PropertyListWriter.Reference {
        let type = (try writer.add(string: "$type"), try writer.add(string: word(&choices)))
        guard choices.byte() & 1 == 0 else {
            return try writer.add(
                dictionary: [type] + (try members(&choices, depth: depth)))
        }
        let value = (try writer.add(string: "$value"), try value(&choices, depth: depth + 1))
        return try writer.add(dictionary: [type, value])
    }

    private mutating func dictionary(
        _ choices: inout FuzzInput, depth: Int
    ) throws -> PropertyListWriter.Reference {
        try writer.add(dictionary: try members(&choices, depth: depth))
    }

    // Each word once, so that hardly any list is refused for a key that is there twice.
    private mutating func members(
        _ choices: inout FuzzInput, depth: Int
    ) throws -> [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)] {
        var members: [(key: PropertyListWriter.Reference, value: PropertyListWriter.Reference)] = []
        var used: Set<Int> = []
        for _ in 0..<choices.below(12) {
            let word = Int(choices.byte()) % Self.words.count
            guard used.insert(word).inserted else { continue }
            let key = try writer.add(string: Self.words[word])
            members.append((key, try value(&choices, depth: depth + 1)))
        }
        return members
    }
}
