package import SecretMemory

@testable import AccountCommands
@testable import LinuxSystem

/// What a pinentry says, line by line, and what may be a passphrase: Assuan, "Server responses".
///
/// All lines of an input are those of one answer.
package final class PinentryBody: FuzzBody {
    package static let name = "pinentry"
    package static let maximumSize = 4096
    private static let limit = 256

    package let arena: SecretArena

    package init() throws { arena = try SecretArena(capacity: 16_384, preferring: .lockedPages) }

    package func run(_ input: Span<UInt8>) throws {
        var answer = try SecretBuffer(arena: arena, capacity: 16, limit: Self.limit)
        var model: [UInt8]? = []
        for line in input.array.split(separator: 0x0A, omittingEmptySubsequences: false) {
            try visit(Array(line).span, &answer, &model)
            if model == nil { break }
        }
        if let model {
            try require(answer.array() == model, "what was typed is read otherwise")
        }
        try visitEscapes(input)
        try visitPassphrase(input)
    }

    private func visit(
        _ line: Span<UInt8>, _ answer: inout SecretBuffer, _ model: inout [UInt8]?
    ) throws {
        guard let kind = PinentryLine.kind(line) else { return }
        switch kind {
        case .data(let start):
            try require(line.array.starts(with: "D ".utf8), "data that is none")
            let data = line.extracting(start..<line.count)
            let expected = Self.unescaped(data.array).map { (model ?? []) + $0 }
            if let fault = Self.fault(of: data, &answer) {
                let isTooLong = (expected?.count ?? 0) > Self.limit
                try require(fault != .noMemory, "no memory")
                try require(expected == nil || isTooLong, "data that is whole was refused")
                model = nil
            } else {
                try require(expected != nil, "an escape that is none was taken")
                model = expected
            }
        case .error(let code, let reason):
            try require(line.array.starts(with: "ERR ".utf8), "an error that is none")
            try require(code <= 0xFFFF, "a code with its source")
            try require(reason.utf8.count <= 160, "a reason without end")
            let isPlain = reason.utf8.allSatisfy { 0x20 <= $0 && $0 < 0x7F }
            try require(isPlain, "a reason that a terminal could obey")
        case .ok, .repeated, .inquiry, .other: break
        }
    }

    private static func fault(
        of data: Span<UInt8>, _ answer: inout SecretBuffer
    ) -> PinentryFault? {
        do throws(PinentryFault) {
            try PinentryLine.append(data, to: &answer)
            return nil
        } catch { return error }
    }

    // The same, read another way: from the end of each part that a percent sign begins.
    private static func unescaped(_ data: [UInt8]) -> [UInt8]? {
        let parts = data.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        var result = Array(parts[0])
        for part in parts.dropFirst() {
            let digits = part.prefix(2)
            let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            guard digits.count == 2, isHexadecimal,
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            result += [byte] + part.dropFirst(2)
        }
        return result
    }

    /// What is sent is one line, and means what was to be said, if it is not cut.
    private func visitEscapes(_ input: Span<UInt8>) throws {
        let text = String(decoding: input.array, as: UTF8.self)
        let line = Array(PinentryDialog.line("SETDESC", text).utf8)
        try require(line.count <= 990, "a line that is too long")
        try require(line.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a line of two")
        guard let meant = Self.unescaped(Array(line.dropFirst(8))) else {
            throw Violation(description: "an escape that is none was sent")
        }
        let whole = Array(text.utf8)
        try require(whole.starts(with: meant), "another text is sent")
        try require(meant.count == whole.count || line.count > 980, "a text is cut early")
    }

    private func visitPassphrase(_ input: Span<UInt8>) throws {
        let count = Passphrase.countWithoutLineEnd(input)
        let bytes = input.extracting(0..<count)
        let end = input.array[count...]
        try require(["", "\n", "\r\n"].contains { end.elementsEqual($0.utf8) }, "more than an end")
        let isOne = bytes.isUTF8 && bytes.count <= 1024 && !bytes.array.contains(0)
        try require((Passphrase.fault(of: bytes) == nil) == isOne, "another passphrase is taken")
    }
}
