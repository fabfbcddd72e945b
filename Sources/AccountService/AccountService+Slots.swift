import Accounts
import JSON
import Sealing
import SecretMemory
import Varlink

// org.accountd.Keys, where nothing is written: what there is, and what a call asks for.
extension AccountService {
    func listSlots(
        _ call: Call, _ text: Span<UInt8>, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        if slots == nil, case .damaged(let what) = standing { throw .storeDamaged(what) }
        let list = slots?.slots
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            try writer.openList("slots", &reply)
            for slot in Self.byAge(list?.slots ?? []) {
                try writer.openObject(&reply)
                try Self.writeMembers(of: slot, &writer, &reply)
                try writer.closeObject(&reply)
            }
            try writer.closeList(&reply)
            try writer.field("key_id", optional: list?.current.description, &reply)
            try writer.field("retired", list?.retired.map(\.id.description) ?? [], &reply)
            try writer.end(&reply)
        } catch { throw .memory(error) }
    }

    /// The oldest first.
    private static func byAge(_ slots: [KeySlot]) -> [KeySlot] {
        slots.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    private static func writeMembers(
        of slot: KeySlot, _ writer: inout MessageWriter, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        try writer.field("id", slot.id.description, &out)
        try writer.field("kind", slot.kind.rawValue, &out)
        try writer.field("created", slot.created, &out)
        try writer.field("created_date", CivilTime.rfc3339(slot.created), &out)
    }

    func newRecoveryCode(
        _ call: Call, _ text: Span<UInt8>, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        let code = try Self.drawnCode(arena)
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            try writer.name("recovery_code", &reply)
            try code.withBytes { bytes throws(SecretMemoryError) in
                try reply.appendJSONString(bytes)
            }
            try writer.end(&reply)
        } catch { throw .memory(error) }
    }

    private static func drawnCode(_ arena: SecretArena) throws(Refusal) -> SecretBuffer {
        let bytes: SecretBytes
        do throws(SealingError) {
            bytes = try RecoveryCode.random(in: arena)
        } catch { throw refusal(error) }
        do throws(RecoveryCodeError) {
            return try bytes.withBytes { bytes throws(RecoveryCodeError) in
                try RecoveryCode.encode(bytes, arena: arena)
            }
        } catch { throw .memory(.exhausted) }
    }

    // MARK: Beginning

    mutating func beginAdding(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> Outcome {
        var parameters = Parameters(of: call)
        let kindNode = try parameters.string("kind", index, text)
        let passphrase = try parameters.string("passphrase", index, text)
        let code = try parameters.string("recovery_code", index, text)
        let keepsKeyFile = try parameters.boolean("keep_keyfile", index, text) ?? false
        try parameters.refuseOthers(
            besides: ["kind", "passphrase", "recovery_code", "keep_keyfile"], index, text)
        guard let kindNode else { throw .invalidParameter("kind") }
        let kind = try slotKind(kindNode, text)
        try refuseStrays(kind, passphrase, code)
        try requireOpen(orEmpty: true)
        if let slots, slots.slots.slots.count >= KeySlots.maximumSlots { throw .tooManySlots }

        var change = PendingChange(method: .addSlot, isOneway: call.oneway, stage: .slotsRead)
        change.slotChange.kind = kind
        change.slotChange.keepsKeyFile = keepsKeyFile
        if let passphrase {
            let typed = try self.passphrase(passphrase, text)
            _ = try derivation(&change, typed, .moderate())
        }
        if let code { change.recoveryCode = try recoveryCode(code, text) }
        let room = try roomForKeys(&change)
        pending = consume change
        return Outcome(action: .change(.read(room)), method: .addSlot, verdict: .answered)
    }

    private func slotKind(
        _ node: JSONIndex.Node, _ text: Span<UInt8>
    ) throws(Refusal) -> KeySlot.Kind {
        for kind in KeySlot.Kind.allCases
        where index.string(node, equals: kind.rawValue.utf8.span, in: text) {
            return kind
        }
        throw .invalidField("kind", "is none of passphrase, credential, keyfile and recovery")
    }

    /// Each kind wants its own parameter, and no other.
    private func refuseStrays(
        _ kind: KeySlot.Kind, _ passphrase: JSONIndex.Node?, _ code: JSONIndex.Node?
    ) throws(Refusal) {
        if kind == .passphrase, passphrase == nil { throw .invalidParameter("passphrase") }
        if kind == .recovery, code == nil { throw .invalidParameter("recovery_code") }
        if kind != .passphrase, passphrase != nil {
            throw .invalidField("passphrase", "goes with the kind passphrase alone")
        }
        if kind != .recovery, code != nil {
            throw .invalidField("recovery_code", "goes with the kind recovery alone")
        }
    }

    mutating func beginRemoving(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> Outcome {
        var parameters = Parameters(of: call)
        let id = try parameters.string("id", index, text)
        let rotates = try parameters.boolean("rotate", index, text) ?? true
        try parameters.refuseOthers(besides: ["id", "rotate"], index, text)
        guard let id else { throw .invalidParameter("id") }
        try requireOpen(orEmpty: true)
        guard let slots else { throw .noSuchSlot(slotID(id, text)) }
        let slot = try self.slot(slotID(id, text), slots.slots)
        var change = PendingChange(method: .removeSlot, isOneway: call.oneway, stage: .slotsSave)
        change.slotChange.removed = [slot]
        change.slotChange.rotates = rotates
        let request = try changedSlots(&change, slots, nil, now)
        pending = consume change
        return Outcome(
            action: .change(.saveSlots(request)), method: .removeSlot, verdict: .answered)
    }

    /// An id as it was given, in lower case; empty where it is none and so may be anything.
    private func slotID(_ node: JSONIndex.Node, _ text: Span<UInt8>) -> String {
        guard index.decodedCount(of: node, in: text) <= 2 * KeySlotID.size else { return "" }
        var id = ""
        var isID = true
        index.forEachByte(of: node, in: text) { byte in
            let lower = byte | 0x20
            let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            let isLetter = lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f")
            isID = isID && (isDigit || isLetter)
            id.unicodeScalars.append(Unicode.Scalar(isDigit ? byte : lower))
        }
        return isID ? id : ""
    }

    /// The slot whose id begins so, if no other's does.
    private func slot(_ id: String, _ slots: KeySlots) throws(Refusal) -> KeySlot {
        let found = slots.slots.filter { $0.id.description.hasPrefix(id) }
        guard let slot = found.first, found.count == 1, !id.isEmpty else { throw .noSuchSlot(id) }
        return slot
    }

    mutating func beginRotation(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> Outcome {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        try requireOpen(orEmpty: true)
        guard let slots else { throw .noAccount }
        var change = PendingChange(method: .rotate, isOneway: call.oneway, stage: .slotsSave)
        change.slotChange.rotates = true
        let next: StoreChange
        if slots.slots.retired.count < KeySlots.maximumRetiredKeys {
            next = .saveSlots(try changedSlots(&change, slots, nil, now))
        } else {
            next = try makeRoom(&change, now)
        }
        pending = consume change
        return Outcome(action: .change(next), method: .rotate, verdict: .answered)
    }

    /// Begins what is left of rotations before, without another one.
    ///
    /// - Returns: nil where nothing is left.
    mutating func beginFinishing(
        _ call: Call, _ text: Span<UInt8>, _ now: Instant
    ) throws(Refusal) -> Outcome? {
        try Parameters(of: call).refuseOthers(besides: [], index, text)
        try requireOpen(orEmpty: true)
        guard slots != nil else { throw .noAccount }
        var change = PendingChange(
            method: .finishRotation, isOneway: call.oneway, stage: .slotsSave)
        change.slotChange.removesSpare = true
        guard let next = try afterSlots(&change, now) else { return nil }
        pending = consume change
        return Outcome(action: .change(next), method: .finishRotation, verdict: .answered)
    }

    /// Slots are changed with the master key alone, in a store that is whole.
    func requireOpen(orEmpty: Bool) throws(Refusal) {
        switch standing {
        case .damaged(let what): throw .storeDamaged(what)
        case .locked: throw .locked
        case .present, .empty: break
        }
        if slots != nil, masterKey == nil { throw .locked }
    }

    // MARK: Replies

    func writeSlotReply(
        _ change: borrowing PendingChange, _ reply: inout SecretBuffer
    ) throws(Refusal) {
        let slotChange = change.slotChange
        let method = change.method
        if method == .rotate || method == .finishRotation { return try writeRotation(&reply) }
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            switch method {
            case .addSlot:
                if let added = slotChange.added {
                    try writer.openObject("slot", &reply)
                    try Self.writeMembers(of: added, &writer, &reply)
                    try writer.closeObject(&reply)
                }
                try writer.openList("removed", &reply)
                for slot in slotChange.removed {
                    try writer.openObject(&reply)
                    try Self.writeMembers(of: slot, &writer, &reply)
                    try writer.closeObject(&reply)
                }
                try writer.closeList(&reply)
            case .removeSlot:
                if let slot = slotChange.removed.first {
                    try writer.openObject("removed", &reply)
                    try Self.writeMembers(of: slot, &writer, &reply)
                    try writer.closeObject(&reply)
                }
            default: break
            }
            try writer.end(&reply)
        } catch { throw .memory(error) }
    }

    /// Which master key there is, and which earlier ones are kept.
    func writeRotation(_ reply: inout SecretBuffer) throws(Refusal) {
        let list = slots?.slots
        do throws(SecretMemoryError) {
            var writer = try MessageWriter.beginReply(&reply)
            try writer.field("key_id", optional: list?.current.description, &reply)
            try writer.field("retired", list?.retired.map(\.id.description) ?? [], &reply)
            try writer.end(&reply)
        } catch { throw .memory(error) }
    }
}
