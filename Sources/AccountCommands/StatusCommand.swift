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
        table.add("account", meaning(ofState: status.state))
        table.add("protection", protection(status.protection))
        table.add("memory", memory(status))
        table.add("clock", meaning(ofClock: status.clock))
        table.add("connections", "\(status.connections)")
        table.add("role", status.role)
        return table.text
    }

    private static func meaning(ofState state: String) -> String {
        switch state {
        case "empty": "none stored"
        case "locked": "locked: the key that opens the store is not there"
        case "damaged": "damaged: account doctor says what is wrong"
        default: state
        }
    }

    private static func protection(_ slots: [String]) -> String? {
        guard let weakest = slots.first else { return nil }
        let all = slots.joined(separator: ", ")
        guard weakest == "keyfile" else { return all }
        return all + " (a copy of the store alone opens nothing; a stolen disk does)"
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
        object.add("role", status.role)
        return object.line
    }
}
