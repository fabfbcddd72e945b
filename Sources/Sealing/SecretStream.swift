import CSodium
import SecretMemory

/// One run of chunks of XChaCha20-Poly1305, each bound to its place and to associated data.
///
/// The state holds the file's own key and stands in secret memory; the stack is wiped after every
/// step. crypto_secretstream_xchacha20poly1305(3)
struct SecretStream: ~Copyable {
    /// What a chunk says about itself.
    enum Tag: UInt8 {
        case message = 0
        case final = 3
    }

    /// Bytes of the header that a stream starts with.
    static let headerSize = 24
    /// Bytes that a sealed chunk has over its plaintext: the tag, encrypted, and the code.
    static let overhead = 17
    private var state: SecretBytes

    private typealias State = crypto_secretstream_xchacha20poly1305_state

    /// Starts a stream to write and puts its header in `header`.
    init(
        sealingUnder key: borrowing SecretBytes, header: inout [UInt8], arena: SecretArena
    ) throws(SecretMemoryError) {
        precondition(key.count == MasterKey.size, "the key is 32 bytes")
        Sodium.start()
        var state = try arena.allocate(crypto_secretstream_xchacha20poly1305_statebytes())
        header = [UInt8](repeating: 0, count: Self.headerSize)
        key.withBytes { key in
            var header = header.mutableSpan
            unsafe key.withStart { key in
                unsafe header.withMutableStart { header in
                    // SAFETY: the sizes are those that the function asks for.
                    unsafe state.withState(as: State.self) {
                        _ = unsafe crypto_secretstream_xchacha20poly1305_init_push(
                            $0, header, key)
                    }
                }
            }
        }
        wipeStack()
        self.state = state
    }

    /// Starts a stream to read from its header.
    init(
        openingUnder key: borrowing SecretBytes, header: Span<UInt8>, arena: SecretArena
    ) throws(SecretMemoryError) {
        precondition(key.count == MasterKey.size, "the key is 32 bytes")
        precondition(header.count == Self.headerSize, "the header is 24 bytes")
        Sodium.start()
        var state = try arena.allocate(crypto_secretstream_xchacha20poly1305_statebytes())
        key.withBytes { key in
            unsafe key.withStart { key in
                unsafe header.withStart { header in
                    // SAFETY: the sizes are those that the function asks for.
                    unsafe state.withState(as: State.self) {
                        _ = unsafe crypto_secretstream_xchacha20poly1305_init_pull(
                            $0, header, key)
                    }
                }
            }
        }
        wipeStack()
        self.state = state
    }

    /// Seals one chunk into `sealed`, which must have the chunk's count and `overhead` more.
    mutating func seal(
        _ chunk: Span<UInt8>, as tag: Tag, associatedData: Span<UInt8>,
        into sealed: inout MutableSpan<UInt8>, at offset: Int
    ) {
        precondition(
            offset >= 0 && offset + chunk.count + Self.overhead <= sealed.count, "no room")
        unsafe sealed.withMutableStart { sealed in
            unsafe chunk.withUnsafeBufferPointer { chunk in
                unsafe associatedData.withUnsafeBufferPointer { data in
                    // SAFETY: the room was checked above; the other sizes are the spans' own.
                    unsafe state.withState(as: State.self) {
                        _ = unsafe crypto_secretstream_xchacha20poly1305_push(
                            $0, sealed + offset, nil,
                            chunk.baseAddress, UInt64(chunk.count),
                            data.baseAddress, UInt64(data.count), tag.rawValue)
                    }
                }
            }
        }
        wipeStack()
    }

    /// Opens one chunk into `chunk`, which must have `overhead` fewer bytes than `sealed`.
    ///
    /// - Returns: the chunk's tag; nil when the chunk is not the next one of this stream, or has a
    ///   tag that no writer of this format gives. `chunk` is then not to be used.
    mutating func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, into chunk: inout MutableSpan<UInt8>
    ) -> Tag? {
        precondition(chunk.count + Self.overhead == sealed.count, "the counts do not match")
        var tag: UInt8 = 0
        let status = unsafe chunk.withUnsafeMutableBufferPointer { chunk in
            unsafe sealed.withUnsafeBufferPointer { sealed in
                unsafe associatedData.withUnsafeBufferPointer { data in
                    // SAFETY: the room was checked above; the other sizes are the spans' own.
                    unsafe state.withState(as: State.self) {
                        unsafe crypto_secretstream_xchacha20poly1305_pull(
                            $0, chunk.baseAddress, nil, &tag,
                            sealed.baseAddress, UInt64(sealed.count),
                            data.baseAddress, UInt64(data.count))
                    }
                }
            }
        }
        wipeStack()
        return status == 0 ? Tag(rawValue: tag) : nil
    }
}
