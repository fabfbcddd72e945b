import CSodium
package import SecretMemory

extension SealedFile {
    /// Opens a file and appends its plaintext to a buffer.
    ///
    /// Memory is bounded by the buffer's limit, whatever the file's size.
    ///
    /// - Parameters:
    ///   - file: the whole file.
    ///   - key: the account, app or archive key under which it was sealed.
    ///   - keyID: the id of the master key that `key` is derived from.
    ///   - buffer: gets the plaintext; needs room for its padding too, 256 bytes at the most. After
    ///     an error it holds what it held before.
    ///   - arena: where the file's own key stands meanwhile, some 600 bytes.
    /// - Throws: `.unsupportedVersion`, `.unsupportedSuite`, `.unknownKey` when the file names
    ///   another master key, `.tooLarge` past the buffer's limit, `.memory`; `.cannotOpen` for every
    ///   other fault of the file.
    package static func open(
        _ file: Span<UInt8>, under key: borrowing SecretBytes, keyID: MasterKeyID,
        into buffer: inout SecretBuffer, arena: SecretArena
    ) throws(SealingError) {
        let header = try header(of: file)
        guard header.keyID == keyID else { throw .unknownKey(header.keyID) }
        let body = file.count - headerSize
        guard body > 0 else { throw .cannotOpen }
        let fullChunks = (body - 1) / sealedChunkSize
        let lastSize = body - fullChunks * sealedChunkSize - SecretStream.overhead
        guard lastSize > 0, lastSize % paddingBlock == 0 else { throw .cannotOpen }
        let padded = fullChunks * chunkSize + lastSize
        guard padded <= buffer.limit - buffer.count else { throw .tooLarge }

        let start = buffer.count
        var isWhole = false
        do throws(SecretMemoryError) {
            try buffer.reserve(padded)
            let fileKey = try fileKey(
                under: key, salt: file.extracting(saltRange), arena: arena)
            var stream = try SecretStream(
                openingUnder: fileKey, header: file.extracting(associatedDataSize..<headerSize),
                arena: arena)
            isWhole = openChunks(file, of: &stream, into: &buffer)
        } catch {
            throw .memory(error)
        }
        guard isWhole, let count = unpaddedCount(buffer, from: start, lastSize: lastSize) else {
            buffer.truncate(to: start)
            throw .cannotOpen
        }
        buffer.truncate(to: start + count)
    }

    /// Opens chunk after chunk; false at the first that is not as it must be.
    private static func openChunks(
        _ file: Span<UInt8>, of stream: inout SecretStream, into buffer: inout SecretBuffer
    ) -> Bool {
        var position = headerSize
        while position < file.count {
            let end = min(position + sealedChunkSize, file.count)
            let expected: SecretStream.Tag = end == file.count ? .final : .message
            let sealed = file.extracting(position..<end)
            var tag: SecretStream.Tag?
            _ = buffer.appendUpTo(sealed.count - SecretStream.overhead) { chunk in
                tag = stream.open(
                    sealed, associatedData: file.extracting(0..<associatedDataSize), into: &chunk)
                return chunk.count
            }
            guard tag == expected else { return false }
            position = end
        }
        return true
    }

    /// Bytes of the plaintext without its padding; nil when the padding is not as it must be.
    private static func unpaddedCount(
        _ buffer: borrowing SecretBuffer, from start: Int, lastSize: Int
    ) -> Int? {
        buffer.withBytes { bytes in
            let last = bytes.extracting((bytes.count - lastSize)...)
            var count = 0
            // SAFETY: the address and size are the span's own, at least a block. sodium_unpad(3)
            let status = unsafe last.withStart {
                unsafe sodium_unpad(&count, $0, lastSize, paddingBlock)
            }
            return status == 0 ? bytes.count - lastSize + count - start : nil
        }
    }
}
