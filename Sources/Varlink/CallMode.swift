/// What a caller wants back. varlink.org, "Method Call"
package enum CallMode: Equatable, Sendable, CaseIterable {
    /// One reply.
    case plain
    /// None, not even an error.
    case oneway
    /// As many replies as there are; all but the last say that another follows.
    case more
    /// One reply, after which the connection speaks another protocol.
    case upgrade
}
