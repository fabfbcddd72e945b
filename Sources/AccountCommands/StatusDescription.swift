import JSON
import SecretMemory
import Varlink

/// What the daemon says of itself. docs/PROTOCOL.md, "Queries"
struct StatusDescription: Equatable {
    let state: String
    let version: String
    /// Kinds of the key slots, weakest first.
    let protection: [String]
    let memory: String
    /// Bytes.
    let lockedBytes: Int64
    let clock: String
    let connections: Int64
    let role: String
    /// Seconds without use after which the store is locked; nil where it is not.
    let lockAfterIdle: Int64?
    /// Seconds after which it is locked in any case; nil where it is not.
    let lockAfter: Int64?

    /// Asks.
    static func receive(_ exchange: inout Exchange) throws(CommandFailure) -> StatusDescription {
        let arena = exchange.arena
        let path = exchange.path
        return try exchange.receive(.asking(minimum: 0)) {
            answer, index, text throws(CommandFailure) in
            let node = answer.field("status", index, text)
            guard let status = StatusDescription(node, index, text, arena) else {
                throw .notUnderstood(path)
            }
            return status
        }
    }

    /// Reads the object.
    ///
    /// - Returns: nil when it lacks a member.
    init?(
        _ node: JSONIndex.Node?, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ arena: SecretArena
    ) {
        guard let state = index.string("state", of: node, text, arena),
            let version = index.string("version", of: node, text, arena),
            let protection = index.strings("protection", of: node, text, arena),
            let memory = index.string("memory", of: node, text, arena),
            let lockedBytes = index.integer("locked_bytes", of: node, text),
            let clock = index.string("clock", of: node, text, arena),
            let connections = index.integer("connections", of: node, text),
            let role = index.string("role", of: node, text, arena)
        else { return nil }
        self.state = state
        self.version = version
        self.protection = protection
        self.memory = memory
        self.lockedBytes = lockedBytes
        self.clock = clock
        self.connections = connections
        self.role = role
        lockAfterIdle = index.integer("lock_after_idle", of: node, text)
        lockAfter = index.integer("lock_after", of: node, text)
    }
}
