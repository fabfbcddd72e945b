import JSON
import SecretMemory
import Varlink

/// `account key`: the slots that open the store.
enum KeyCommand {
    static let description = CommandDescription(
        usage: "list|add|remove|rotate|recovery [KIND|ID] [options]",
        """
        Shows and changes what opens the store. Its master key is kept in slots, each of which one
        secret opens: a passphrase, a key file on this machine, a credential of the service
        manager's, or a recovery code for the day on which the others are lost.

        """, options: KeyOptions.all, operands: KeyOptions.actions,
        notes: """
            list                the slots as they stand; works when the store is locked
            add passphrase      asks for a new one, twice; key files and their slots are removed,
                                since a lock beside an open window protects nothing
            add credential      the one that the service manager passes to the daemon
            add keyfile         the daemon's key file, which is made if there is none: the store
                                opens by itself then
            add recovery        shows a code once, which is to be written down and typed back
            remove ID           ID may be the first digits alone; the last slot stays
            rotate              another master key, in all the slots; nobody's secret changes
            recovery            the same as add recovery

            """)

    static func run(_ invocation: inout Invocation) throws(CommandFailure) -> ExitStatus {
        let given = try KeyOptions(&invocation)
        switch given.action {
        case .list: try list(given, invocation)
        case .add, .recovery: try KeyAdding.run(given, invocation)
        case .remove: try remove(given, invocation)
        case .rotate: try rotate(invocation)
        }
        return .done
    }

    private static func list(
        _ given: KeyOptions, _ invocation: Invocation
    ) throws(CommandFailure) {
        var exchange = try Exchange.start(invocation.options, memory: 2 * Exchange.smallMemory)
        let slots = try SlotList.ask(&exchange)
        try invocation.print(given.isJSON ? slots.json : slots.text)
    }

    private static func remove(
        _ given: KeyOptions, _ invocation: Invocation
    ) throws(CommandFailure) {
        let removed = try Asking.whileOpen(invocation.options) { () throws(CommandFailure) in
            var exchange = try connect(invocation.options)
            try exchange.send(limit: 4096) { out throws(SecretMemoryError) in
                var call = try MessageWriter.beginCall("org.accountd.Keys.RemoveSlot", &out)
                try call.field("id", given.id, &out)
                if !given.rotates { try call.field("rotate", false, &out) }
                try call.end(&out)
            }
            return try slot("removed", &exchange)
        }
        try invocation.print("Removed the \(removed.name).\n")
        if given.rotates { try ArchiveCommand.resealAfterRotation(invocation.options) }
    }

    private static func rotate(_ invocation: Invocation) throws(CommandFailure) {
        let (keyID, retired) = try Asking.whileOpen(invocation.options) {
            () throws(CommandFailure) -> (String, Int) in
            var exchange = try connect(invocation.options)
            try exchange.send("org.accountd.Keys.Rotate")
            let arena = exchange.arena
            let path = exchange.path
            return try exchange.receive(.changingKeys) {
                answer, index, text throws(CommandFailure) in
                guard let keyID = index.string("key_id", of: answer.parameters, text, arena),
                    let retired = index.strings("retired", of: answer.parameters, text, arena)
                else { throw .notUnderstood(path) }
                return (keyID, retired.count)
            }
        }
        let shown = ControlCharacters.escaped(keyID)
        let rest =
            retired == 0 ? "" : " Earlier ones that some file is still sealed by: \(retired)."
        try invocation.print("The master key is now \(shown).\(rest)\n")
        try ArchiveCommand.resealAfterRotation(invocation.options)
    }

    /// Connects for a change of the slots.
    static func connect(_ options: GlobalOptions) throws(CommandFailure) -> Exchange {
        try Asking.connect(
            DaemonFinder(options: options, sendsSecret: true),
            Exchange.makeArena(2 * Exchange.smallMemory))
    }

    /// Receives the slot that a change was of.
    private static func slot(
        _ name: StaticString, _ exchange: inout Exchange
    ) throws(CommandFailure) -> SlotDescription {
        let arena = exchange.arena
        let path = exchange.path
        return try exchange.receive(.changingKeys) { answer, index, text throws(CommandFailure) in
            let node = answer.field(name, index, text)
            guard let slot = SlotDescription(node, index, text, arena) else {
                throw .notUnderstood(path)
            }
            return slot
        }
    }
}
