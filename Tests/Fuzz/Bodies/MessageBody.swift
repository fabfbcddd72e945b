import JSON
package import SecretMemory
import Varlink

/// What comes over a connection: messages ended by NUL, each a call.
///
/// The short way that most queries take must say the same as the scanner, wherever it says anything.
package final class MessageBody: FuzzBody {
    package static let name = "message"

    package let arena: SecretArena
    private static let method: StaticString = "org.accountd.Account.GetToken"
    private var index = JSONIndex()

    private let plain: (Span<UInt8>) -> Int64?

    package convenience init() throws {
        try self.init { PlainCall(to: Self.method, $0)?.minimum }
    }

    /// - Parameter plain: the short way; another one in the tests of this body.
    init(plain: @escaping (Span<UInt8>) -> Int64?) throws {
        self.plain = plain
        arena = try SecretArena(capacity: 65_536, preferring: .lockedPages)
    }

    package func run(_ input: Span<UInt8>) throws {
        var start = 0
        while let end = MessageFraming.end(in: input, from: start) {
            try require(start <= end && end < input.count, "a message's end outside of it")
            try require(input[end] == 0, "a message ends with something else than NUL")
            for offset in start..<end {
                try require(input[offset] != 0, "an end was overlooked")
            }
            try read(input.extracting(start..<end))
            start = end + 1
        }
        for offset in start..<input.count {
            try require(input[offset] != 0, "an end was overlooked")
        }
        // What has no end is never read; here it may be a message all the same.
        try read(input.extracting(start...))
    }

    private func read(_ text: Span<UInt8>) throws {
        let plain = plain(text)
        let call: Call
        do throws(MessageError) {
            call = try Call(reading: text, with: &index)
        } catch {
            try require(plain == nil, "a plain call that is none: \(error)")
            return
        }
        try require(index.kind(of: call.method) == .string, "a method that is no string")
        if let parameters = call.parameters {
            try require(index.kind(of: parameters) == .object, "parameters that are no object")
        }
        guard let plain else { return }
        try require(
            index.string(call.method, equals: Self.method, in: text), "a call to another method")
        try require(!call.oneway && !call.more && !call.upgrade, "a call that is not plain")
        try require(plain == minimum(of: call, text), "another minimum validity")
    }

    // Nil when there are parameters of another kind.
    private func minimum(of call: Call, _ text: Span<UInt8>) -> Int64? {
        guard let parameters = call.parameters, index.count(of: parameters) > 0 else { return 0 }
        guard index.count(of: parameters) == 1,
            let value = index.member("min_validity", of: parameters, in: text)
        else { return nil }
        return index.kind(of: value) == .null ? 0 : index.integer(value, in: text)
    }
}
