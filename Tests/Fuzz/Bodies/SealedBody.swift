package import SecretMemory

@testable import Sealing

/// Sealed files: docs/FORMAT.md, "Sealed file".
///
/// No random file gets past the code, so most inputs are choices: how a good file is changed, or how
/// whoever has the key writes one that keeps the rules, or breaks them. The first byte says which; a
/// sealed file stands for itself.
package final class SealedBody: FuzzBody {
    package static let name = "sealed"
    package static let vectors = ["sealed"]
    package static let maximumSize = 2048

    package let arena: SecretArena
    private let key: SecretBytes
    private let keyID: MasterKeyID
    private let good: [[UInt8]]
    private let open:
        (Span<UInt8>, borrowing SecretBytes, MasterKeyID, inout SecretBuffer, SecretArena)
            throws(SealingError) -> Void

    package convenience init() throws {
        try self.init { file, key, id, buffer, arena throws(SealingError) in
            try SealedFile.open(file, under: key, keyID: id, into: &buffer, arena: arena)
        }
    }

    /// - Parameter open: what opens a file; another one in the tests of this body.
    init(
        open:
            @escaping (
                Span<UInt8>, borrowing SecretBytes, MasterKeyID, inout SecretBuffer, SecretArena
            ) throws(SealingError) -> Void
    ) throws {
        self.open = open
        arena = try SecretArena(capacity: 1 << 20, preferring: .lockedPages)
        var key = try arena.allocate(MasterKey.size)
        let secret = Vectors.accountKey
        key.withMutableBytes { $0.copy(from: secret.span) }
        self.key = key
        let name = Vectors.keyID
        guard let id = MasterKeyID(name.span) else {
            throw Violation(description: "the vectors' key has no id")
        }
        keyID = id
        // All of the vectors that open with this key and are no longer than an input.
        good = try [
            "empty_plaintext", "one_chunk", "account_with_non_ascii_names",
            "account_with_unknown_keys", "padding_of_one_byte", "padding_of_a_whole_block",
        ].map { try Vectors.file("sealed/\($0).sealed") }
    }

    package func run(_ input: Span<UInt8>) throws {
        var choices = FuzzInput(input.array)
        switch choices.byte() {
        case UInt8(ascii: "E"): try edited(&choices)
        case UInt8(ascii: "F"): try forged(&choices)
        case UInt8(ascii: "S"): try sealed(&choices)
        default:
            let opened = try opened(input)
            // The vectors that open, and nothing that nobody sealed.
            let isGood = good.contains(input.array)
            try require(!isGood || opened != nil, "a good file does not open")
            try require(isGood || opened == nil, "a file that nobody sealed")
        }
    }

    /// A good file that was changed opens only when it is the same.
    private func edited(_ choices: inout FuzzInput) throws {
        let original = good[Int(choices.byte()) % good.count]
        let file = choices.edit(original)
        let opened = try opened(file.span)
        try require(
            (opened != nil) == (file == original), "a changed file opens, or a good one not")
    }

    /// What was sealed opens as it was, and with one bit changed not at all.
    private func sealed(_ choices: inout FuzzInput) throws {
        let place = choices.integer(size: 2)
        let plaintext = choices.rest()
        var file = try SealedFile.seal(plaintext.span, under: key, keyID: keyID, arena: arena)
        try require(try opened(file.span) == plaintext, "what was sealed opens otherwise")
        file[place / 8 % file.count] ^= 1 << UInt8(place % 8)
        try require(try opened(file.span) == nil, "a changed file opens")
    }

    /// A file that somebody with the key has put together opens only when it keeps all the rules.
    private func forged(_ choices: inout FuzzInput) throws {
        let flaws = choices.byte()
        let salt = [UInt8](repeating: flaws, count: SealedFile.saltRange.count)
        let clear = SealedFile.clearHeader(keyID: keyID, salt: salt)
        let fileKey = try SealedFile.fileKey(under: key, salt: salt.span, arena: arena)
        var header: [UInt8] = []
        var stream = try SecretStream(sealingUnder: fileKey, header: &header, arena: arena)
        var file = clear + header
        var keepsRules = true
        let count = 1 + Int(flaws & 3)
        for number in 1...count {
            let isLast = number == count
            let look = choices.byte()
            // Whole chunks are large: one in sixteen, which is enough.
            let size =
                look & 0xF0 == 0 && !isLast
                ? SealedFile.chunkSize : choices.below(SealedFile.paddingBlock * 3 + 1)
            let isFinal = look & 1 == 0 ? isLast : look & 2 != 0
            var chunk = [UInt8](repeating: look, count: size)
            let padding = choices.below(SealedFile.paddingBlock + 8)
            for back in 0..<min(padding, size) {
                chunk[size - 1 - back] = back == padding - 1 ? 0x80 : 0
            }
            if isLast {
                keepsRules =
                    keepsRules && isFinal && size > 0 && size % SealedFile.paddingBlock == 0
                    && Self.isPadded(chunk)
            } else {
                keepsRules = keepsRules && !isFinal && size == SealedFile.chunkSize
            }
            var sealed = [UInt8](repeating: 0, count: size + SecretStream.overhead)
            let data = look & 8 == 0 ? clear : header
            var out = sealed.mutableSpan
            stream.seal(
                chunk.span, as: isFinal ? .final : .message,
                associatedData: data.span, into: &out, at: 0)
            keepsRules = keepsRules && look & 8 == 0
            file += sealed
        }
        try require((try opened(file.span) != nil) == keepsRules, "a forged file, or a good one")
    }

    // ISO/IEC 7816-4: a mark, then zeros, within the last block.
    private static func isPadded(_ chunk: [UInt8]) -> Bool {
        let block = chunk.suffix(SealedFile.paddingBlock)
        guard let mark = block.lastIndex(where: { $0 != 0 }) else { return false }
        return chunk[mark] == 0x80
    }

    /// The plaintext, or nil where it does not open; whoever opens it chunk by chunk says the same.
    private func opened(_ file: Span<UInt8>) throws -> [UInt8]? {
        let whole = try openedWhole(file)
        try require(try openedInParts(file) == whole, "the two readers of files do not agree")
        return whole
    }

    private func openedInParts(_ file: Span<UInt8>) throws -> [UInt8]? {
        let start = min(file.count, SealedFile.headerSize)
        do throws(SealingError) {
            var reader = try SealedFileReader(
                header: file.extracting(0..<start), under: key, keyID: keyID, arena: arena)
            var plaintext: [UInt8] = []
            var position = start
            guard position < file.count else { return nil }
            while position < file.count {
                let end = min(file.count, position + SealedFileReader.chunkSize)
                try reader.open(file.extracting(position..<end), isLast: end == file.count)
                reader.withBytes { plaintext += $0.array }
                position = end
            }
            return plaintext
        } catch {
            if case .memory = error { throw error }
            return nil
        }
    }

    /// The plaintext, or nil where it does not open; nothing is left of what does not.
    private func openedWhole(_ file: Span<UInt8>) throws -> [UInt8]? {
        let before: [UInt8] = [1, 2, 3]
        var buffer = try SecretBuffer(arena: arena, capacity: 4, limit: 300_000)
        try buffer.append(before.span)
        do throws(SealingError) {
            try open(file, key, keyID, &buffer, arena)
        } catch {
            if case .memory = error { throw error }
            try require(buffer.array() == before, "a file that does not open leaves something")
            if case .unknownKey(let id) = error {
                try require(id != keyID, "the file's own key is unknown")
            }
            return nil
        }
        let header = try SealedFile.header(of: file)
        try require(header.keyID == keyID, "a file of another key opens")
        let all = buffer.array()
        try require(Array(all.prefix(3)) == before, "what was there is another")
        return Array(all.dropFirst(3))
    }
}
