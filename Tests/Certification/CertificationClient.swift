import JSON
import LinuxSystem
import SecretMemory
import Varlink

/// Goes through all steps with a service, and holds what it gives against what it must give.
final class CertificationClient {
    /// How long connecting may take, in milliseconds.
    private static let patience: Int64 = 5000

    private let arena: SecretArena
    private let peer: Peer
    private var index = JSONIndex()
    private var id = ""

    init(path: String) throws {
        arena = try SecretArena(capacity: 1 << 20, preferring: .lockedPages)
        peer = try Peer(
            try UnixSocket.connect(to: path, timeoutMilliseconds: Self.patience), arena: arena)
    }

    /// - Throws: `CertificationFailure` at the first reply that is not as it must be.
    func certify() throws {
        try checkInformation()
        for step in Step.allCases {
            try call(step)
            switch step.mode {
            case .oneway: break
            case .more:
                for number in 1...Step.replyCount {
                    try receive(step, continues: number < Step.replyCount) { answer, index, text in
                        guard let string = answer.field("string", index, text) else { return false }
                        let wanted = Step.reply(number: number)
                        return index.string(string, equals: wanted.utf8.span, in: text)
                    }
                }
            case .plain, .upgrade:
                try receive(step)
            }
        }
    }

    // That it serves the interface at all.
    private func checkInformation() throws {
        var out = try SecretBuffer(arena: arena, capacity: 1024)
        try MessageWriter.beginCall("org.varlink.service.GetInfo", &out).end(&out)
        try peer.send(out)
        try receive("GetInfo", continues: false) { answer, index, text in
            guard let interfaces = answer.field("interfaces", index, text) else { return false }
            var isServed = false
            index.forEachElement(of: interfaces) { name in
                let wanted = CertificationInterface.name.utf8.span
                if index.string(name, equals: wanted, in: text) { isServed = true }
            }
            return isServed
        }
    }

    private func call(_ step: Step) throws {
        var out = try SecretBuffer(arena: arena, capacity: 4096)
        var call = try MessageWriter.beginCall(step.method, mode: step.mode, &out)
        if step != .start { try call.field("client_id", id, &out) }
        try step.writeWants(&call, &out)
        try call.end(&out)
        try peer.send(out)
    }

    private func receive(_ step: Step) throws {
        guard let gives = step.gives else {
            var id = ""
            try receive(step, continues: false) { answer, index, text in
                guard let node = answer.field("client_id", index, text),
                    index.kind(of: node) == .string
                else { return false }
                for position in index.range(of: node) {
                    id.unicodeScalars.append(Unicode.Scalar(text[position]))
                }
                return true
            }
            self.id = id
            return
        }
        let members = try ExpectedMembers(gives)
        try receive(step, continues: false) { answer, index, text in
            guard let parameters = answer.parameters else { return false }
            // A client ignores what it does not know.
            return members.areIn(parameters, others: nil, index, text)
        }
    }

    private func receive(
        _ step: Step, continues: Bool,
        _ isRight: (ClientReply, borrowing JSONIndex, Span<UInt8>) throws -> Bool
    ) throws {
        try receive(step.method.description, continues: continues, isRight)
    }

    private func receive(
        _ method: String, continues: Bool,
        _ isRight: (ClientReply, borrowing JSONIndex, Span<UInt8>) throws -> Bool
    ) throws {
        try peer.waitForMessage { text in
            let answer = try ClientReply(reading: text, with: &index)
            guard answer.error == nil, answer.continues == continues,
                try isRight(answer, index, text)
            else {
                var bytes: [UInt8] = []
                for position in text.indices { bytes.append(text[position]) }
                throw CertificationFailure(
                    "\(method) was answered with \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }
}
