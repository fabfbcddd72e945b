import Accounts
import Sealing

/// What the store's files are worth together: what they hold, what is wrong with them, and what
/// would mend it.
struct Diagnosis: ~Copyable {
    /// One kind of file after it was judged.
    enum Slots {
        case absent
        case good(KeySlots, [UInt8])
        case bad(String)
    }

    var standing = AccountService.Standing.empty
    var account: UserAccount?
    var masterKey: MasterKey?
    var slots: StoredSlots?
    /// A sentence each.
    var findings: [String]
    private var unfinished: [Unfinished] = []
    private var plan: [Plan] = []

    private struct Plan {
        let place: Mending.Place
        let bytes: [UInt8]
        let setsAside: Bool
    }

    init(findings: [String]) { self.findings = findings }

    /// What a change that was cut off can have left. docs/FORMAT.md, "Writing"
    enum Unfinished {
        /// The account stands, and the slots that open it wait beside those of the store before.
        case adoption(of: [UInt8])
        /// Slots whose account was never written.
        case slotsOfNoAccount
        /// A previous generation of whoever was logged in before.
        case spareOfAnotherUser

        var sentence: String {
            switch self {
            case .adoption: "keyslots.plist.next was not put into its place yet"
            case .slotsOfNoAccount:
                "keyslots.plist.next belongs to no account and was not removed yet"
            case .spareOfAnotherUser:
                "account.plist.sealed~ is of another user and was not removed yet"
            }
        }

        func mendings(at time: Int64) -> [Mending] {
            switch self {
            case .adoption(let slots): Mending.adopting(slots, at: time)
            case .slotsOfNoAccount:
                [Mending(place: .nextSlots, bytes: nil, setsAsideAt: nil)]
            case .spareOfAnotherUser:
                [Mending(place: .previousAccount, bytes: nil, setsAsideAt: nil)]
            }
        }
    }

    /// Notes a fault that keeps the store shut.
    mutating func damaged(_ what: String) {
        findings.append(what)
        // The first fault is the one to name: the others may follow from it.
        if case .damaged = standing { return }
        standing = .damaged(what)
    }

    /// Notes that nothing which opens the store was given.
    mutating func staysLocked(_ slots: KeySlots) {
        if standing == .empty { standing = .locked }
        if standing == .locked, slots.slots.contains(where: \.kind.asksSomebody) {
            findings.append("the store is locked: `account unlock` opens it")
        }
    }

    /// Notes that a rotation has not come to its end.
    mutating func lists(retired count: Int) {
        guard count > 0 else { return }
        findings.append(
            "keyslots.plist keeps \(count) earlier master \(count == 1 ? "key" : "keys"), by which "
                + "files may still be sealed; `account key rotate` looks, and forgets what it can")
    }

    /// Notes what would mend a fault.
    mutating func mend(_ place: Mending.Place, with bytes: [UInt8], settingAside: Bool) {
        plan.append(Plan(place: place, bytes: bytes, setsAside: settingAside))
    }

    /// Notes what a change that was cut off has left to do.
    mutating func finish(_ what: Unfinished) {
        findings.append("\(what.sentence); `account doctor --repair` does")
        unfinished.append(what)
    }

    /// Whether the slots are those of a store that was begun anew and is not tidy yet: what else
    /// stands there may be of the store before.
    var isAdopting: Bool {
        unfinished.contains { if case .adoption = $0 { true } else { false } }
    }

    /// What a change that was cut off has left to do.
    ///
    /// `time`: seconds, for the names of what is set aside.
    func unfinished(at time: Int64) -> [Mending] {
        unfinished.flatMap { $0.mendings(at: time) }
    }

    /// What would mend the store, the unfinished included.
    ///
    /// `time`: as above.
    func mendings(at time: Int64) -> [Mending] {
        let planned = plan.map {
            Mending(place: $0.place, bytes: $0.bytes, setsAsideAt: $0.setsAside ? time : nil)
        }
        return unfinished(at: time) + planned
    }
}
