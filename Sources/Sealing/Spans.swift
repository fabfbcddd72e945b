import CSodium
import SecretMemory

extension Span where Element == UInt8 {
    /// Lends the address of the first byte, for C functions that take no null pointer.
    func withStart<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
        unsafe withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { preconditionFailure("an empty span") }
            // SAFETY: the address is good for the length of the call.
            return unsafe body(start)
        }
    }

    /// Whether the bytes are these.
    ///
    /// Not for secrets: it stops at the first that differs.
    func elementsEqual(_ bytes: [UInt8]) -> Bool {
        guard count == bytes.count else { return false }
        for index in 0..<count where self[index] != bytes[index] { return false }
        return true
    }

    /// The bytes as an array on the heap: not for secrets.
    var array: [UInt8] {
        var array = [UInt8]()
        array.reserveCapacity(count)
        for index in 0..<count { array.append(self[index]) }
        return array
    }
}

extension MutableSpan where Element == UInt8 {
    /// Lends the address of the first byte, for C functions that take no null pointer.
    mutating func withMutableStart<R>(_ body: (UnsafeMutablePointer<UInt8>) -> R) -> R {
        unsafe withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { preconditionFailure("an empty span") }
            // SAFETY: the address is good for the length of the call.
            return unsafe body(start)
        }
    }
}

extension SecretBytes {
    /// Lends the start of the block as a state of libsodium's.
    ///
    /// Blocks are aligned to 64 bytes, which is the most that any of its states asks for.
    mutating func withState<State, R>(
        as type: State.Type, _ body: (UnsafeMutablePointer<State>) -> R
    ) -> R {
        precondition(count >= MemoryLayout<State>.size, "the block is too small for the state")
        return withMutableBytes { bytes in
            unsafe bytes.withMutableStart { start in
                // SAFETY: size and alignment as said above; the block holds nothing but this state.
                unsafe body(UnsafeMutableRawPointer(start).assumingMemoryBound(to: type))
            }
        }
    }

    /// Lends the start of the block as a state whose make-up Swift does not see.
    mutating func withOpaqueState<R>(_ body: (OpaquePointer) -> R) -> R {
        withMutableBytes { bytes in
            // SAFETY: whoever calls has asked libsodium how large the state is.
            unsafe bytes.withMutableStart { unsafe body(OpaquePointer($0)) }
        }
    }
}
