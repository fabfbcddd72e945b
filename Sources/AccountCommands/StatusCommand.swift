import Accounts

/// `account status`: the daemon, as it is.
///
/// The one command that never starts it.
enum StatusCommand {
    private static let json = CommandOption(
        "--json", "print it as JSON; \"running\" says whether a daemon runs")

    static let description = CommandDescription(
        """
        Shows the daemon that runs: its version, whether an account is stored, what protects the
        store, whether secrets are kept out of the swap, and what you may do. Works when the store
        is locked. Starts no daemon: when none runs, the exit status is 5.

        """, options: [json])

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        var isJSON = false
        while let option = try invocation.nextOption() {
            switch option {
            case Self.json: isJSON = true
            default: throw Invocation.unknown(option, .status)
            }
        }
        let finder = DaemonFinder(options: invocation.options, sendsSecret: false)
        guard let connection = try finder.find() else {
            if isJSON { try invocation.print("{\"running\":false}\n" as StaticString) }
            throw CommandFailure(
                .noDaemon, "no daemon runs",
                hint: try finder.mayStart() ? "account show, or any other command, starts it" : nil)
        }
        var exchange = try Exchange(connection, Exchange.makeArena(2 * Exchange.smallMemory))
        try exchange.send("org.accountd.Account.GetStatus")
        let status = try StatusDescription.receive(&exchange)
        try invocation.print(isJSON ? json(status, exchange.path) : text(status, exchange.path))
        return .done
    }

    /// The status for people.
    static func text(_ status: StatusDescription, _ socket: String) -> String {
        var table = TextTable()
        table.add("daemon", "running, version \(status.version)")
        table.add("socket", socket)
        table.add("account", meaning(of: status))
        table.add("protection", protection(status.protection))
        if let limits = limits(status) { table.add("locks", limits) }
        table.add("memory", memory(status))
        table.add("clock", meaning(ofClock: status.clock))
        table.add("connections", "\(status.connections)")
        table.add("role", status.role)
        return table.text
    }

    private static func meaning(of status: StatusDescription) -> String {
        switch status.state {
        case "empty": "none stored"
        case "locked": "locked: " + whatOpens(status.protection)
        case "damaged": "damaged: account doctor says what is wrong"
        default: status.state
        }
    }

    private static func whatOpens(_ slots: [String]) -> String {
        if slots.contains("passphrase") { return "account unlock opens it" }
        if slots.contains("credential") {
            return "the service manager's credential that opens the store is not there"
        }
        return "the key that opens the store is not there"
    }

    /// What protects the store, and from what; the weakest slot decides.
    static func protection(_ slots: [String]) -> String? {
        guard let weakest = slots.first else { return nil }
        let all = slots.joined(separator: ", ")
        switch weakest {
        case "keyfile":
            return all + " (a copy of the store alone opens nothing; a stolen disk does)"
        case "credential":
            return all + " (opens by itself where the service manager has the credential)"
        case "recovery", "passphrase":
            return all + " (a stolen disk opens nothing; asked for after each start)"
        default: return all
        }
    }

    // When the daemon locks the store by itself.
    private static func limits(_ status: StatusDescription) -> String? {
        var parts: [String] = []
        if let idle = status.lockAfterIdle {
            parts.append("after \(DurationText.format(idle)) without use")
        }
        if let after = status.lockAfter {
            parts.append("\(DurationText.format(after)) after it was opened")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func memory(_ status: StatusDescription) -> String {
        switch status.memory {
        case "memfd_secret": "\(status.lockedBytes) bytes that not even root can read"
        case "locked": "\(status.lockedBytes) bytes locked, never in the swap"
        case "unlocked": "not locked: secrets may reach the swap"
        default: status.memory
        }
    }

    private static func meaning(ofClock clock: String) -> String {
        switch clock {
        case "before_issue": "behind: it stands before the token was granted"
        case "stepped_back": "stepped back since the token was seen expired"
        default: clock
        }
    }

    /// The status for programs.
    static func json(_ status: StatusDescription, _ socket: String) -> String {
        var object = JSONText()
        object.add("running", true)
        object.add("socket", socket)
        object.add("version", status.version)
        object.add("state", status.state)
        object.add("protection", status.protection)
        object.add("memory", status.memory)
        object.add("locked_bytes", status.lockedBytes)
        object.add("clock", status.clock)
        object.add("connections", status.connections)
        object.add("lock_after_idle", status.lockAfterIdle)
        object.add("lock_after", status.lockAfter)
        object.add("role", status.role)
        return object.line
    }
}
