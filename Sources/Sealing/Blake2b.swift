import CSodium
import SecretMemory

/// BLAKE2b-256 of an input given in parts, with or without a key.
///
/// The state stands in secret memory: it tells as much as the key does. crypto_generichash(3)
struct Blake2b: ~Copyable {
    /// Bytes of the hash.
    static let size = 32
    private var state: SecretBytes

    /// Starts a hash without a key.
    init(arena: SecretArena) throws(SecretMemoryError) {
        Sodium.start()
        state = try arena.allocate(crypto_generichash_statebytes())
        // SAFETY: no key, so no address.
        unsafe Self.start(&state, keyStart: nil, keyCount: 0)
    }

    /// Starts a hash under a key.
    init(key: borrowing SecretBytes, arena: SecretArena) throws(SecretMemoryError) {
        Sodium.start()
        var state = try arena.allocate(crypto_generichash_statebytes())
        key.withBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe Self.start(&state, keyStart: key.baseAddress, keyCount: key.count)
            }
        }
        self.state = state
    }

    private static func start(
        _ state: inout SecretBytes, keyStart: UnsafePointer<UInt8>?, keyCount: Int
    ) {
        // SAFETY: the caller lends the key, of at most 64 bytes, for the length of the call.
        let status = unsafe state.withOpaqueState {
            unsafe crypto_generichash_init($0, keyStart, keyCount, size)
        }
        precondition(status == 0, "a key is 16 to 64 bytes")
    }

    /// Adds bytes to the input.
    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // SAFETY: the state was started in `init`; the pointer and count are the span's own.
            unsafe state.withOpaqueState {
                _ = unsafe crypto_generichash_update($0, bytes.baseAddress, UInt64(bytes.count))
            }
        }
    }

    /// Adds a label that is part of the program to the input.
    mutating func update(_ label: StaticString) {
        // SAFETY: a static string lives as long as the program.
        let bytes = unsafe UnsafeBufferPointer(
            start: label.utf8Start, count: label.utf8CodeUnitCount)
        update(unsafe bytes.span)
    }

    /// Adds a label, a zero byte and a value to the input.
    mutating func update(_ label: StaticString, _ value: Span<UInt8>) {
        update(label)
        let zero: [UInt8] = [0]
        update(zero.span)
        update(value)
    }

    /// Ends the input and gives its hash; the stack is wiped.
    consuming func finish(arena: SecretArena) throws(SecretMemoryError) -> SecretBytes {
        var hash = try arena.allocate(Self.size)
        hash.withMutableBytes { hash in
            unsafe hash.withMutableStart { hash in
                // SAFETY: the hash has room for the size that `init` asked for.
                unsafe state.withOpaqueState {
                    _ = unsafe crypto_generichash_final($0, hash, Self.size)
                }
            }
        }
        wipeStack()
        return hash
    }
}
