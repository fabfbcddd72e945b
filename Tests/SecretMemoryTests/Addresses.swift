import SecretMemory

// Where secrets stand, and what stands there after them: the arena stays mapped while it lives, so
// that what an owner left behind can be looked at.

extension SecretBytes {
    /// The address of the first byte.
    var address: UInt {
        withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
    }

    /// Writes a byte everywhere.
    mutating func fill(with byte: UInt8) {
        withMutableBytes { bytes in
            for position in bytes.indices { bytes[position] = byte }
        }
    }

    /// Whether every byte is `byte`.
    func holdsOnly(_ byte: UInt8) -> Bool {
        withBytes { bytes in bytes.indices.allSatisfy { bytes[$0] == byte } }
    }
}

extension SecretBuffer {
    /// The address of its block; the buffer must hold something.
    var address: UInt {
        withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
    }

    /// What it holds.
    var contents: [UInt8] {
        withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}

/// What stands at an address inside an arena.
func memory(at address: UInt, count: Int) -> [UInt8] {
    // SAFETY: callers give a block of an arena that they keep alive.
    guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
}

/// Keeps secret bytes in arrays, which cannot hold them by themselves.
final class Block {
    private var bytes: SecretBytes
    let address: UInt
    let count: Int
    let mark: UInt8

    init(_ bytes: consuming SecretBytes, mark: UInt8) {
        address = bytes.address
        count = bytes.count
        self.mark = mark
        self.bytes = bytes
        self.bytes.fill(with: mark)
    }

    var isIntact: Bool { bytes.holdsOnly(mark) }
}
