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
    private var plan: [Plan] = []

    struct Plan {
        let place: Mending.Place
        let bytes: [UInt8]
        let setsAside: Bool
    }

    init(findings: [String]) { self.findings = findings }

    /// Notes a fault that keeps the store shut.
    mutating func damaged(_ what: String) {
        findings.append(what)
        // The first fault is the one to name: the others may follow from it.
        if case .damaged = standing { return }
        standing = .damaged(what)
    }

    /// Notes what would mend a fault.
    mutating func mend(_ place: Mending.Place, with bytes: [UInt8], settingAside: Bool) {
        plan.append(Plan(place: place, bytes: bytes, setsAside: settingAside))
    }

    /// What would mend the store.
    ///
    /// `time`: seconds, for the names of what is set aside.
    func mendings(at time: Int64) -> [Mending] {
        plan.map {
            Mending(place: $0.place, bytes: $0.bytes, setsAsideAt: $0.setsAside ? time : nil)
        }
    }
}
