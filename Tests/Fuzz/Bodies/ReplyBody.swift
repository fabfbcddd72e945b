package import SecretMemory

@testable import AccountCommands
@testable import Accounts
@testable import JSON
@testable import Varlink

/// What whoever answers at the socket may say to `account`: docs/PROTOCOL.md.
///
/// It may be no daemon of ours. The short ways of `token` and `check` must say the same as the index,
/// and nothing that is printed may play with the terminal or add a line.
package final class ReplyBody: FuzzBody {
    package static let name = "reply"
    package static let maximumSize = 2048

    package let arena: SecretArena
    private var index = JSONIndex(limits: JSONLimits(maximumBytes: Exchange.maximumReply))
    private var printed = JSONIndex()
    private let plain: (Span<UInt8>) -> TokenAnswer?

    package convenience init() throws { try self.init { TokenAnswer(plain: $0) } }

    /// - Parameter plain: the short way; another one in the tests of this body.
    init(plain: @escaping (Span<UInt8>) -> TokenAnswer?) throws {
        self.plain = plain
        arena = try SecretArena(capacity: 1 << 20, preferring: .lockedPages)
    }

    package func run(_ input: Span<UInt8>) throws {
        let token = plain(input)
        let verdict = Verdict(plain: input)
        let reply: ClientReply
        do throws(ClientReplyError) {
            reply = try ClientReply(reading: input, with: &index)
        } catch {
            try require(token == nil && verdict == nil, "a plain answer that is none")
            return
        }
        if let token { try compare(token, reply, input) }
        if let verdict { try compare(verdict, reply, input) }
        if let error = reply.error {
            try require(token == nil && verdict == nil, "an error that is an answer")
            try visit(error: error, reply, input)
        }
        try visit(tokenOf: reply, input)
        if let account = AccountDescription(
            reply.field("account", index, input), index, input, arena)
        {
            try visit(account)
        }
        if let status = StatusDescription(
            reply.field("status", index, input), index, input, arena)
        {
            try requireLines(StatusCommand.text(status, "/socket"))
            try requireJSON(StatusCommand.json(status, "/socket"))
        }
        let findings = index.strings("findings", of: reply.parameters, input, arena) ?? []
        for finding in findings {
            let finding = DoctorFinding(.wrong, "store", finding)
            try requireLines(finding.line, count: 1)
            try requireJSON(finding.json.line)
        }
    }

    private func compare(
        _ token: TokenAnswer, _ reply: ClientReply, _ text: Span<UInt8>
    ) throws {
        guard reply.error == nil, let full = TokenAnswer(reply, index, text) else {
            throw Violation(description: "a plain token that the index does not find")
        }
        try require(
            full.token == token.token && full.uid == token.uid && full.expiresAt == token.expiresAt,
            "a plain token is another")
        let bytes = text.extracting(token.token)
        try require(
            AccountField.check(accessToken: bytes) == nil || bytes.count > 4096,
            "a plain token that is none")
    }

    private func compare(
        _ verdict: Verdict, _ reply: ClientReply, _ text: Span<UInt8>
    ) throws {
        try require(
            reply.error == nil
                && index.boolean("valid", of: reply.parameters, text) == verdict.isValid
                && index.integer("expires_at", of: reply.parameters, text) == verdict.expiresAt
                && index.integer("remaining", of: reply.parameters, text) == verdict.remaining,
            "a plain verdict is another")
    }

    private func visit(
        error: JSONIndex.Node, _ reply: ClientReply, _ text: Span<UInt8>
    ) throws {
        for task in [CommandFailure.Task.asking(minimum: 60), .loggingIn, .loggingOut, .verifying] {
            let failure = CommandFailure(reply, named: error, index, text, task, arena)
            try require(failure.status != .done, "an error is a success")
            try requireLines(failure.text, count: failure.hint == nil ? 1 : 2)
        }
    }

    private func visit(tokenOf reply: ClientReply, _ text: Span<UInt8>) throws {
        guard let node = reply.field("access_token", index, text) else { return }
        var output = try Output(arena, capacity: 128, limit: 8448)
        let isToken: Bool
        do throws(CommandFailure) {
            isToken = try output.append(token: node, index, text)
        } catch { return }
        guard isToken else { return }
        let count = index.decodedCount(of: node, in: text)
        try require((1...AccountField.maximumTokenLength).contains(count), "a token of no length")
        try require(index.kind(of: node) == .string, "a token that is no string")
    }

    private func visit(_ account: AccountDescription) throws {
        try requireLines("\(account.name), \(account.expiry)\n", count: 1)
        try requireLines(ShowCommand.text(account, ["keyfile"]), count: account.lineCount)
        try requireJSON(ShowCommand.json(account, ["keyfile"]))
    }

    private func requireLines(_ text: String, count: Int? = nil) throws {
        try require(text.utf8.last == UInt8(ascii: "\n"), "a line without its end")
        var ends = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: ends += 1
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069:
                throw Violation(description: "U+\(String(scalar.value, radix: 16)) is printed")
            default: break
            }
        }
        if let count { try require(ends == count, "\(ends) lines, not \(count)") }
    }

    // Whatever it holds it is one line of JSON.
    private func requireJSON(_ line: String) throws {
        try requireLines(line, count: 1)
        let bytes = Array(line.utf8)
        // What a server sends may be as long as a message, and longer once it is escaped.
        guard bytes.count <= 65_536 else { return }
        do throws(JSONError) {
            try printed.scan(bytes.span)
        } catch {
            if case .nulCharacter = error { return }
            throw Violation(description: "what is printed is no JSON: \(error)")
        }
    }
}

extension AccountDescription {
    /// Lines that `show` prints.
    fileprivate var lineCount: Int { refused == nil ? 6 : 7 }
}
