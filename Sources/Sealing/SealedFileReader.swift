import CSodium
package import SecretMemory

/// Opens a file chunk by chunk, so that one of any size needs the memory of one chunk.
/// docs/FORMAT.md, "Sealed file"
///
/// What a chunk gives is authentic, but the file is whole only once the last one was opened: whoever
/// hands chunks on must be able to take back, or to say, that the rest is missing.
package struct SealedFileReader: ~Copyable {
    /// Bytes of a chunk in the file; the last one may have fewer.
    package static let chunkSize = SealedFile.sealedChunkSize
    /// Bytes that a chunk has over its plaintext.
    package static let overhead = SecretStream.overhead

    private let associatedData: [UInt8]
    private var stream: SecretStream
    private var chunk: SecretBytes
    // Bytes of plaintext in the chunk.
    private var count = 0
    /// Whether the last chunk was opened.
    package private(set) var isAtEnd = false

    /// Begins to read a file whose header is known.
    ///
    /// - Parameters:
    ///   - header: the first 88 bytes of the file.
    ///   - key: the account, app or archive key under which it was sealed.
    ///   - keyID: the id of the master key that `key` is derived from.
    ///   - arena: where the file's own key and one chunk stand, some 66,000 bytes.
    /// - Throws: what `SealedFile.header` throws; `.unknownKey` when the file names another master
    ///   key; `.memory`.
    package init(
        header: Span<UInt8>, under key: borrowing SecretBytes, keyID: MasterKeyID,
        arena: SecretArena
    ) throws(SealingError) {
        let named = try SealedFile.header(of: header).keyID
        guard named == keyID else { throw .unknownKey(named) }
        do throws(SecretMemoryError) {
            let fileKey = try SealedFile.fileKey(
                under: key, salt: header.extracting(SealedFile.saltRange), arena: arena)
            let chunk = try arena.allocate(SealedFile.chunkSize)
            let range = SealedFile.associatedDataSize..<SealedFile.headerSize
            stream = try SecretStream(
                openingUnder: fileKey, header: header.extracting(range), arena: arena)
            self.chunk = chunk
            associatedData = header.extracting(0..<SealedFile.associatedDataSize).array
        } catch { throw .memory(error) }
    }

    /// Opens the next chunk.
    ///
    /// - Parameters:
    ///   - sealed: the chunk as it stands in the file.
    ///   - isLast: whether the file ends with it.
    /// - Throws: `.cannotOpen`; the file is then not to be read on.
    package mutating func open(_ sealed: Span<UInt8>, isLast: Bool) throws(SealingError) {
        precondition(!isAtEnd, "nothing follows the last chunk")
        count = 0
        let size = sealed.count - SecretStream.overhead
        guard size > 0, size <= SealedFile.chunkSize, isLast || size == SealedFile.chunkSize
        else { throw .cannotOpen }
        let expected: SecretStream.Tag = isLast ? .final : .message
        guard Self.open(sealed, associatedData, with: &stream, into: &chunk) == expected else {
            throw .cannotOpen
        }
        if isLast {
            guard let unpadded = unpaddedCount(size) else { throw .cannotOpen }
            count = unpadded
        } else {
            count = size
        }
        isAtEnd = isLast
    }

    /// Lends the plaintext of the chunk that was opened last, the last one's without the padding: of
    /// some files no bytes at all.
    package func withBytes<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let count = self.count
        return try chunk.withBytes { bytes throws(E) in try body(bytes.extracting(0..<count)) }
    }

    // Static, so that each part of the reader is accessed by itself.
    private static func open(
        _ sealed: Span<UInt8>, _ associatedData: [UInt8], with stream: inout SecretStream,
        into chunk: inout SecretBytes
    ) -> SecretStream.Tag? {
        var room = chunk.mutableBytes(first: sealed.count - SecretStream.overhead)
        return stream.open(sealed, associatedData: associatedData.span, into: &room)
    }

    private func unpaddedCount(_ size: Int) -> Int? {
        guard size % SealedFile.paddingBlock == 0 else { return nil }
        return chunk.withBytes { bytes in
            let last = bytes.extracting(0..<size)
            var count = 0
            // SAFETY: the address and size are the span's own, at least a block. sodium_unpad(3)
            let status = unsafe last.withStart {
                unsafe sodium_unpad(&count, $0, size, SealedFile.paddingBlock)
            }
            return status == 0 ? count : nil
        }
    }
}
