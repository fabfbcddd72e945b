package import SecretMemory

extension PropertyListIndex {
    /// Whether a string is this one, code point by code point; false for another kind.
    package func string(
        _ node: Node, equals text: StaticString, in bytes: Span<UInt8>
    ) -> Bool {
        guard kind(of: node) == .string else { return false }
        let record = records[node.object]
        return text.withUTF8Buffer { wanted in
            // SAFETY: the buffer is the static string's, and the span does not leave the closure.
            let wanted = unsafe wanted.span
            return isEqual(record, toUTF8: wanted, in: bytes)
        }
    }

    /// Whether a string is this one, code point by code point; false for another kind.
    package func string(_ node: Node, equals text: String, in bytes: Span<UInt8>) -> Bool {
        guard kind(of: node) == .string else { return false }
        return isEqual(records[node.object], toUTF8: text.utf8.span, in: bytes)
    }

    /// Bytes of a string in UTF-8; 0 for another kind.
    package func decodedCount(of node: Node, in bytes: Span<UInt8>) -> Int {
        guard kind(of: node) == .string else { return 0 }
        let record = records[node.object]
        guard record.isUTF16 else { return record.count }
        var count = 0
        var offset = record.payload.lowerBound
        while offset < record.payload.upperBound {
            count += UTF8.width(scalar(at: &offset, in: bytes))
        }
        return count
    }

    /// Appends a string in UTF-8; nothing for another kind.
    ///
    /// What was appended before an error stays in the buffer.
    package func appendString(
        _ node: Node, in bytes: Span<UInt8>, to buffer: inout SecretBuffer
    ) throws(SecretMemoryError) {
        guard kind(of: node) == .string else { return }
        let record = records[node.object]
        guard record.isUTF16 else {
            try buffer.append(bytes.extracting(record.payload))
            return
        }
        var offset = record.payload.lowerBound
        while offset < record.payload.upperBound {
            for byte in scalar(at: &offset, in: bytes).utf8 {
                try buffer.append(byte)
            }
        }
    }

    /// A string as an ordinary one of the language, for a text that is no secret; nil for another
    /// kind.
    package func text(of node: Node, in bytes: Span<UInt8>) -> String? {
        guard kind(of: node) == .string else { return nil }
        let record = records[node.object]
        guard record.isUTF16 else {
            // SAFETY: `scan` has found that all of it is ASCII.
            let text = unsafe UTF8Span(
                unchecked: bytes.extracting(record.payload), isKnownASCII: true)
            return String(copying: text)
        }
        var utf8: [UInt8] = []
        utf8.reserveCapacity(3 * record.count)
        var offset = record.payload.lowerBound
        while offset < record.payload.upperBound {
            utf8.append(
                contentsOf: UTF8.encode(scalar(at: &offset, in: bytes))
                    ?? UTF8.encodedReplacementCharacter)
        }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// A UTF-16 code unit of a string in either form.
    func codeUnit(_ index: Int, of string: Record, in bytes: Span<UInt8>) -> UInt16 {
        let start = string.payload.lowerBound
        guard string.isUTF16 else { return UInt16(bytes[start + index]) }
        return UInt16(bytes[start + 2 * index]) << 8 | UInt16(bytes[start + 2 * index + 1])
    }

    private func isEqual(
        _ string: Record, toUTF8 wanted: Span<UInt8>, in bytes: Span<UInt8>
    ) -> Bool {
        // A code unit is at least one byte and at most three.
        guard wanted.count >= string.count else { return false }
        guard string.isUTF16 else {
            guard wanted.count == string.count else { return false }
            for index in 0..<string.count
            where bytes[string.payload.lowerBound + index] != wanted[index] { return false }
            return true
        }
        var position = 0
        var offset = string.payload.lowerBound
        while offset < string.payload.upperBound {
            for byte in scalar(at: &offset, in: bytes).utf8 {
                guard position < wanted.count, wanted[position] == byte else { return false }
                position += 1
            }
        }
        return position == wanted.count
    }

    /// Reads a code point of UTF-16 that `scan` has found well formed, and moves past it.
    private func scalar(at offset: inout Int, in bytes: Span<UInt8>) -> Unicode.Scalar {
        var value = UInt32(bytes.bigEndian(at: offset, size: 2))
        offset += 2
        if value & 0xFC00 == 0xD800 {
            let low = UInt32(bytes.bigEndian(at: offset, size: 2))
            value = 0x10000 + (value & 0x3FF) << 10 + (low & 0x3FF)
            offset += 2
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}
