import JSON
import SecretMemory
import Varlink

/// `account doctor`: what is wrong, and bringing back what can be.
enum DoctorCommand {
    private static let repair = CommandOption(
        "--repair",
        """
        bring back what is damaged from the copies beside it, and say which account
        that is; open the store by a key file that has been put back
        """)
    private static let json = CommandOption("--json", "print the findings as JSON")

    static let description = CommandDescription(
        """
        Looks at the state directory, the files in it, the daemon and its memory, and has the daemon
        read the store's files as they are now. Each line begins with ok, note or wrong; the exit
        status is 7 when something is wrong, else 0.

        """, options: [repair, json])

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var repairs = false
        var isJSON = false
        while let option = try invocation.nextOption() {
            switch option {
            case Self.repair: repairs = true
            case Self.json: isJSON = true
            default: throw Invocation.unknown(option, .doctor)
            }
        }
        let finder = DaemonFinder(options: invocation.options, sendsSecret: false)
        // A store that is reached by a named socket may be anywhere.
        let store = try finder.mayStart() ? StoreLocation.of(invocation.options) : nil
        var report = DoctorReport()
        report.look(at: store)
        do {
            var exchange = try Asking.connect(finder, Exchange.makeArena(memory))
            try examine(&exchange, repairs, &report)
            // What lay in the store before the repair may have gone.
            if report.hasRepaired { report.look(at: store) }
        } catch {
            // What was seen may be the very reason why the daemon does not start.
            if report.repaired != .failed {
                report.told.append(DoctorFinding(.wrong, "daemon", error.message))
            }
            try invocation.print(isJSON ? report.json : report.text)
            throw error
        }
        try invocation.print(isJSON ? report.json : report.text)
        return report.isHealthy ? .done : .storeDamaged
    }

    private static let memory = 4 * Exchange.smallMemory

    // What the daemon knows.
    private static func examine(
        _ exchange: inout Exchange, _ repairs: Bool, _ report: inout DoctorReport
    ) throws(CommandFailure) {
        try exchange.send("org.accountd.Account.GetStatus")
        let status = try StatusDescription.receive(&exchange)
        report.told.append(DoctorChecks.version(status, exchange.path))
        report.told.append(DoctorChecks.memory(status))
        if status.clock != "steady" {
            report.told.append(DoctorFinding(.note, "clock", "it has \(status.clock)"))
        }
        var faults = try verify(&exchange)
        let waitsForPerson =
            status.state == "locked"
            && status.protection.contains { $0 == "passphrase" || $0 == "recovery" }
        if waitsForPerson, faults.isEmpty {
            report.told.append(
                DoctorFinding(.note, "store", "it is locked: account unlock opens it"))
        } else if faults.isEmpty, status.state == "locked" || status.state == "damaged" {
            faults = [
                "it is whole now, but was not when the daemon read it: "
                    + "account doctor --repair has it read again"
            ]
        }
        if repairs, !faults.isEmpty {
            do {
                report.repaired = try repair(&exchange)
            } catch {
                report.add(faults)
                report.repaired = .failed
                throw error.status == .locked ? .locked(status.protection) : error
            }
            let before = faults
            faults = try verify(&exchange)
            if faults == before { report.repaired = .failed }
        } else if repairs {
            report.repaired = .unneeded
        }
        report.add(faults)
        if faults.isEmpty, !waitsForPerson {
            report.told.append(DoctorFinding(.ok, "store", "nothing is damaged"))
        }
    }

    // What the daemon finds of a store that waits for somebody; that is as it should be.
    private static let lockedFinding = "the store is locked: `account unlock` opens it"

    private static func verify(_ exchange: inout Exchange) throws(CommandFailure) -> [String] {
        try exchange.send("org.accountd.Account.Verify")
        let arena = exchange.arena
        let path = exchange.path
        return try exchange.receive(.verifying) { answer, index, text throws(CommandFailure) in
            guard let findings = index.strings("findings", of: answer.parameters, text, arena)
            else { throw .notUnderstood(path) }
            return findings.filter { $0 != lockedFinding }
        }
    }

    private static func repair(
        _ exchange: inout Exchange
    ) throws(CommandFailure) -> DoctorReport.Repair {
        try exchange.send("org.accountd.Account.Repair")
        let arena = exchange.arena
        let path = exchange.path
        return try exchange.receive(.verifying) { answer, index, text throws(CommandFailure) in
            guard let node = answer.field("account", index, text) else { return .withoutAccount }
            guard let account = AccountDescription(node, index, text, arena) else {
                throw .notUnderstood(path)
            }
            return .account(account)
        }
    }
}
