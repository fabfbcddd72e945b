/// Who may do what, by the peer credentials that the kernel gave when the connection was made.
///
/// The owner is the daemon's own uid, and root. The overflow ids, which stand for everybody whom a
/// user namespace cannot name, match no one. user_namespaces(7)
package struct AccessPolicy: Sendable {
    /// What the kernel reports for ids that it cannot map.
    package static let overflowID: UInt32 = 65_534

    private let ownUID: UInt32
    private let readers: UInt32?
    private let observers: UInt32?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - ownUID: the daemon's effective uid.
    ///   - readers: gid of the group that may ask for the token.
    ///   - observers: gid of the group that may ask for the expiry.
    package init(ownUID: UInt32, readers: UInt32? = nil, observers: UInt32? = nil) {
        self.ownUID = ownUID
        self.readers = readers == Self.overflowID ? nil : readers
        self.observers = observers == Self.overflowID ? nil : observers
    }

    /// Whether a peer's groups can make a difference, so that they need not be asked for otherwise.
    package var usesGroups: Bool { readers != nil || observers != nil }

    /// The role that a peer has by its uid alone.
    package func isOwner(uid: UInt32) -> Bool {
        if uid == Self.overflowID { return false }
        return uid == ownUID || uid == 0
    }

    /// Whether a peer is the daemon's own user, and not root or anybody else.
    package func isOwnUser(uid: UInt32) -> Bool { uid == ownUID && uid != Self.overflowID }

    /// The role of a peer.
    ///
    /// - Parameter groups: all of its groups, the primary one included.
    package func role(uid: UInt32, groups: [UInt32]) -> Role {
        if isOwner(uid: uid) { return .owner }
        if uid == Self.overflowID { return .stranger }
        if let readers, groups.contains(readers) { return .reader }
        if let observers, groups.contains(observers) { return .observer }
        return .stranger
    }
}
