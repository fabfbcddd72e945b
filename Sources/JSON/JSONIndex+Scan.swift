extension JSONIndex {
    // What may come next, whitespace aside.
    private enum Expected {
        case value
        case elementOrEnd
        case nameOrEnd
        case name
        case commaOrEnd
    }

    /// Reads one document with nothing but whitespace around it. RFC 8259
    ///
    /// Linear in the length of the text, whatever it holds. A byte order mark is refused as a byte
    /// that cannot stand there. Within an object a name given twice is reported when the object
    /// closes, and so after any other fault before that.
    ///
    /// - Throws: the first fault; the index is empty then.
    package mutating func scan(_ text: Span<UInt8>) throws(JSONError) {
        entries.removeAll(keepingCapacity: entries.capacity <= Self.maximumKeptNodes)
        names.trim()
        do {
            try scanDocument(text)
        } catch {
            entries.removeAll(keepingCapacity: true)
            throw error
        }
    }

    private mutating func scanDocument(_ text: Span<UInt8>) throws(JSONError) {
        guard text.count <= min(limits.maximumBytes, Self.maximumTextSize) else { throw .tooLong }
        var position = JSONToken.skipWhitespace(in: text, from: 0)
        guard position < text.count else { throw .empty }
        var expected = Expected.value
        // The innermost open container.
        var open = -1
        var isObject = false
        var depth = 0

        while position < text.count {
            let byte = text[position]
            switch expected {
            case .nameOrEnd where byte == UInt8(ascii: "}"),
                .elementOrEnd where byte == UInt8(ascii: "]"):
                position += 1
                open = try close(open, at: position, in: text)
                depth -= 1
                isObject = open >= 0 && kind(of: Node(index: open)) == .object
                expected = .commaOrEnd

            case .commaOrEnd:
                if byte == UInt8(ascii: ",") {
                    position += 1
                    expected = isObject ? .name : .value
                } else if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                    open = try close(open, at: position, in: text)
                    depth -= 1
                    isObject = open >= 0 && kind(of: Node(index: open)) == .object
                } else {
                    throw .syntax(offset: position)
                }

            case .name, .nameOrEnd:
                guard byte == UInt8(ascii: "\"") else { throw .syntax(offset: position) }
                position = try appendString(in: text, from: position)
                position = JSONToken.skipWhitespace(in: text, from: position)
                guard position < text.count, text[position] == UInt8(ascii: ":") else {
                    throw .syntax(offset: position)
                }
                position += 1
                expected = .value

            case .value, .elementOrEnd:
                if open >= 0 { entries[open].detail += Entry.one }
                switch byte {
                case UInt8(ascii: "\""):
                    position = try appendString(in: text, from: position)
                    expected = .commaOrEnd
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    guard depth < limits.maximumDepth else { throw .tooDeep(offset: position) }
                    depth += 1
                    isObject = byte == UInt8(ascii: "{")
                    let container = entries.count
                    entries.append(
                        Entry(
                            start: UInt32(truncatingIfNeeded: position), end: 0,
                            next: UInt32(truncatingIfNeeded: open),
                            detail: UInt32((isObject ? Kind.object : .array).rawValue)))
                    open = container
                    expected = isObject ? .nameOrEnd : .elementOrEnd
                    position += 1
                default:
                    let (kind, end) = try JSONToken.scalar(in: text, from: position)
                    append(kind, position..<end, counting: 0)
                    position = end
                    expected = .commaOrEnd
                }
            }
            position = JSONToken.skipWhitespace(in: text, from: position)
            if open < 0, expected == .commaOrEnd {
                guard position == text.count else { throw .trailingData(offset: position) }
                return
            }
        }
        throw .syntax(offset: position)
    }

    private mutating func append(_ kind: Kind, _ range: Range<Int>, counting count: Int) {
        entries.append(
            Entry(
                start: UInt32(truncatingIfNeeded: range.lowerBound),
                end: UInt32(truncatingIfNeeded: range.upperBound),
                next: UInt32(truncatingIfNeeded: entries.count + 1),
                detail: UInt32(truncatingIfNeeded: count) << Entry.kindBits
                    | UInt32(kind.rawValue)))
    }

    // Returns where the text goes on after the closing quote.
    private mutating func appendString(
        in text: Span<UInt8>, from quote: Int
    ) throws(JSONError) -> Int {
        let (end, decodedCount) = try JSONToken.string(
            in: text, from: quote + 1, allowsEscapedNUL: limits.allowsEscapedNUL)
        append(.string, (quote + 1)..<end, counting: decodedCount)
        return end + 1
    }

    // Returns the container around it, or -1.
    private mutating func close(
        _ container: Int, at end: Int, in text: Span<UInt8>
    ) throws(JSONError) -> Int {
        let around = Int(Int32(bitPattern: entries[container].next))
        entries[container].end = UInt32(truncatingIfNeeded: end)
        entries[container].next = UInt32(truncatingIfNeeded: entries.count)
        let node = Node(index: container)
        if !limits.allowsDuplicateKeys, kind(of: node) == .object {
            try refuseDuplicateNames(of: node, in: text)
        }
        return around
    }
}
