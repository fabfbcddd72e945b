package import SecretMemory

extension ObjectGraph {
    /// A boolean's value; nil for another kind.
    package func boolean(_ object: Object, in bytes: Span<UInt8>) -> Bool? {
        index.boolean(object.node, in: bytes)
    }

    /// An integer's value; nil for another kind and for one that Int64 cannot hold.
    package func integer(_ object: Object, in bytes: Span<UInt8>) -> Int64? {
        index.integer(object.node, in: bytes)
    }

    /// A real's value, which may be infinite or no number; nil for another kind.
    package func real(_ object: Object, in bytes: Span<UInt8>) -> Double? {
        index.real(object.node, in: bytes)
    }

    /// A date in seconds since 1970-01-01T00:00:00Z; nil for another kind and for a date that is
    /// not finite.
    package func date(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Double? {
        guard try kind(of: object, in: bytes) == .date else { return nil }
        guard index.kind(of: object.node) == .dictionary else {
            return index.date(object.node, in: bytes)
        }
        let time = try content(Key.time, of: object, in: bytes)
        let since2001 =
            index.real(time, in: bytes) ?? index.integer(time, in: bytes).map(Double.init)
        guard let since2001 else { throw .malformed(offset: offset(of: object.node)) }
        let seconds = since2001 + PropertyListIndex.referenceDate
        return seconds.isFinite ? seconds : nil
    }

    /// Where the bytes of data are in the file; nil for another kind.
    package func dataRange(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Range<Int>? {
        guard try kind(of: object, in: bytes) == .data else { return nil }
        var node = object.node
        if index.kind(of: node) == .dictionary {
            node = try content(Key.data, of: object, in: bytes)
        }
        guard let range = index.dataRange(node) else {
            throw .malformed(offset: offset(of: object.node))
        }
        return range
    }

    /// Whether a string is this one; false for another kind.
    package func string(
        _ object: Object, equals text: StaticString, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Bool {
        guard let node = try stringNode(object, in: bytes) else { return false }
        return index.string(node, equals: text, in: bytes)
    }

    /// Bytes of a string in UTF-8; nil for another kind.
    package func decodedCount(
        of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> Int? {
        guard let node = try stringNode(object, in: bytes) else { return nil }
        return index.decodedCount(of: node, in: bytes)
    }

    /// Appends a string in UTF-8; nothing for another kind.
    ///
    /// - Parameter buffer: gets the bytes; what was appended before an error stays in it.
    package func appendString(
        _ object: Object, in bytes: Span<UInt8>, to buffer: inout SecretBuffer
    ) throws(SecretMemoryError) {
        // What is malformed has been found by whoever asked how long it is.
        guard let node = try? stringNode(object, in: bytes) else { return }
        try index.appendString(node, in: bytes, to: &buffer)
    }

    private func stringNode(
        _ object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> PropertyListIndex.Node? {
        guard try kind(of: object, in: bytes) == .string else { return nil }
        guard index.kind(of: object.node) == .dictionary else { return object.node }
        let node = try content(Key.string, of: object, in: bytes)
        guard index.kind(of: node) == .string else {
            throw .malformed(offset: offset(of: object.node))
        }
        return node
    }

    // What an object of one of Foundation's own classes holds.
    private func content(
        _ name: StaticString, of object: Object, in bytes: Span<UInt8>
    ) throws(ObjectGraphError) -> PropertyListIndex.Node {
        guard let member = index.member(name, of: object.node, in: bytes) else {
            throw .malformed(offset: offset(of: object.node))
        }
        return resolve(member, in: bytes).node
    }
}
