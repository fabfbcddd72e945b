package import JSON

/// Why a message is no call: a fault of the protocol itself, after which a connection is closed.
package enum MessageError: Error, Equatable, Sendable {
    /// Not JSON, or not as strict as this wire is.
    case notJSON(JSONError)
    /// Not an object.
    case notAnObject
    /// `method` is absent or no string.
    case noMethod
    /// A member of the message has the wrong type.
    case wrongType
}

/// One call, as places in the text of its message.
///
/// Nothing is copied: the names and values stay in the message, which the caller keeps and lends
/// again to whoever reads them. varlink.org, "Method Call"
package struct Call {
    /// The full name, interface and method.
    package let method: JSONIndex.Node
    /// The parameters; absent when the message has none.
    package let parameters: JSONIndex.Node?
    /// The caller wants no reply.
    package let oneway: Bool
    /// The caller takes several replies.
    package let more: Bool
    /// The caller wants to leave the protocol.
    package let upgrade: Bool

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - text: one message without its terminator.
    ///   - index: scratch; afterwards it describes `text`.
    /// - Throws: `MessageError`; members that the protocol does not know are ignored.
    package init(
        reading text: Span<UInt8>, with index: inout JSONIndex
    ) throws(MessageError) {
        do { try index.scan(text) } catch { throw .notJSON(error) }
        let root = index.root
        guard index.kind(of: root) == .object else { throw .notAnObject }
        guard let method = index.member("method", of: root, in: text),
            index.kind(of: method) == .string
        else { throw .noMethod }
        self.method = method
        let parameters = index.member("parameters", of: root, in: text)
        if let parameters {
            switch index.kind(of: parameters) {
            case .object: self.parameters = parameters
            case .null: self.parameters = nil
            default: throw .wrongType
            }
        } else {
            self.parameters = nil
        }
        // A call with nothing but a method and its parameters has two members at the most.
        guard index.count(of: root) > (parameters == nil ? 1 : 2) else {
            oneway = false
            more = false
            upgrade = false
            return
        }
        oneway = try Self.flag("oneway", index, text)
        more = try Self.flag("more", index, text)
        upgrade = try Self.flag("upgrade", index, text)
    }

    private static func flag(
        _ name: StaticString, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) throws(MessageError) -> Bool {
        guard let node = index.member(name, of: index.root, in: text) else { return false }
        switch index.kind(of: node) {
        case .true: return true
        case .false, .null: return false
        default: throw .wrongType
        }
    }
}
