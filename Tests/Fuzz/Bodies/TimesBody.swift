package import SecretMemory

@testable import AccountCommands
@testable import Accounts

/// Durations and points in time, as people write them: account(1).
package final class TimesBody: FuzzBody {
    package static let name = "times"
    package static let maximumSize = 64

    package let arena: SecretArena
    private let format: (Int64) -> String

    package convenience init() throws { try self.init(format: CivilTime.rfc3339) }

    /// - Parameter format: what writes a time; another one in the tests of this body.
    init(format: @escaping (Int64) -> String) throws {
        self.format = format
        arena = try SecretArena(capacity: 4096, preferring: .lockedPages)
    }

    package func run(_ input: Span<UInt8>) throws {
        let bytes = input.array
        let text = String(decoding: bytes, as: UTF8.self)
        if let seconds = DurationText.parse(text) {
            try require(seconds >= 0, "a duration below zero")
            try require(DurationText.parse("\(seconds)") == seconds, "seconds are read otherwise")
            try require(DurationText.parse("\(seconds)s") == seconds, "seconds are read otherwise")
            try require(
                DurationText.parse(Self.spelled(seconds)) == seconds, "units are read otherwise")
        }
        if let time = CivilTime.parse(text) { try visit(time: time) }
        if let time = try? LoginOptions.time(text, "--issued-at") {
            try require(AccountField.check(issuedAt: time) == nil, "a time out of its range")
        }
        // And the same bytes as a number, which anything may give.
        var input = FuzzInput(bytes)
        let number = Int64(bitPattern: input.word())
        try visit(number: number)
        try visit(number: number % 253_402_300_800)
    }

    private func visit(time: Int64) throws {
        try require((0...CivilTime.lastSecond).contains(time), "a time out of its range")
        let written = format(time)
        try require(CivilTime.parse(written) == time, "\(written) is read otherwise")
        try require(written.utf8.count == 20, "\(written) is not as long as all")
    }

    private func visit(number: Int64) throws {
        let written = format(number)
        let clamped = min(max(number, 0), CivilTime.lastSecond)
        try require(CivilTime.parse(written) == clamped, "\(number) is written as \(written)")
        let said = DurationText.format(number)
        try require(said.utf8.count < 40 && !said.isEmpty, "\(number) takes many words")
        try require((said.utf8.first == UInt8(ascii: "-")) == (number < 0), "a sign is lost")
        let relative = RelativeTime.text(number)
        try require(relative.hasPrefix("in ") == (number > 0), "the future is the past")
        try require(
            relative.hasSuffix(" ago") == (number <= 0) && !relative.contains("-"),
            "the past is the future")
    }

    // Every unit, the largest first.
    private static func spelled(_ seconds: Int64) -> String {
        "\(seconds / 86_400)d\(seconds / 3600 % 24)h\(seconds / 60 % 60)m\(seconds % 60)s"
    }
}
