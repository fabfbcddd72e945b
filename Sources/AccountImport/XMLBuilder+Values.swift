import Accounts
import PropertyList
import SecretMemory

extension XMLBuilder {
    /// An element that holds a text ends.
    func end(_ leaf: Leaf) throws(ImportError) {
        switch leaf {
        case .key: try endKey()
        case .string: try put(addText())
        case .integer:
            guard let number = text.withBytes({ Self.integer($0) }) else { throw .malformed }
            if let last = frames.indices.last { frames[last].uid = number }
            try put(add { writer throws(PropertyListError) in try writer.add(integer: number) })
        case .real:
            guard let number = Double(plainText) else { throw .malformed }
            try put(add { writer throws(PropertyListError) in try writer.add(real: number) })
        case .date:
            // What is no date stays the text that it is.
            guard let time = CivilTime.parse(plainText, from: CivilTime.firstSecond) else {
                return try put(addText())
            }
            try put(add { writer throws(PropertyListError) in try writer.add(date: Double(time)) })
        case .data: try put(addData())
        case .boolean(let value):
            guard text.isEmpty else { throw .malformed }
            try put(add { writer throws(PropertyListError) in try writer.add(boolean: value) })
        case .given, .null: return
        }
    }

    private func endKey() throws(ImportError) {
        guard let last = frames.indices.last, frames[last].container == .dictionary,
            frames[last].pendingKey == nil
        else { throw .malformed }
        frames[last].isUID = text.withBytes { Self.isEqual($0, "CF$UID") }
        frames[last].pendingKey = try addText()
    }

    private func addText() throws(ImportError) -> Reference {
        guard var writer = writer.take() else { throw .malformed }
        do throws(PropertyListError) {
            let reference = try text.withBytes { bytes throws(PropertyListError) in
                try writer.add(string: bytes)
            }
            self.writer = consume writer
            return reference
        } catch { throw rejection(error) }
    }

    // Of a number or a date, which are no secrets.
    private var plainText: String {
        text.withBytes { bytes in
            guard bytes.count <= 64, let text = try? UTF8Span(validating: bytes) else { return "" }
            return String(copying: text)
        }
    }

    /// A whole number, decimal or hexadecimal; nil for anything else, and past 64 bits.
    static func integer(_ text: Span<UInt8>) -> Int64? {
        var position = 0
        var isNegative = false
        if position < text.count,
            text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+")
        {
            isNegative = text[position] == UInt8(ascii: "-")
            position += 1
        }
        var radix: UInt64 = 10
        if text.count - position > 2, text[position] == UInt8(ascii: "0"),
            text[position + 1] | 0x20 == UInt8(ascii: "x")
        {
            radix = 16
            position += 2
        }
        guard position < text.count else { return nil }
        var value: UInt64 = 0
        while position < text.count {
            guard let digit = digit(text[position]), digit < radix else { return nil }
            let (product, overflows) = value.multipliedReportingOverflow(by: radix)
            let (sum, overflowsToo) = product.addingReportingOverflow(digit)
            if overflows || overflowsToo { return nil }
            value = sum
            position += 1
        }
        if !isNegative { return Int64(exactly: value) }
        return value == 1 << 63 ? .min : Int64(exactly: value).map { -$0 }
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    static func isEqual(_ text: Span<UInt8>, _ other: StaticString) -> Bool {
        guard text.count == other.utf8CodeUnitCount else { return false }
        return other.withUTF8Buffer { wanted in
            // SAFETY: the buffer is the static string's, and the span does not leave the closure.
            let wanted = unsafe wanted.span
            for index in text.indices where text[index] != wanted[index] { return false }
            return true
        }
    }

    // Base64, with whatever space between; it is decoded where it stands. RFC 4648, 4
    private func addData() throws(ImportError) -> Reference {
        guard let count = text.withMutableBytes({ Self.decode(&$0) }) else { throw .malformed }
        text.truncate(to: count)
        guard var writer = writer.take() else { throw .malformed }
        do throws(PropertyListError) {
            let reference = try text.withBytes { bytes throws(PropertyListError) in
                try writer.add(data: bytes)
            }
            self.writer = consume writer
            return reference
        } catch { throw rejection(error) }
    }

    // How many bytes it stands for, which are then the first; nil for what is no base64.
    private static func decode(_ text: inout MutableSpan<UInt8>) -> Int? {
        var bits: UInt32 = 0
        var count = 0
        var end = 0
        var isPadded = false
        for index in text.indices {
            let byte = text[index]
            if byte <= 0x20 { continue }
            if byte == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            guard !isPadded, let value = base64(byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            // Four characters make three bytes, so none is overwritten that is not read yet.
            text[end] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
            end += 1
        }
        return end
    }

    private static func base64(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

// Preferences: each has its name in an attribute, and all but a text its value, too.
extension XMLBuilder {
    /// One of them begins.
    func startPreference(
        _ name: XMLName, _ attributes: XMLAttributes
    ) throws(ImportError) {
        guard let key = attributes.value("name") else { throw .malformed }
        if name == "null" {
            leaf = .null
            return
        }
        let reference = try key.withBytes { bytes throws(ImportError) in
            try add { writer throws(PropertyListError) in try writer.add(string: bytes) }
        }
        if name == "set" { return try open(.set, key: reference) }
        frames[frames.count - 1].keys.append(reference)
        if name == "string" {
            leaf = .string
            return
        }
        guard let value = attributes.value("value") else { throw .malformed }
        try put(addPreference(name, value))
        leaf = .given
    }

    private func addPreference(
        _ name: XMLName, _ value: XMLName
    ) throws(ImportError) -> Reference {
        if name == "long" || name == "int" {
            guard let number = value.withBytes({ Self.integer($0) }) else { throw .malformed }
            return try add { writer throws(PropertyListError) in try writer.add(integer: number) }
        }
        if name == "boolean" {
            let flag = value == "true"
            guard flag || value == "false" else { throw .malformed }
            return try add { writer throws(PropertyListError) in try writer.add(boolean: flag) }
        }
        guard name == "float" else { throw .malformed }
        return try value.withBytes { bytes throws(ImportError) in
            try add { writer throws(PropertyListError) in try writer.add(string: bytes) }
        }
    }
}
