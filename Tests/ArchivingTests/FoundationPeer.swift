import Archiving
import FoundationEssentials

/// A value as Foundation's encoders and decoders of property lists take and give it.
struct FoundationPeer: Codable {
    let value: ArchiveValue

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    static func file(of value: ArchiveValue) throws -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return Array(try encoder.encode(FoundationPeer(value: value)))
    }

    static func value(of file: [UInt8]) throws -> ArchiveValue {
        try PropertyListDecoder().decode(FoundationPeer.self, from: Data(file)).value
    }

    init(value: ArchiveValue) { self.value = value }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            var values: [String: ArchiveValue] = [:]
            for key in members.allKeys {
                values[key.stringValue] =
                    try members.decodeNil(forKey: key)
                    ? .null : try members.decode(FoundationPeer.self, forKey: key).value
            }
            value = .dictionary(values)
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [ArchiveValue] = []
            while !elements.isAtEnd {
                let isNull = try elements.decodeNil()
                values.append(isNull ? .null : try elements.decode(FoundationPeer.self).value)
            }
            value = .array(values)
        } else {
            value = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func scalar(
        _ container: any SingleValueDecodingContainer
    ) throws -> ArchiveValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .boolean(value) }
        if let value = try? container.decode(Date.self) { return .date(value) }
        if let value = try? container.decode(Data.self) { return .data(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        return .real(try container.decode(Double.self))
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .array(let values):
            var elements = encoder.unkeyedContainer()
            for value in values { try elements.encode(FoundationPeer(value: value)) }
        case .dictionary(let values):
            var members = encoder.container(keyedBy: Key.self)
            for (key, value) in values {
                try members.encode(FoundationPeer(value: value), forKey: Key(stringValue: key))
            }
        default:
            var container = encoder.singleValueContainer()
            try encode(scalarTo: &container)
        }
    }

    private func encode(scalarTo container: inout any SingleValueEncodingContainer) throws {
        switch value {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array, .dictionary: preconditionFailure("a container")
        }
    }
}
