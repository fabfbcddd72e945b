import AccountImport
import Archiving
package import SecretMemory

@testable import ArchiveImport

/// The reader of StructArchiver's binaries.
///
/// An input that begins with `M` says how one is made, and how it is changed.
package final class StructArchiverBody: FuzzBody {
    package static let name = "structarchiver"
    package static let vectors = ["structarchiver"]

    package let arena: SecretArena
    private let reading: (Span<UInt8>) throws(ImportError) -> ArchiveValue

    package convenience init() throws {
        try self.init { file throws(ImportError) in try StructReader.read(file, ImportBudget()) }
    }

    /// - Parameter reading: the reader that is looked at.
    init(reading: @escaping (Span<UInt8>) throws(ImportError) -> ArchiveValue) throws {
        arena = try SecretArena(capacity: 1 << 16, preferring: .lockedPages)
        self.reading = reading
    }

    package func run(_ input: Span<UInt8>) throws {
        guard input.count > 0, input[0] == UInt8(ascii: "M") else { return try read(input) }
        var choices = FuzzInput(input.array)
        _ = choices.byte()
        let value = Self.value(&choices, depth: 0)
        let file = StructWriter.bytes(of: value)
        let found = try reading(file.span)
        try require(Self.isSame(found, value), "\(value) is read as \(found)")
        let changed = choices.edit(file)
        try read(changed.span)
    }

    private func read(_ file: Span<UInt8>) throws {
        let value: ArchiveValue
        do throws(ImportError) {
            value = try reading(file)
        } catch {
            try ResponseBody.requireOwnWords(error.reason)
            return
        }
        try require(StructReader.isPlausible(file), "it is read, and not plausible")
        let written = StructWriter.bytes(of: value)
        let again = try reading(written.span)
        try require(Self.isSame(again, value), "\(value) is written and read otherwise")
        try requireRefusal(file.extracting(0..<file.count - 1), "a byte less")
        try requireParts(of: file, value)
        let more = file.array + [0]
        try requireRefusal(more.span, "a byte more")
    }

    // Each part, cut out by the length that is written of it, is by itself what it is in the whole.
    private func requireParts(of file: Span<UInt8>, _ value: ArchiveValue) throws {
        switch value {
        case .array(let elements):
            let parts = try Self.parts(of: file, times: 1)
            try require(parts.count == elements.count, "another count than is written")
            for (part, element) in zip(parts, elements) { try requireSame(part, element) }
        case .dictionary(let members):
            let parts = try Self.parts(of: file, times: 2)
            let keys = parts.prefix(parts.count / 2)
            for (key, part) in zip(keys, parts.dropFirst(parts.count / 2)) {
                guard case .string(let name) = try reading(key.span), let member = members[name]
                else { throw Violation(description: "a key that is lost") }
                try requireSame(part, member)
            }
        default: return
        }
    }

    private func requireSame(_ part: [UInt8], _ value: ArchiveValue) throws {
        try require(Self.isSame(try reading(part.span), value), "a part is another by itself")
        try requireParts(of: part.span, value)
    }

    private static func parts(of file: Span<UInt8>, times: Int) throws -> [[UInt8]] {
        var place = 1 + Int(file[0])
        func length() -> Int {
            var value = 0
            for index in 0..<8 { value |= Int(file[place + 4 + index]) << (8 * index) }
            place += 12
            return value
        }
        let count = times * length()
        let lengths = (0..<count).map { _ in length() }
        var parts: [[UInt8]] = []
        for length in lengths {
            try require(length <= file.count - place, "a part past the end")
            parts.append(file.extracting(place..<place + length).array)
            place += length
        }
        try require(place == file.count, "lengths that are not all of it")
        return parts
    }

    private func requireRefusal(_ file: Span<UInt8>, _ what: String) throws {
        do throws(ImportError) { _ = try reading(file) } catch { return }
        throw Violation(description: "\(what), and it is read all the same")
    }

    // Bit for bit: numbers that are none are equal too, and the two zeros are not.
    private static func isSame(_ one: ArchiveValue, _ other: ArchiveValue) -> Bool {
        switch (one, other) {
        case (.real(let one), .real(let other)): one.bitPattern == other.bitPattern
        case (.array(let one), .array(let other)):
            one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
        case (.dictionary(let one), .dictionary(let other)):
            one.count == other.count
                && one.allSatisfy { name, value in
                    other[name].map { isSame(value, $0) } ?? false
                }
        default: one == other
        }
    }

    private static func value(_ choices: inout FuzzInput, depth: Int) -> ArchiveValue {
        switch choices.byte() % (depth < 6 ? 7 : 4) {
        case 0: return .integer(Int64(bitPattern: choices.word()))
        case 1: return .real(Double(bitPattern: choices.word()))
        case 2: return .string(name(&choices))
        case 3: return .integer(Int64(choices.byte()))
        case 4:
            return .array((0..<choices.below(5)).map { _ in value(&choices, depth: depth + 1) })
        case 5: return .dictionary(members(&choices, depth: depth))
        default:
            var fields = members(&choices, depth: depth)
            fields["$type"] = .string("T" + String(choices.byte() & 7))
            return .dictionary(fields)
        }
    }

    private static func members(
        _ choices: inout FuzzInput, depth: Int
    ) -> [String: ArchiveValue] {
        var members: [String: ArchiveValue] = [:]
        for _ in 0..<choices.below(5) {
            members[name(&choices)] = value(&choices, depth: depth + 1)
        }
        return members
    }

    private static func name(_ choices: inout FuzzInput) -> String {
        String(decoding: choices.take(Int(choices.byte() & 7)), as: UTF8.self)
    }
}

/// Writes values as StructArchiver does.
enum StructWriter {
    /// Of a value that it could have: no data, no dates, no booleans.
    static func bytes(of value: ArchiveValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    private static func append(_ value: ArchiveValue, to bytes: inout [UInt8]) {
        switch value {
        case .integer(let number): append(integer: number, to: &bytes)
        case .real(let number):
            append(type: "Double", to: &bytes)
            append(word: number.bitPattern, to: &bytes)
        case .string(let text):
            append(type: "String", to: &bytes)
            append(count: text.utf8.count, to: &bytes)
            bytes += text.utf8
        case .array(let elements):
            append(type: "Array<Archivable>", to: &bytes)
            append(count: elements.count, to: &bytes)
            append(parts: elements, to: &bytes)
        case .dictionary(var members):
            var name = "Dictionary<String, Archivable>"
            // The type of a struct; a dictionary may have the key too, but not with a name's value.
            if case .string(let given)? = members["$type"], isName(given) {
                members["$type"] = nil
                name = given
            }
            append(type: name, to: &bytes)
            append(count: members.count, to: &bytes)
            let (keys, values) = (members.keys.sorted(), members.sorted { $0.key < $1.key })
            append(parts: keys.map { .string($0) } + values.map(\.value), to: &bytes)
        default: preconditionFailure("StructArchiver has no such value")
        }
    }

    private static func isName(_ text: String) -> Bool {
        guard 1...255 ~= text.utf8.count, !text.hasPrefix("Array<"), !text.hasPrefix("Dictionary<"),
            !["Int", "UInt", "Float", "Double", "String"].contains(text)
        else { return false }
        let utf8 = Array(text.utf8)
        return StructReader.isName(utf8.span)
    }

    // The lengths, for which room is kept, are known behind the parts.
    private static func append(parts: [ArchiveValue], to bytes: inout [UInt8]) {
        var place = bytes.count
        for _ in parts { append(count: 0, to: &bytes) }
        for part in parts {
            let start = bytes.count
            append(part, to: &bytes)
            let length = UInt64(bytes.count - start)
            for index in 0..<8 {
                bytes[place + 4 + index] = UInt8(truncatingIfNeeded: length >> UInt64(8 * index))
            }
            place += 12
        }
    }

    private static func append(integer number: Int64, to bytes: inout [UInt8]) {
        append(type: "Int", to: &bytes)
        append(word: UInt64(bitPattern: number), to: &bytes)
    }

    private static func append(count: Int, to bytes: inout [UInt8]) {
        append(integer: Int64(count), to: &bytes)
    }

    private static func append(type name: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(name.utf8.count))
        bytes += name.utf8
    }

    private static func append(word: UInt64, to bytes: inout [UInt8]) {
        for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
    }
}
