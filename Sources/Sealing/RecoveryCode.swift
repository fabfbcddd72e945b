package import SecretMemory

/// Why a text is no recovery code; it says nothing of the code but where to look.
package enum RecoveryCodeError: Error, Equatable, Sendable {
    /// A code has 36 letters and digits; this is how many the text has.
    case wrongLength(Int)
    /// The letter or digit of that place, counted from 1, is none that a code has.
    case badCharacter(position: Int)
    /// The last four do not fit the others: something was mistyped.
    case wrongChecksum
    /// There was no secret memory to work in.
    case memory(SecretMemoryError)
}

/// The code that opens a recovery slot, for a person to write down and to type.
///
/// 20 random bytes as 32 characters of Crockford's base32, then 4 that check them: the first 20
/// bits of BLAKE2b-256 of the bytes. Nine groups of four. Case, spaces and hyphens do not matter;
/// I and L are read as 1, O as 0 (docs/FORMAT.md, "Recovery code").
package enum RecoveryCode {
    /// Bytes of a code.
    package static let size = 20
    /// Characters of a code without what stands between the groups.
    package static let characterCount = 36
    // Far more than a person's spaces and hyphens; a bound for what is read.
    static let maximumTextSize = 256
    static let groupSize = 4
    private static let dataCharacterCount = 32
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Draws the bytes of a new code.
    ///
    /// - Throws: `.memory` when the arena has no room.
    package static func random(in arena: SecretArena) throws(SealingError) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try SecretBytes.random(size, in: arena)
        } catch {
            throw .memory(error)
        }
    }

    /// Writes 20 bytes as a code: nine groups of four, a hyphen between them, 44 bytes of ASCII.
    ///
    /// - Throws: `.memory` alone.
    package static func encode(
        _ bytes: Span<UInt8>, arena: SecretArena
    ) throws(RecoveryCodeError) -> SecretBuffer {
        precondition(bytes.count == size, "a code is 20 bytes")
        do throws(SecretMemoryError) {
            let check = try checksum(of: bytes, arena: arena)
            var text = try SecretBuffer(arena: arena, capacity: characterCount * 5 / 4)
            for place in 0..<characterCount {
                if place > 0, place % groupSize == 0 { try text.append(UInt8(ascii: "-")) }
                let fromEnd = characterCount - 1 - place
                let value =
                    place < dataCharacterCount
                    ? fiveBits(of: bytes, at: place)
                    : UInt8(truncatingIfNeeded: check >> UInt32(5 * fromEnd)) & 31
                try text.append(alphabet[Int(value)])
            }
            return text
        } catch {
            throw .memory(error)
        }
    }

    /// The bits from 5 × `place` on, the most significant of the first byte being bit 0.
    private static func fiveBits(of bytes: Span<UInt8>, at place: Int) -> UInt8 {
        let first = 5 * place / 8
        let next = first + 1 < bytes.count ? UInt16(bytes[first + 1]) : 0
        let window = UInt16(bytes[first]) << 8 | next
        return UInt8(truncatingIfNeeded: window >> UInt16(11 - 5 * place % 8)) & 31
    }

    /// Reads the 20 bytes of a code that a person has typed.
    package static func decode(
        _ text: Span<UInt8>, arena: SecretArena
    ) throws(RecoveryCodeError) -> SecretBytes {
        guard text.count <= maximumTextSize else { throw .wrongLength(text.count) }
        var count = 0
        for index in 0..<text.count where !isSeparator(text[index]) {
            count += 1
            guard value(of: text[index]) != nil else { throw .badCharacter(position: count) }
        }
        guard count == characterCount else { throw .wrongLength(count) }
        do throws(SecretMemoryError) {
            var bytes = try arena.allocate(size)
            var given: UInt32 = 0
            bytes.withMutableBytes { given = unpack(text, into: &$0) }
            let check = try bytes.withBytes { bytes throws(SecretMemoryError) in
                try checksum(of: bytes, arena: arena)
            }
            if given == check { return bytes }
        } catch {
            throw .memory(error)
        }
        throw .wrongChecksum
    }

    /// Packs the first 32 characters into 20 bytes and gives the value of the last four.
    private static func unpack(
        _ text: Span<UInt8>, into bytes: inout MutableSpan<UInt8>
    ) -> UInt32 {
        var bits: UInt32 = 0
        var bitCount = 0
        var filled = 0
        for index in 0..<text.count {
            guard let value = value(of: text[index]) else { continue }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8, filled < size {
                bitCount -= 8
                bytes[filled] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
                filled += 1
            }
        }
        return bits & 0xF_FFFF
    }

    /// The first 20 bits of the hash of a code's bytes.
    private static func checksum(
        of bytes: Span<UInt8>, arena: SecretArena
    ) throws(SecretMemoryError) -> UInt32 {
        var hash = try Blake2b(arena: arena)
        hash.update(bytes)
        return try hash.finish(arena: arena).withBytes { hash in
            UInt32(hash[0]) << 12 | UInt32(hash[1]) << 4 | UInt32(hash[2]) >> 4
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    /// What a character stands for; nil for a separator and for what no code has.
    private static func value(of byte: UInt8) -> UInt8? {
        let upper = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 32 : byte
        switch upper {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        default: return alphabet.firstIndex(of: upper).map { UInt8($0) }
        }
    }
}
