import AccountService
import LinuxSystem
import SecretMemory

/// One connection: who is at its other end, and what of it is under way.
///
/// An idle one is small, since there may be thousands: what holds bytes is made when bytes must be
/// held.
final class Connection {
    /// What must not last for ever.
    enum Limit: UInt8 {
        case none
        /// A message of which a part has come.
        case halfSent
        /// A reply that nobody reads.
        case unread
        /// A stranger's first call.
        case stranger
    }

    /// Bytes in hand.
    final class Bytes {
        /// Received and not yet answered.
        var input: SecretBuffer?
        /// Written and not yet sent.
        var output: SecretBuffer?

        /// Drops and wipes bytes at the front of the input that were answered.
        func dropInput(_ count: Int) {
            guard count > 0, var rest = input.take() else { return }
            rest.removeFirst(count)
            if !rest.isEmpty { input = consume rest }
        }
    }

    let fd: Int32
    let peer: PeerCredentials
    let role: Role
    /// Whether the role is none at all.
    let isStranger: Bool
    /// Told apart from another connection that had the same descriptor before.
    let generation: UInt32
    /// Shared with the user's other connections; absent for the owner's.
    let user: ForeignUser?
    var bytes: Bytes?

    /// A change that it asked for, or waits for, is under way.
    var isWaiting = false
    /// The peer will send no more; what was asked is answered, then it is closed.
    var hasEnded = false
    private(set) var isClosed = false
    /// What the poller waits for.
    var interest = PollEvents.readable

    // The place in the queue of its limit.
    var limit = Limit.none
    var deadline: Int64 = 0
    var next: Connection?
    unowned(unsafe) var previous: Connection?

    /// Bytes that a stranger has sent.
    var strangerBytes = 0

    /// What it did since that was recorded; nil where no records are kept.
    var tally: AccessRecords.Tally?

    private var descriptor: FileDescriptor?

    init(
        _ descriptor: consuming FileDescriptor, peer: PeerCredentials, role: Role,
        generation: UInt32, user: ForeignUser?
    ) {
        fd = descriptor.rawValue
        self.descriptor = consume descriptor
        self.peer = peer
        self.role = role
        isStranger = role == .stranger
        self.generation = generation
        self.user = user
    }

    /// Closes the socket and wipes what is in hand; the object may live on in a list or a call.
    func close() {
        isClosed = true
        isWaiting = false
        bytes = nil
        descriptor = nil
    }

    var hasInput: Bool {
        guard let bytes else { return false }
        switch bytes.input {
        case .some(let input): return !input.isEmpty
        case .none: return false
        }
    }

    var hasOutput: Bool {
        guard let bytes else { return false }
        switch bytes.output {
        case .some: return true
        case .none: return false
        }
    }
}

/// What all connections of one user, other than the owner and root, share.
final class ForeignUser {
    let uid: UInt32
    var connections = 0
    let budget: SecretBudget

    init(uid: UInt32, budget: SecretBudget) {
        self.uid = uid
        self.budget = budget
    }
}
