package import SecretMemory

@testable import AccountCommands
@testable import JSON
@testable import LinuxSystem

/// What is written of a text from elsewhere: for terminals, as JSON, for the journal.
///
/// The first bytes are split off as names; all that is written is read again.
package final class OutputBody: FuzzBody {
    package static let name = "output"
    package static let maximumSize = 512

    package let arena: SecretArena
    private var index = JSONIndex(limits: JSONLimits(allowsEscapedNUL: true))

    package init() throws { arena = try SecretArena(capacity: 65_536, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        let text = String(decoding: input.array, as: UTF8.self)
        try visitTerminal(text)
        try requireJSON(Array(JSONText.quoted(text).utf8), text)
        var secret = try SecretBuffer(arena: arena, capacity: 64, limit: 6 * input.count * 3 + 64)
        try secret.appendJSONString(text)
        try requireJSON(secret.array(), text)
        try visitJournal(text)
        try visitPaste(input)
        var choices = FuzzInput(input.array)
        try visitNumber(Int64(bitPattern: choices.word()))
    }

    private func visitTerminal(_ text: String) throws {
        let escaped = ControlCharacters.escaped(text)
        for scalar in escaped.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x200E, 0x200F, 0x061C, 0x202A...0x202E,
                0x2066...0x2069:
                throw Violation(description: "U+\(String(scalar.value, radix: 16)) is printed")
            default: break
            }
        }
        try require(ControlCharacters.escaped(escaped) == escaped, "what is harmless is escaped")
    }

    private func requireJSON(_ bytes: [UInt8], _ text: String) throws {
        do throws(JSONError) {
            try index.scan(bytes.span)
        } catch { throw Violation(description: "a string is written as no JSON: \(error)") }
        try require(
            index.string(index.root, equals: text.utf8.span, in: bytes.span),
            "a string is written as another")
        try require(bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character")
    }

    private func visitNumber(_ number: Int64) throws {
        var out = try SecretBuffer(arena: arena, capacity: 32)
        try out.appendJSON(number)
        let bytes = out.array()
        try require(String(decoding: bytes, as: UTF8.self) == "\(number)", "\(number) is another")
    }

    /// The record's fields are those that were put in: no value can bring a field of its own.
    private func visitJournal(_ text: String) throws {
        var record = JournalRecord()
        record.append("MESSAGE", text)
        record.append("PRIORITY", 6)
        record.append("ACCOUNTD_EXECUTABLE", text)
        let fields = try Self.fields(record.bytes)
        try require(
            fields.map(\.name) == ["MESSAGE", "PRIORITY", "ACCOUNTD_EXECUTABLE"],
            "a record of other fields: \(fields.map(\.name))")
        try require(
            fields[0].value == Array(text.utf8) && fields[2].value == Array(text.utf8),
            "a record's value is another")
    }

    // systemd's "Native Journal Protocol"
    private static func fields(_ bytes: [UInt8]) throws -> [(name: String, value: [UInt8])] {
        var fields: [(name: String, value: [UInt8])] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let mark = rest.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\n") }
            guard let mark else { throw Violation(description: "a field without its value") }
            let name = String(decoding: rest[..<mark], as: UTF8.self)
            var start = mark + 1
            let end: Int
            if bytes[mark] == UInt8(ascii: "=") {
                end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            } else {
                let count = rest[start...].prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                start += 8
                end = start + count
            }
            try require(
                end < rest.endIndex && rest[end] == UInt8(ascii: "\n"), "a field without its end")
            fields.append((name, Array(rest[start..<end])))
            rest = rest[(end + 1)...]
        }
        return fields
    }

    /// A paste is read until its brackets are closed: not less, or the end would be lost, and not
    /// more, or a person would wait.
    private func visitPaste(_ text: Span<UInt8>) throws {
        let longest = PastedJSON.longestLine(text)
        let lines = text.array.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        try require(longest == lines.map(\.count).max() ?? 0, "a line is measured wrongly")
        guard JSONBody.scan(text, &index) == nil, index.kind(of: index.root) == .object else {
            return
        }
        try require(PastedJSON.isWhole(text), "an object is never whole")
        let range = index.range(of: index.root)
        for end in range where text[end] == UInt8(ascii: "\n") {
            try require(!PastedJSON.isWhole(text.extracting(0..<end)), "the end of it is not read")
        }
    }
}
