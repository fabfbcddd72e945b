import JSON
import SecretMemory
import Varlink

/// Answers the calls of `org.varlink.certification` and `org.varlink.service`.
///
/// No I/O.
struct CertificationService: ~Copyable {
    /// Chains that are remembered; the oldest is forgotten for a new one.
    private static let maximumChains = 64

    private struct Chain {
        let id: String
        var due: Step
    }

    private let interfaces = ServiceInterface(
        vendor: "accountd", product: "certification", version: "1", url: "",
        interfaces: [
            ServiceInterface.Description(
                name: CertificationInterface.name, text: CertificationInterface.description)
        ])
    private let wants: [ExpectedMembers]
    private let arena: SecretArena
    private var index = JSONIndex()
    private var chains: [Chain] = []

    init(arena: SecretArena) throws {
        self.arena = arena
        wants = try Step.allCases.map { try ExpectedMembers($0.wants) }
    }

    /// Answers one call.
    ///
    /// - Parameters:
    ///   - text: the message without its terminator.
    ///   - out: gets the replies; none to a call that wants none.
    /// - Throws: `MessageError` when the message is no call, after which the connection is closed.
    mutating func handle(_ text: Span<UInt8>, _ out: inout SecretBuffer) throws {
        let call = try Call(reading: text, with: &index)
        let before = out.count
        if call.upgrade {
            try StandardError.invalidParameter("upgrade", &out)
        } else if let method = serviceMethod(call, text) {
            _ = try interfaces.answer(method, call, index, text, &out)
        } else if let step = step(call, text) {
            try answer(step, call, text, &out)
        } else {
            let isServed = interfaces.servesInterface(ofMethod: call.method, index, text)
            try StandardError.notFound(
                method: call.method, interfaceIsServed: isServed, index, text, &out)
        }
        if call.oneway { out.truncate(to: before) }
    }

    private func serviceMethod(_ call: Call, _ text: Span<UInt8>) -> ServiceInterface.Method? {
        if index.string(call.method, equals: "org.varlink.service.GetInfo", in: text) {
            return .getInfo
        }
        return index.string(
            call.method, equals: "org.varlink.service.GetInterfaceDescription", in: text)
            ? .getInterfaceDescription : nil
    }

    private func step(_ call: Call, _ text: Span<UInt8>) -> Step? {
        for step in Step.allCases where index.string(call.method, equals: step.method, in: text) {
            return step
        }
        return nil
    }

    private mutating func answer(
        _ step: Step, _ call: Call, _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws {
        if step == .start { return try start(call, text, &out) }
        guard let place = chain(of: call, text) else {
            return try MessageWriter.beginError(
                "org.varlink.certification.ClientIdError", &out
            ).end(&out)
        }
        let chain = chains.remove(at: place)
        guard chain.due == step, mode(of: call) == step.mode, hasWhatIsWanted(step, call, text)
        else { return try refuse(chain.due, chain.id, text, &out) }
        if let next = step.next { chains.append(Chain(id: chain.id, due: next)) }
        try reply(to: step, &out)
    }

    private mutating func start(
        _ call: Call, _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws {
        let members = call.parameters.map { index.count(of: $0) } ?? 0
        guard mode(of: call) == .plain, members == 0 else {
            return try refuse(.start, nil, text, &out)
        }
        let random = try SecretBytes.random(16, in: arena)
        let digits = Array("0123456789abcdef")
        let id = random.withBytes { bytes in
            var id = ""
            for position in bytes.indices {
                id.append(digits[Int(bytes[position] >> 4)])
                id.append(digits[Int(bytes[position] & 15)])
            }
            return id
        }
        if chains.count == Self.maximumChains { chains.removeFirst() }
        chains.append(Chain(id: id, due: .test01))
        var reply = try MessageWriter.beginReply(&out)
        try reply.field("client_id", id, &out)
        try reply.end(&out)
    }

    private func chain(of call: Call, _ text: Span<UInt8>) -> Int? {
        guard let parameters = call.parameters,
            let id = index.member("client_id", of: parameters, in: text)
        else { return nil }
        for place in chains.indices
        where index.string(id, equals: chains[place].id.utf8.span, in: text) { return place }
        return nil
    }

    private func mode(of call: Call) -> CallMode? {
        switch (call.oneway, call.more) {
        case (false, false): .plain
        case (true, false): .oneway
        case (false, true): .more
        case (true, true): nil
        }
    }

    private func hasWhatIsWanted(_ step: Step, _ call: Call, _ text: Span<UInt8>) -> Bool {
        guard let parameters = call.parameters else { return false }
        // The other one is the id.
        return wants[step.rawValue].areIn(parameters, others: 1, index, text)
    }

    private func reply(to step: Step, _ out: inout SecretBuffer) throws(SecretMemoryError) {
        if step == .test10 {
            for number in 1...Step.replyCount {
                var reply = try MessageWriter.beginReply(
                    continues: number < Step.replyCount, &out)
                try reply.field("string", Step.reply(number: number), &out)
                try reply.end(&out)
            }
            return
        }
        var reply = try MessageWriter.beginReply(&out)
        if step == .end {
            try reply.field("all_ok", true, &out)
        } else {
            try step.next?.writeWants(&reply, &out)
        }
        try reply.end(&out)
    }

    // The call that was due, and the one that came.
    private func refuse(
        _ due: Step, _ id: String?, _ text: Span<UInt8>, _ out: inout SecretBuffer
    ) throws(SecretMemoryError) {
        var error = try MessageWriter.beginError(
            "org.varlink.certification.CertificationError", &out)
        try error.openObject("wants", &out)
        try error.field("method", due.method.description, &out)
        switch due.mode {
        case .more: try error.field("more", true, &out)
        case .oneway: try error.field("oneway", true, &out)
        case .plain, .upgrade: break
        }
        try error.openObject("parameters", &out)
        try error.field("client_id", optional: id, &out)
        try due.writeWants(&error, &out)
        try error.closeObject(&out)
        try error.closeObject(&out)
        try error.name("got", &out)
        try out.append(text)
        try error.end(&out)
    }
}
