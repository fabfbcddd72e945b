import JSON
import SecretMemory

/// Reading members of an answer. What is absent or null gives nil; so does what has another type,
/// which a caller that needs it reports as an answer it does not understand.
extension JSONIndex {
    /// A member that is a whole number.
    func integer(
        _ name: StaticString, of node: Node?, _ text: Span<UInt8>
    ) -> Int64? {
        guard let node, let value = member(name, of: node, in: text) else { return nil }
        return integer(value, in: text)
    }

    /// A member that is true or false.
    func boolean(_ name: StaticString, of node: Node?, _ text: Span<UInt8>) -> Bool? {
        guard let node, let value = member(name, of: node, in: text) else { return nil }
        switch kind(of: value) {
        case .true: return true
        case .false: return false
        default: return nil
        }
    }

    /// A member that is a text and no secret.
    func string(
        _ name: StaticString, of node: Node?, _ text: Span<UInt8>, _ arena: SecretArena
    ) -> String? {
        guard let node, let value = member(name, of: node, in: text) else { return nil }
        return string(value, text, arena)
    }

    /// A member that is a list of texts that are no secrets.
    func strings(
        _ name: StaticString, of node: Node?, _ text: Span<UInt8>, _ arena: SecretArena
    ) -> [String]? {
        guard let node, let list = member(name, of: node, in: text), kind(of: list) == .array
        else { return nil }
        var result: [String] = []
        var isWhole = true
        forEachElement(of: list) { element in
            if let item = string(element, text, arena) {
                result.append(item)
            } else {
                isWhole = false
            }
        }
        return isWhole ? result : nil
    }

    /// The value of a text that is no secret.
    func string(_ node: Node, _ text: Span<UInt8>, _ arena: SecretArena) -> String? {
        guard kind(of: node) == .string else { return nil }
        let count = decodedCount(of: node, in: text)
        guard var buffer = try? SecretBuffer(arena: arena, capacity: max(1, count)) else {
            return nil
        }
        guard (try? appendString(node, in: text, to: &buffer)) != nil else { return nil }
        return buffer.withBytes { bytes in
            // SAFETY: the scanner has let well-formed UTF-8 through and nothing else.
            String(copying: unsafe UTF8Span(unchecked: bytes))
        }
    }
}
