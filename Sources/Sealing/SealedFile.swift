import CSodium
package import SecretMemory

/// The sealed file, version 1 (docs/FORMAT.md, "Sealed file").
///
/// The file is written and read whole. What is sealed is ordinary memory, what is open stands in
/// secret memory; a file that turns out bad in its third chunk leaves nothing of the first two.
package enum SealedFile {
    /// Bytes before the first chunk.
    package static let headerSize = 88
    /// The plaintext is padded to a multiple of this many bytes, by at least one.
    package static let paddingBlock = 256
    /// Bytes of padded plaintext in every chunk but the last, which may have fewer.
    package static let chunkSize = 65_536

    static let magic: [UInt8] = [0x93, 0x53, 0x45, 0x41, 0x4C, 0x0D, 0x0A, 0x1A]
    static let version = 1
    static let suite = 1
    static let saltRange = 32..<64
    // All of the header but the stream's own part, which the stream itself depends on.
    static let associatedDataSize = 64
    static let sealedChunkSize = chunkSize + SecretStream.overhead

    /// Bytes of the padded plaintext: what `open` needs room for.
    package static func paddedSize(_ count: Int) -> Int {
        (count / paddingBlock + 1) * paddingBlock
    }

    /// Seals a plaintext under a key derived from the master key of that id.
    ///
    /// - Parameters:
    ///   - plaintext: any count of bytes, none included.
    ///   - key: the account, app or archive key; never the master key itself.
    ///   - keyID: the id of the master key that `key` is derived from.
    ///   - arena: where the file's own key and its last chunk stand meanwhile, a chunk and some 500
    ///     bytes at the most.
    /// - Returns: the whole file, which holds no plain secret.
    /// - Throws: `.memory` alone.
    package static func seal(
        _ plaintext: Span<UInt8>, under key: borrowing SecretBytes, keyID: MasterKeyID,
        arena: SecretArena
    ) throws(SealingError) -> [UInt8] {
        do throws(SecretMemoryError) {
            let salt = Sodium.randomBytes(saltRange.count)
            let clear = clearHeader(keyID: keyID, salt: salt)
            let fileKey = try fileKey(under: key, salt: salt.span, arena: arena)
            var streamHeader = [UInt8]()
            var stream = try SecretStream(
                sealingUnder: fileKey, header: &streamHeader, arena: arena)

            let padded = paddedSize(plaintext.count)
            let fullChunks = (padded - 1) / chunkSize
            let lastStart = fullChunks * chunkSize
            // A fresh block is all zero, which is the padding but for its first byte.
            var last = try arena.allocate(padded - lastStart)
            last.withMutableBytes { last in
                last.copy(from: plaintext.extracting(lastStart...))
                last[plaintext.count - lastStart] = 0x80
            }

            let size = headerSize + padded + (fullChunks + 1) * SecretStream.overhead
            var file = clear + streamHeader
            file.append(contentsOf: repeatElement(0, count: size - file.count))
            var out = file.mutableSpan
            for index in 0..<fullChunks {
                let start = index * chunkSize
                stream.seal(
                    plaintext.extracting(start..<(start + chunkSize)), as: .message,
                    associatedData: clear.span, into: &out,
                    at: headerSize + index * sealedChunkSize)
            }
            last.withBytes { last in
                stream.seal(
                    last, as: .final, associatedData: clear.span, into: &out,
                    at: headerSize + fullChunks * sealedChunkSize)
            }
            return file
        } catch {
            throw .memory(error)
        }
    }

    /// The key of one file: a new one for every write, since the salt is.
    static func fileKey(
        under key: borrowing SecretBytes, salt: Span<UInt8>, arena: SecretArena
    ) throws(SecretMemoryError) -> SecretBytes {
        var hash = try Blake2b(key: key, arena: arena)
        hash.update("accountd seal v1", salt)
        return try hash.finish(arena: arena)
    }
}
