import Accounts
import Sealing

/// The one change in hand: what it began as, and what takes effect once it is durable.
struct PendingChange: ~Copyable {
    /// What the next result means.
    enum Stage {
        /// A login waits for the store to be read, since the key is not there yet.
        case loginReads
        case saves
        case removes
        /// What stood in the way of the account is looked at again once it is removed.
        case removesReadsAgain
        case verifies
        case repairReads
        case repairMends
        case repairReadsAgain
    }

    let method: Method
    let isOneway: Bool
    var stage: Stage
    /// `Login.replace`.
    var replaces = false
    /// Whether the name and the avatar were left out: those that are stored of the user stay then.
    var keepsScreenName = false
    var keepsAvatar = false
    /// An account that is not sealed yet.
    var candidate: UserAccount?
    /// The account that will be held.
    var next: HeldAccount?
    /// A key and slots that are made with it.
    var masterKey: MasterKey?
    var slots: StoredSlots?
    /// Whose account a logout removes.
    var uid: String?
    /// Room for the key file while the store is read.
    var keyFile: KeyFileReading?

    init(method: Method, isOneway: Bool, stage: Stage) {
        self.method = method
        self.isOneway = isOneway
        self.stage = stage
    }
}
