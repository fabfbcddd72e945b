package import JSON

/// Why a message is no reply.
package enum ClientReplyError: Error, Equatable, Sendable {
    /// Not JSON, or not as strict as this wire is.
    case notJSON(JSONError)
    /// Not an object.
    case notAnObject
    /// A member of the message has the wrong type.
    case wrongType
}

/// One reply, as places in the text of its message.
///
/// Nothing is copied: names and values stay in the message, which the caller keeps and lends again
/// to whoever reads them. varlink.org, "Reply"
package struct ClientReply: Equatable, Sendable {
    /// The error's full name, interface included; absent when the call succeeded.
    package let error: JSONIndex.Node?
    /// The results, or what the error says of itself; absent when the message has none.
    package let parameters: JSONIndex.Node?
    /// Another reply to the same call follows.
    package let continues: Bool

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - text: one message without its terminator.
    ///   - index: scratch; afterwards it describes `text`.
    /// - Throws: `ClientReplyError`; members that the protocol does not know are ignored.
    package init(
        reading text: Span<UInt8>, with index: inout JSONIndex
    ) throws(ClientReplyError) {
        do { try index.scan(text) } catch { throw .notJSON(error) }
        let root = index.root
        guard index.kind(of: root) == .object else { throw .notAnObject }
        error = try Self.member("error", .string, index, text)
        parameters = try Self.member("parameters", .object, index, text)
        guard let continues = index.member("continues", of: root, in: text) else {
            self.continues = false
            return
        }
        switch index.kind(of: continues) {
        case .true: self.continues = true
        case .false, .null: self.continues = false
        default: throw .wrongType
        }
    }

    // A member that is null counts as absent.
    private static func member(
        _ name: StaticString, _ kind: JSONIndex.Kind, _ index: borrowing JSONIndex,
        _ text: Span<UInt8>
    ) throws(ClientReplyError) -> JSONIndex.Node? {
        guard let node = index.member(name, of: index.root, in: text) else { return nil }
        let found = index.kind(of: node)
        if found == .null { return nil }
        guard found == kind else { throw .wrongType }
        return node
    }

    /// Looks up a field of the parameters; one that is null counts as absent.
    package func field(
        _ name: StaticString, _ index: borrowing JSONIndex, _ text: Span<UInt8>
    ) -> JSONIndex.Node? {
        guard let parameters, let node = index.member(name, of: parameters, in: text),
            index.kind(of: node) != .null
        else { return nil }
        return node
    }
}
