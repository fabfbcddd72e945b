/// What a coder found wrong, in words that hold nothing of the values.
enum CodingFault {
    /// Says it, and where.
    static func of(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(place(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context):
            "\(place(context.codingPath)) is null"
        case DecodingError.typeMismatch(let type, let context):
            "\(place(context.codingPath)) is no \(Self.name(of: type))"
        case DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)) is malformed"
        case EncodingError.invalidValue(_, let context):
            "\(place(context.codingPath)) cannot be encoded"
        default: "its type refuses it"
        }
    }

    // Coders say of a container that it is one of anything.
    private static func name(of type: Any.Type) -> String {
        switch String(describing: type) {
        case "Array<Any>": "list"
        case "Dictionary<String, Any>", "Dictionary<String, JSONMap.Value>": "dictionary"
        case let name: name
        }
    }

    // Without the first: each value stands in an array of one.
    private static func place(_ path: [any CodingKey]) -> String {
        var text = ""
        for (position, key) in path.enumerated() {
            if position == 0, key.intValue == 0 { continue }
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text.isEmpty ? "the value" : text
    }
}
