package import SecretMemory

extension JSONIndex {
    /// Whether it is the string `other`, escapes in the text decoded; false when it is not a string.
    package func string(
        _ node: Node, equals other: StaticString, in text: Span<UInt8>
    ) -> Bool {
        let entry = entries[node.index]
        let count = other.utf8CodeUnitCount
        guard entry.detail & (Entry.one - 1) == UInt32(Kind.string.rawValue),
            Int(entry.detail >> Entry.kindBits) == count
        else { return false }
        // SAFETY: a static string lives as long as the program.
        let bytes = unsafe UnsafeBufferPointer(start: other.utf8Start, count: count)
        return content(of: node, equals: unsafe bytes.span, in: text)
    }

    /// Whether it is the string `other`, in UTF-8, escapes in the text decoded; false when it is not
    /// a string.
    package func string(
        _ node: Node, equals other: Span<UInt8>, in text: Span<UInt8>
    ) -> Bool {
        guard kind(of: node) == .string, decodedCount(of: node, in: text) == other.count else {
            return false
        }
        return content(of: node, equals: other, in: text)
    }

    // Both have the same count once escapes are decoded.
    private func content(
        of node: Node, equals expected: Span<UInt8>, in text: Span<UInt8>
    ) -> Bool {
        let count = expected.count
        let range = range(of: node)
        if range.count == count {
            return Self.isEqual(text.extracting(range), expected)
        }
        var decoder = JSONStringDecoder(range)
        for index in 0..<count where decoder.next(in: text) != expected[index] { return false }
        return true
    }

    /// Bytes of UTF-8 that a string has once its escapes are decoded; 0 for anything else.
    package func decodedCount(of node: Node, in text: Span<UInt8>) -> Int {
        guard kind(of: node) == .string else { return 0 }
        return Int(entries[node.index].detail >> Entry.kindBits)
    }

    /// Visits the bytes of a string as UTF-8 with its escapes decoded; none of anything else.
    package func forEachByte<E: Error>(
        of node: Node, in text: Span<UInt8>, _ body: (UInt8) throws(E) -> Void
    ) throws(E) {
        guard kind(of: node) == .string else { return }
        var decoder = JSONStringDecoder(range(of: node))
        while let byte = decoder.next(in: text) { try body(byte) }
    }

    /// Appends a string as UTF-8 with its escapes decoded; nothing when it is not a string.
    ///
    /// - Throws: as `SecretBuffer.reserve` does; then nothing has been appended.
    package func appendString(
        _ node: Node, in text: Span<UInt8>, to buffer: inout SecretBuffer
    ) throws(SecretMemoryError) {
        let count = decodedCount(of: node, in: text)
        let range = range(of: node)
        guard kind(of: node) == .string, count != range.count else {
            if kind(of: node) == .string { try buffer.append(text.extracting(range)) }
            return
        }
        try buffer.reserve(count)
        var decoder = JSONStringDecoder(range)
        while let byte = decoder.next(in: text) { try buffer.append(byte) }
    }
}
