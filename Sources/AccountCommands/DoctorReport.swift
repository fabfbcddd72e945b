/// What `account doctor` has to say.
struct DoctorReport {
    /// What has become of `--repair`.
    enum Repair: Equatable {
        case unneeded
        /// What is wrong is still wrong.
        case failed
        /// The store is whole again, and nobody is logged in.
        case withoutAccount
        /// The store is whole again, with this account.
        case account(AccountDescription)
    }

    /// What this program has seen for itself.
    private var seen: [DoctorFinding] = []
    /// What the daemon knows.
    var told: [DoctorFinding] = []
    /// All of it.
    var findings: [DoctorFinding] { seen + told }
    /// Nil unless it was asked for.
    var repaired: Repair?

    /// Looks at what can be seen without the daemon; nil where it is not known where that is.
    mutating func look(at store: StoreLocation?) {
        seen = store.map { DoctorChecks(store: $0).run() } ?? []
    }

    /// Whether something was brought back.
    var hasRepaired: Bool {
        switch repaired {
        case .account, .withoutAccount: true
        case nil, .unneeded, .failed: false
        }
    }

    /// Adds what the daemon has found wrong with the store.
    mutating func add(_ faults: [String]) {
        told += faults.map { DoctorFinding(.wrong, "store", $0) }
    }

    /// Whether nothing is wrong.
    var isHealthy: Bool { !findings.contains { $0.verdict == .wrong } }

    /// The report for people.
    var text: String {
        var text = ""
        for finding in findings { text += finding.line }
        switch repaired {
        case nil: break
        case .unneeded: text += "Nothing needed to be repaired.\n"
        case .failed: text += "Nothing could be repaired.\n"
        case .withoutAccount: text += "Repaired; nobody is logged in.\n"
        case .account(let account):
            text += "Repaired; the account of \(account.name) is back."
            text +=
                " Its token \(account.isExpired ? "expired" : "expires") on \(account.expiry).\n"
        }
        return text
    }

    /// The report for programs.
    var json: String {
        var object = JSONText()
        object.add("ok", isHealthy)
        object.add("findings", objects: findings.map(\.json))
        switch repaired {
        case .account(let account): object.add("repaired_uid", account.uid)
        case nil, .unneeded, .failed, .withoutAccount: object.add("repaired_uid", nil as String?)
        }
        return object.line
    }
}
