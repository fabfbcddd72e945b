import Accounts
import JSON
import SecretMemory
import Varlink

/// A key slot, as the daemon describes it. docs/PROTOCOL.md, "Key slots"
struct SlotDescription: Equatable {
    let id: String
    let kind: String
    /// Seconds since 1970.
    let created: Int64

    /// Reads the object.
    ///
    /// - Returns: nil when it lacks a member.
    init?(
        _ node: JSONIndex.Node?, _ index: borrowing JSONIndex, _ text: Span<UInt8>,
        _ arena: SecretArena
    ) {
        guard let id = index.string("id", of: node, text, arena),
            let kind = index.string("kind", of: node, text, arena),
            let created = index.integer("created", of: node, text)
        else { return nil }
        self.id = id
        self.kind = kind
        self.created = created
    }

    /// Reads a list of them.
    ///
    /// - Returns: nil when one is none.
    static func list(
        _ name: StaticString, _ answer: ClientReply, _ index: borrowing JSONIndex,
        _ text: Span<UInt8>, _ arena: SecretArena
    ) -> [SlotDescription]? {
        guard let list = answer.field(name, index, text), index.kind(of: list) == .array else {
            return nil
        }
        var slots: [SlotDescription] = []
        var isWhole = true
        index.forEachElement(of: list) { element in
            if let slot = SlotDescription(element, index, text, arena) {
                slots.append(slot)
            } else {
                isWhole = false
            }
        }
        return isWhole ? slots : nil
    }

    /// For a sentence.
    var name: String { ControlCharacters.escaped("\(kind) slot \(id)") }

    /// For programs.
    var json: JSONText {
        var object = JSONText()
        object.add("id", id)
        object.add("kind", kind)
        object.add("created", created)
        object.add("created_date", CivilTime.rfc3339(created))
        return object
    }
}

/// The key slots of a store, and the ids of its master keys.
struct SlotList: Equatable {
    let slots: [SlotDescription]
    /// Nil before the first login.
    let keyID: String?
    /// Earlier master keys that some file is still sealed by.
    let retired: [String]

    /// Asks.
    static func ask(_ exchange: inout Exchange) throws(CommandFailure) -> SlotList {
        try exchange.send("org.accountd.Keys.ListSlots")
        let arena = exchange.arena
        let path = exchange.path
        return try exchange.receive(.verifying) { answer, index, text throws(CommandFailure) in
            guard let slots = SlotDescription.list("slots", answer, index, text, arena),
                let retired = index.strings("retired", of: answer.parameters, text, arena)
            else { throw .notUnderstood(path) }
            return SlotList(
                slots: slots, keyID: index.string("key_id", of: answer.parameters, text, arena),
                retired: retired)
        }
    }

    /// For people: a line for each slot.
    var text: String {
        guard !slots.isEmpty else { return "No key slots: nothing was stored yet.\n" }
        var text = Self.line("ID", "KIND", "CREATED")
        for slot in slots { text += Self.line(slot.id, slot.kind, CivilTime.rfc3339(slot.created)) }
        if !retired.isEmpty {
            text += "\nEarlier master keys that some file is still sealed by: \(retired.count).\n"
        }
        return text
    }

    // 16 digits, and the longest of the kinds.
    private static func line(_ id: String, _ kind: String, _ created: String) -> String {
        padded(id, 18) + padded(kind, 12) + created + "\n"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        let shown = ControlCharacters.escaped(text)
        return shown + String(repeating: " ", count: max(1, width - shown.utf8.count))
    }

    /// For programs.
    var json: String {
        var object = JSONText()
        object.add("slots", objects: slots.map(\.json))
        object.add("key_id", keyID)
        object.add("retired", retired)
        return object.line
    }
}
