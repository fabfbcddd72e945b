import JSON
import SecretMemory
import TestSupport

/// Writes what an index says of a text in the form that Vectors/json/reference.py describes.
struct CanonicalForm {
    private let arena: SecretArena
    private var index: JSONIndex

    init(limits: JSONLimits) throws {
        arena = try SecretArena.forTest()
        index = JSONIndex(limits: limits)
    }

    /// The form of a text, or `refused`.
    mutating func of(_ bytes: [UInt8]) throws -> String {
        do throws(JSONError) {
            try index.scan(bytes.span)
        } catch {
            return "refused"
        }
        return try form(of: index.root, bytes)
    }

    private func form(of node: JSONIndex.Node, _ bytes: [UInt8]) throws -> String {
        switch index.kind(of: node) {
        case .object:
            var parts: [String] = []
            try index.forEachMember(of: node) { name, value in
                parts.append(try form(of: name, bytes))
                parts.append(try form(of: value, bytes))
            }
            return "{\(parts.joined(separator: " "))}"
        case .array:
            var parts: [String] = []
            try index.forEachElement(of: node) { parts.append(try form(of: $0, bytes)) }
            return "[\(parts.joined(separator: " "))]"
        case .string:
            var buffer = try SecretBuffer(arena: arena, capacity: 64, limit: 65_536)
            try index.appendString(node, in: bytes.span, to: &buffer)
            return "s" + buffer.withBytes { span in hexadecimal(span.indices.map { span[$0] }) }
        case .number:
            let exact = index.integer(node, in: bytes.span).map { String($0) } ?? "-"
            switch index.truncatedInteger(node, in: bytes.span) {
            case .value(let value): return "n\(exact)/\(value)"
            case .outOfRange: return "n\(exact)/-"
            }
        case .true: return "t"
        case .false: return "f"
        case .null: return "z"
        }
    }
}

/// Two lower-case digits for each byte.
func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
}
