import AccountImport

// The names of types.
extension StructReader {
    /// What a value is, by its type's name.
    enum Kind: Equatable {
        case int, uint, float, double, string, array, dictionary
        /// A struct of the app's.
        case other(String)
    }

    /// Reads the name of a type.
    mutating func type(in bytes: Span<UInt8>) throws(ImportError) -> Kind {
        guard let length = byte(in: bytes) else { throw .truncated }
        guard length <= bytes.count - position else {
            // It may be no name at all.
            let rest = bytes.extracting(position..<bytes.count)
            throw Self.isName(rest) ? .truncated : .badIdentifier
        }
        let name = bytes.extracting(position..<position + length)
        guard Self.isName(name), !name.isEmpty, let utf8 = try? UTF8Span(validating: name) else {
            throw .badIdentifier
        }
        position += length
        let text = String(copying: utf8)
        switch text {
        case "Int": return .int
        case "UInt": return .uint
        case "Float": return .float
        case "Double": return .double
        case "String": return .string
        case _ where text.hasPrefix("Array<"): return .array
        case _ where text.hasPrefix("Dictionary<"): return .dictionary
        default: return .other(text)
        }
    }

    /// Whether a file may be one of StructArchiver's, whole or cut off: it begins with a name, behind
    /// which a number stands or the length that all others begin with.
    static func isPlausible(_ file: Span<UInt8>) -> Bool {
        var reader = StructReader(ImportBudget())
        // A name that is cut off is one of less than a space's code, which no text begins with.
        guard let kind = try? reader.type(in: file) else {
            return file.count > 1 && file[0] < 0x20 && file.count <= Int(file[0])
                && isName(file.extracting(1..<file.count))
        }
        switch kind {
        case .int, .uint, .float, .double: return true
        case .string, .array, .dictionary, .other:
            let header: InlineArray<4, UInt8> = [
                3, UInt8(ascii: "I"), UInt8(ascii: "n"), UInt8(ascii: "t"),
            ]
            for index in 0..<min(4, file.count - reader.position)
            where file[reader.position + index] != header[index] {
                return false
            }
            return true
        }
    }

    /// Whether it could be the name of a Swift type: printable, and no digit at its beginning.
    static func isName(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            guard 0x20...0x7E ~= name[index] else { return false }
        }
        guard !name.isEmpty else { return true }
        switch name[0] {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "_"), UInt8(ascii: "("):
            return true
        default: return false
        }
    }

    private mutating func byte(in bytes: Span<UInt8>) -> Int? {
        guard position < bytes.count else { return nil }
        position += 1
        return Int(bytes[position - 1])
    }
}

// What is wrong with a file of StructArchiver's.
extension ImportError {
    private static let fromDevice =
        "copy the file once more, whole; what a device of 32 bits has written is not read"

    static let truncated = ImportError(
        "truncated", "the archive ends in the middle of a value", hint: fromDevice)
    static let badIdentifier = ImportError(
        "bad-identifier", "a value in the archive has no type's name before it",
        hint: "of a type whose name is not ASCII, StructArchiver itself reads nothing back")
    static let badLength = ImportError(
        "bad-length", "a length in the archive is none that what follows could have",
        hint: fromDevice)
    static let badText = ImportError("bad-text", "a text in the archive is not UTF-8")
    static let bytesLeftOver = ImportError(
        "trailing-bytes", "more bytes follow behind the archive's end",
        hint: "give the file that StructArchiver has written, and nothing else in it")
}
