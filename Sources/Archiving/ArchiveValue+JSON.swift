import FoundationEssentials

extension ArchiveValue {
    /// Containers within one another, far more than a value can have that was read.
    private static let maximumDepth = 512
    /// Under which data stands as base64.
    private static let dataKey = "$data"

    /// The value as JSON. RFC 8259
    ///
    /// Members are in the order of their keys' code points. Whole numbers are exact; reals are
    /// written so that reading them gives the same ones again, always with a fraction or an exponent,
    /// which tells them from whole numbers. Data is `{"$data": base64}`, a date its text in UTC.
    ///
    /// - Parameters:
    ///   - pretty: whether members and elements have lines of their own.
    ///   - archive: the name that an error has.
    /// - Throws: `.notEncodable` for what JSON does not have: a real that is infinite or no number, a
    ///   date outside the years 1 to 9999.
    package func json(
        pretty: Bool = false, archive: String = ""
    ) throws(ArchiveError) -> String {
        var text = ""
        do throws(JSONFault) {
            try append(to: &text, pretty: pretty, depth: 0)
        } catch {
            throw .notEncodable(archive: archive, reason: error.reason)
        }
        return text
    }

    private enum JSONFault: Error {
        case number, date, tooDeep

        var reason: String {
            switch self {
            case .number: "JSON has no number that is infinite, and none that is not a number"
            case .date: "JSON has no text for a date outside the years 1 to 9999"
            case .tooDeep: "it has more than \(ArchiveValue.maximumDepth) values within one another"
            }
        }
    }

    private func append(
        to text: inout String, pretty: Bool, depth: Int
    ) throws(JSONFault) {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        switch self {
        case .null: text += "null"
        case .boolean(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += String(number)
        case .real(let number):
            guard number.isFinite else { throw .number }
            text += number.description
        case .string(let string): Self.append(string, to: &text)
        case .date(let date):
            guard let written = date.rfc3339 else { throw .date }
            text += "\"" + written + "\""
        case .data(let data):
            let content = ArchiveValue.string(data.base64EncodedString())
            try Self.append([(Self.dataKey, content)], to: &text, pretty: false, depth: depth)
        case .array(let elements): try Self.append(elements, to: &text, pretty, depth)
        case .dictionary(let members):
            let sorted = members.sorted { one, other in
                one.key.unicodeScalars.lexicographicallyPrecedes(other.key.unicodeScalars)
            }
            try Self.append(
                sorted.map { ($0.key, $0.value) }, to: &text, pretty: pretty, depth: depth)
        }
    }

    private static func append(
        _ elements: [ArchiveValue], to text: inout String, _ pretty: Bool, _ depth: Int
    ) throws(JSONFault) {
        text += "["
        var isFirst = true
        for element in elements {
            separate(&text, isFirst: isFirst, pretty, depth + 1)
            isFirst = false
            try element.append(to: &text, pretty: pretty, depth: depth + 1)
        }
        if !isFirst { breakLine(&text, pretty, depth) }
        text += "]"
    }

    private static func append(
        _ members: [(key: String, value: ArchiveValue)], to text: inout String, pretty: Bool,
        depth: Int
    ) throws(JSONFault) {
        text += "{"
        var isFirst = true
        for member in members {
            separate(&text, isFirst: isFirst, pretty, depth + 1)
            isFirst = false
            append(member.key, to: &text)
            text += pretty ? ": " : ":"
            try member.value.append(to: &text, pretty: pretty, depth: depth + 1)
        }
        if !isFirst { breakLine(&text, pretty, depth) }
        text += "}"
    }

    private static func separate(
        _ text: inout String, isFirst: Bool, _ pretty: Bool, _ depth: Int
    ) {
        if !isFirst { text += "," }
        breakLine(&text, pretty, depth)
    }

    private static func breakLine(_ text: inout String, _ pretty: Bool, _ depth: Int) {
        guard pretty else { return }
        text += "\n" + String(repeating: "  ", count: depth)
    }

    // Every control character is escaped, those of C1 and the marks of direction too: the RFC lets
    // them stand, some terminals obey them.
    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar.value {
            case 0x22: text += "\\\""
            case 0x5C: text += "\\\\"
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            case 0x09: text += "\\t"
            case 0x00..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x061C, 0x2028...0x202E,
                0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
