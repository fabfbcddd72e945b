import Accounts
import Sealing
import SecretMemory

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
        /// A passphrase becomes a seed.
        case unlockDerives
        case unlockReads
        /// What opens the store by itself is looked at for a slot.
        case slotsRead
        case slotsDerive
        case slotsSave
        /// The account is sealed by a new master key.
        case reseals
        case retiredDrop
        case keyFileRemoval
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
    /// Room for what opens the store by itself while it is read.
    var keys: StoreKeys?
    /// Who asked; wrong passphrases are counted for each.
    var caller: UInt32 = 0
    /// A passphrase on its way to a seed, and the parameters of slots that it was not tried with.
    var derivation: PassphraseDerivation?
    var parameters: [KeySlot.PassphraseParameters] = []
    /// Whether what opens the store by itself may do so, though it was locked on purpose.
    var opensByItself = false
    /// The bytes of a recovery code for a new slot.
    var recoveryCode: SecretBytes?
    /// A change of the slots.
    var slotChange = SlotChange()

    init(method: Method, isOneway: Bool, stage: Stage) {
        self.method = method
        self.isOneway = isOneway
        self.stage = stage
    }
}
