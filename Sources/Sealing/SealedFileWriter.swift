package import SecretMemory

/// Seals a plaintext that comes in parts, so that a file of any size needs the memory of one chunk.
/// docs/FORMAT.md, "Sealed file"
///
/// What comes out, the header first, is to be written one after the other; without what `finish`
/// gives it is no sealed file.
package struct SealedFileWriter: ~Copyable {
    /// Bytes 0 to 87 of the file.
    package let header: [UInt8]
    private let associatedData: [UInt8]
    private var stream: SecretStream
    // What is not enough for a chunk yet.
    private var rest: SecretBuffer
    private var sealed: [UInt8]

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - key: the account, app or archive key; never the master key itself.
    ///   - keyID: the id of the master key that `key` is derived from.
    ///   - arena: where the file's own key and one chunk stand, some 66,000 bytes.
    /// - Throws: `.memory` alone.
    package init(
        under key: borrowing SecretBytes, keyID: MasterKeyID, arena: SecretArena
    ) throws(SealingError) {
        do throws(SecretMemoryError) {
            let salt = Sodium.randomBytes(SealedFile.saltRange.count)
            let clear = SealedFile.clearHeader(keyID: keyID, salt: salt)
            let fileKey = try SealedFile.fileKey(under: key, salt: salt.span, arena: arena)
            let rest = try SecretBuffer(arena: arena, capacity: SealedFile.chunkSize)
            var streamHeader = [UInt8]()
            stream = try SecretStream(sealingUnder: fileKey, header: &streamHeader, arena: arena)
            self.rest = rest
            header = clear + streamHeader
            associatedData = clear
            sealed = [UInt8](repeating: 0, count: SealedFile.sealedChunkSize)
        } catch { throw .memory(error) }
    }

    /// Adds a part of the plaintext.
    ///
    /// - Parameter write: is passed each chunk that is full, sealed; an error of its own ends the
    ///   writing, and the writer is of no further use.
    package mutating func append<E: Error>(
        _ bytes: Span<UInt8>, _ write: (Span<UInt8>) throws(E) -> Void
    ) throws(E) {
        var position = 0
        while position < bytes.count {
            let left = bytes.count - position
            if rest.isEmpty, left >= SealedFile.chunkSize {
                // A whole chunk needs no copy.
                let chunk = bytes.extracting(position..<(position + SealedFile.chunkSize))
                Self.seal(chunk, as: .message, associatedData, with: &stream, into: &sealed)
                try write(sealed.span)
                position += SealedFile.chunkSize
                continue
            }
            position += take(bytes.extracting(position...))
            if rest.count == SealedFile.chunkSize { try writeRest(as: .message, write) }
        }
    }

    /// Ends the file.
    ///
    /// - Parameter write: is passed the last chunk, sealed.
    package consuming func finish<E: Error>(
        _ write: (Span<UInt8>) throws(E) -> Void
    ) throws(E) {
        // A chunk that is full was written at once, so that there is always room for the padding.
        let padding = SealedFile.paddedSize(rest.count) - rest.count
        _ = rest.appendUpTo(padding) { room in
            room[0] = 0x80
            for index in 1..<room.count { room[index] = 0 }
            return room.count
        }
        try writeRest(as: .final, write)
    }

    /// Keeps as much as fits into the chunk that is begun, and says how much.
    private mutating func take(_ bytes: Span<UInt8>) -> Int {
        rest.appendUpTo(min(bytes.count, SealedFile.chunkSize - rest.count)) { room in
            room.copy(from: bytes.extracting(0..<room.count))
            return room.count
        }
    }

    private mutating func writeRest<E: Error>(
        as tag: SecretStream.Tag, _ write: (Span<UInt8>) throws(E) -> Void
    ) throws(E) {
        let size = rest.count
        rest.withBytes { rest in
            Self.seal(rest, as: tag, associatedData, with: &stream, into: &sealed)
        }
        rest.removeAll()
        try write(sealed.span.extracting(0..<(size + SecretStream.overhead)))
    }

    // Static, so that each part of the writer is accessed by itself.
    private static func seal(
        _ chunk: Span<UInt8>, as tag: SecretStream.Tag, _ associatedData: [UInt8],
        with stream: inout SecretStream, into sealed: inout [UInt8]
    ) {
        var out = sealed.mutableSpan
        stream.seal(chunk, as: tag, associatedData: associatedData.span, into: &out, at: 0)
    }
}
