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
        try require(Self.text(found) == Self.text(value), "\(value) is read as \(found)")
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
        try require(Self.text(again) == Self.text(value), "\(value) is written and read otherwise")
        try requireRefusal(file.extracting(0..<file.count - 1), "a byte less")
        let more = file.array + [0]
        try requireRefusal(more.span, "a byte more")
    }

    private func requireRefusal(_ file: Span<UInt8>, _ what: String) throws {
        do throws(ImportError) { _ = try reading(file) } catch { return }
        throw Violation(description: "\(what), and it is read all the same")
    }

    // Numbers that are none are equal too.
    private static func text(_ value: ArchiveValue) -> String {
        ImportedArchive.value(value).report(isJSON: true)
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
        switch value {
        case .integer(let number): return integer(number)
        case .real(let number): return type("Double") + word(number.bitPattern)
        case .string(let text):
            return type("String") + integer(Int64(text.utf8.count)) + Array(text.utf8)
        case .array(let elements):
            return type("Array<Archivable>") + integer(Int64(elements.count))
                + parts(elements.map { bytes(of: $0) })
        case .dictionary(var members):
            var name = "Dictionary<String, Archivable>"
            // The type of a struct; a dictionary may have the key too, but not with a name's value.
            if case .string(let given)? = members["$type"], isName(given) {
                members["$type"] = nil
                name = given
            }
            let sorted = members.sorted { $0.key < $1.key }
            return type(name) + integer(Int64(sorted.count))
                + parts(
                    sorted.map { bytes(of: .string($0.key)) } + sorted.map { bytes(of: $0.value) })
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

    private static func parts(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { integer(Int64($0.count)) } + parts.flatMap { $0 }
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        type("Int") + word(UInt64(bitPattern: number))
    }

    private static func type(_ name: String) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8)
    }

    private static func word(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }
}
