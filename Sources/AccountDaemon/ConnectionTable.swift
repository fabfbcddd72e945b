import AccountService
import LinuxSystem
import SecretMemory

/// All open connections, and who has how many. docs/PROTOCOL.md, "Limits"
struct ConnectionTable: ~Copyable {
    /// Connections in all.
    static let maximum = 4096
    /// Of these, kept for the owner and root.
    static let reservedForOwner = 64
    /// Of any other user.
    static let maximumForeign = 128
    /// Bytes of secret memory that all other users' half-sent messages and unread replies may hold.
    static let foreignBudget = 256 * 1024
    /// Of any one of them.
    static let foreignUserBudget = 128 * 1024

    /// Connections that there is room for: fewer than `maximum` where descriptors are few.
    let maximum: Int
    private(set) var count = 0
    private var strangers = 0
    private var byDescriptor: [Connection?] = []
    // By descriptor, the generation of a connection that may ask for the token and of which nothing
    // is under way; 0 of any other. A plain query is answered by this alone: with many connections
    // their objects, each in a place of its own, would cost more than all the rest.
    private var idle: [UInt32] = []
    private var users: [UInt32: ForeignUser] = [:]
    private var generation: UInt32 = 0
    private let foreign: SecretBudget
    private var reservedForOwner: Int { min(Self.reservedForOwner, maximum / 4) }

    /// Makes an empty one.
    init(
        maximum: Int = ConnectionTable.maximum,
        foreignBudget: Int = ConnectionTable.foreignBudget
    ) {
        self.maximum = min(maximum, Self.maximum)
        foreign = SecretBudget(limit: foreignBudget)
    }

    /// Takes a connection in.
    ///
    /// - Returns: nil when its user, or everybody, has too many; the descriptor is closed then.
    mutating func insert(
        _ descriptor: consuming FileDescriptor, peer: PeerCredentials, role: Role
    ) -> Connection? {
        let isOwner = role == .owner
        // Strangers have many uids where they can make user namespaces: they never take the places
        // of those who are permitted.
        guard role != .stranger || strangers < maximum / 4 else { return nil }
        guard count < maximum - (isOwner ? 0 : reservedForOwner) else { return nil }
        var user: ForeignUser?
        if !isOwner {
            let known =
                users[peer.uid]
                ?? ForeignUser(
                    uid: peer.uid,
                    budget: SecretBudget(
                        limit: min(Self.foreignUserBudget, foreign.limit / 2), within: foreign))
            guard known.connections < Self.maximumForeign else { return nil }
            known.connections += 1
            users[peer.uid] = known
            user = known
        }
        generation &+= 1
        let connection = Connection(
            descriptor, peer: peer, role: role, generation: generation, user: user)
        let fd = Int(connection.fd)
        while byDescriptor.count <= fd {
            byDescriptor.append(nil)
            idle.append(0)
        }
        byDescriptor[fd] = connection
        setIdle(connection, true)
        count += 1
        if role == .stranger { strangers += 1 }
        return connection
    }

    /// The connection that a poller's token stands for; nil when it is gone.
    func find(_ token: UInt64) -> Connection? {
        let fd = Int(truncatingIfNeeded: token & 0xFFFF_FFFF)
        guard fd < byDescriptor.count, let connection = byDescriptor[fd],
            connection.generation == UInt32(truncatingIfNeeded: token >> 32)
        else { return nil }
        return connection
    }

    /// Whether something is under way of a connection that may ask for the token.
    mutating func setIdle(_ connection: Connection, _ isIdle: Bool) {
        let isSo = isIdle && connection.role >= .reader && !connection.isClosed
        idle[Int(connection.fd)] = isSo ? connection.generation : 0
    }

    /// The descriptor of an idle connection that a poller's token stands for.
    func idleDescriptor(_ token: UInt64) -> Int32? {
        let fd = Int(truncatingIfNeeded: token & 0xFFFF_FFFF)
        guard fd < idle.count, idle[fd] == UInt32(truncatingIfNeeded: token >> 32) else {
            return nil
        }
        return Int32(truncatingIfNeeded: fd)
    }

    /// Every one of them, so that some can be removed meanwhile.
    func all() -> [Connection] { byDescriptor.compactMap { $0 } }

    static func token(of connection: Connection) -> UInt64 {
        UInt64(connection.generation) << 32 | UInt64(UInt32(bitPattern: connection.fd))
    }

    /// Takes a connection out and closes it.
    mutating func remove(_ connection: Connection) {
        let fd = Int(connection.fd)
        guard !connection.isClosed, byDescriptor[fd] === connection else { return }
        byDescriptor[fd] = nil
        idle[fd] = 0
        count -= 1
        if connection.role == .stranger { strangers -= 1 }
        if let user = connection.user {
            user.connections -= 1
            if user.connections == 0 { users[user.uid] = nil }
        }
        connection.close()
    }
}
