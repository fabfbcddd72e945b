import CSodium
import SecretMemory

/// How a master key is wrapped: for an X25519 public key, or under another key.
enum KeyWrap {
    /// Bytes of a key of either half of an X25519 pair.
    static let pointSize = 32
    /// Bytes of a nonce.
    static let nonceSize = 24
    /// Bytes of the code after what is encrypted.
    static let codeSize = 16
    /// Bytes of a wrapped master key.
    static let wrappedSize = MasterKey.size + codeSize

    /// The public half of a private key. RFC 7748, section 5; crypto_scalarmult_base(3)
    static func publicKey(of scalar: borrowing SecretBytes) -> [UInt8] {
        Sodium.start()
        var point = [UInt8](repeating: 0, count: pointSize)
        var span = point.mutableSpan
        scalar.withBytes { scalar in
            unsafe scalar.withStart { scalar in
                // SAFETY: a private key and a point are 32 bytes each.
                unsafe span.withMutableStart { _ = unsafe crypto_scalarmult_base($0, scalar) }
            }
        }
        wipeStack()
        return point
    }

    /// The key that both halves of the two pairs lead to:
    /// BLAKE2b-256(shared secret ‖ ephemeral public key ‖ slot's public key).
    ///
    /// - Returns: nil when `point` is one of the few that lead every private key to the same
    ///   secret. crypto_scalarmult(3)
    static func sharedKey(
        scalar: borrowing SecretBytes, point: Span<UInt8>, ephemeral: Span<UInt8>,
        slotPublic: Span<UInt8>, arena: SecretArena
    ) throws(SecretMemoryError) -> SecretBytes? {
        precondition(point.count == pointSize && scalar.count == pointSize, "32 bytes each")
        Sodium.start()
        var shared = try arena.allocate(pointSize)
        let status = scalar.withBytes { scalar in
            shared.withMutableBytes { shared in
                unsafe scalar.withStart { scalar in
                    unsafe point.withStart { point in
                        // SAFETY: a private key and the points are 32 bytes each.
                        unsafe shared.withMutableStart {
                            unsafe crypto_scalarmult($0, scalar, point)
                        }
                    }
                }
            }
        }
        wipeStack()
        guard status == 0 else { return nil }
        var hash = try Blake2b(arena: arena)
        shared.withBytes { hash.update($0) }
        hash.update(ephemeral)
        hash.update(slotPublic)
        return try hash.finish(arena: arena)
    }

    /// Wraps a master key under another key with a nonce of its own.
    /// crypto_aead_xchacha20poly1305_ietf_encrypt(3)
    static func wrap(
        _ masterKey: borrowing SecretBytes, under key: borrowing SecretBytes, nonce: [UInt8],
        associatedData: [UInt8]
    ) -> [UInt8] {
        precondition(masterKey.count == MasterKey.size && key.count == 32, "32 bytes each")
        precondition(nonce.count == nonceSize, "the nonce is 24 bytes")
        Sodium.start()
        var wrapped = [UInt8](repeating: 0, count: wrappedSize)
        var out = wrapped.mutableSpan
        let nonce = nonce.span
        let data = associatedData.span
        masterKey.withBytes { masterKey in
            key.withBytes { key in
                unsafe key.withStart { key in
                    unsafe masterKey.withStart { masterKey in
                        unsafe nonce.withStart { nonce in
                            unsafe data.withStart { start in
                                // SAFETY: the sizes were checked above.
                                unsafe out.withMutableStart {
                                    _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                                        $0, nil, masterKey, UInt64(MasterKey.size), start,
                                        UInt64(data.count), nil, nonce, key)
                                }
                            }
                        }
                    }
                }
            }
        }
        wipeStack()
        return wrapped
    }

    /// Opens what `wrap` has made; nil when it was made under another key or is damaged.
    /// crypto_aead_xchacha20poly1305_ietf_decrypt(3)
    static func unwrap(
        _ wrapped: [UInt8], under key: borrowing SecretBytes, nonce: [UInt8],
        associatedData: [UInt8], arena: SecretArena
    ) throws(SecretMemoryError) -> SecretBytes? {
        precondition(wrapped.count == wrappedSize && key.count == 32, "48 and 32 bytes")
        precondition(nonce.count == nonceSize, "the nonce is 24 bytes")
        Sodium.start()
        var masterKey = try arena.allocate(MasterKey.size)
        let wrapped = wrapped.span
        let nonce = nonce.span
        let data = associatedData.span
        let status = masterKey.withMutableBytes { masterKey in
            key.withBytes { key in
                unsafe key.withStart { key in
                    unsafe wrapped.withStart { wrapped in
                        unsafe nonce.withStart { nonce in
                            unsafe data.withStart { start in
                                // SAFETY: the sizes were checked above.
                                unsafe masterKey.withMutableStart {
                                    unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                                        $0, nil, nil, wrapped, UInt64(wrappedSize), start,
                                        UInt64(data.count), nonce, key)
                                }
                            }
                        }
                    }
                }
            }
        }
        wipeStack()
        guard status == 0 else { return nil }
        return masterKey
    }
}
