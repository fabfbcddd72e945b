import AccountImport
import JSON
import SecretMemory
import Testing
import Varlink

@testable import AccountCommands
@testable import Accounts
@testable import ArchiveImport
@testable import Archiving
@testable import Sealing

/// Parsers with a fault that was put in: the bodies find each in their own corpora and near them.
@Suite struct BrokenParserTests {
    private static let changes = 500

    private static func requireFinding(_ body: some FuzzBody, _ what: String) throws {
        let corpus = try Corpus(of: type(of: body))
        let findings = body.search(corpus, changes: changes, seed: 1).findings
        #expect(findings.contains { $0.what.contains(what) }, "\(findings)")
    }

    @Test("a short way that overlooks a member is found")
    func overlooksOneway() throws {
        // It takes every call of the method without parameters for a plain one.
        let body = try MessageBody { text in
            var index = JSONIndex()
            guard let call = try? Call(reading: text, with: &index), call.parameters == nil,
                index.string(call.method, equals: "org.accountd.Account.GetToken", in: text)
            else { return nil }
            return 0
        }
        try Self.requireFinding(body, "a call that is not plain")
    }

    @Test("a short way that reads another number is found")
    func readsAnotherNumber() throws {
        let body = try MessageBody { text in
            PlainCall(to: "org.accountd.Account.GetToken", text).map { $0.minimum & 0xFF }
        }
        try Self.requireFinding(body, "another minimum validity")
    }

    @Test("a short way that stops before the end is found")
    func stopsEarly() throws {
        let body = try ReplyBody { text in
            var end = text.count
            while end > 0, text[end - 1] != UInt8(ascii: "}") { end -= 1 }
            return TokenAnswer(plain: text.extracting(0..<end))
        }
        try Self.requireFinding(body, "a plain answer that is none")
    }

    @Test("a time that is a second off is found")
    func secondOff() throws {
        let body = try TimesBody { CivilTime.rfc3339($0 & ~1) }
        try Self.requireFinding(body, "is read otherwise")
    }

    @Test("a seal whose code is not looked at is found")
    func opensAnything() throws {
        let body = try SealedBody { file, key, id, buffer, arena throws(SealingError) in
            // The salt is not looked at, and so no other either.
            let good = try Self.goodFile()
            guard file.count == good.count, file[0] == good[0] else { throw .cannotOpen }
            try SealedFile.open(good.span, under: key, keyID: id, into: &buffer, arena: arena)
        }
        try Self.requireFinding(body, "the two readers of files do not agree")
    }

    private static func goodFile() throws(SealingError) -> [UInt8] {
        guard let file = try? Vectors.file("sealed/one_chunk.sealed") else { throw .cannotOpen }
        return file
    }

    @Test("a reader of structs that overlooks what is left over is found")
    func overlooksLeftOver() throws {
        let body = try StructArchiverBody { file throws(ImportError) in
            if file.count > 1, file[file.count - 1] == 0,
                let value = try? StructReader.read(
                    file.extracting(0..<file.count - 1), ImportBudget())
            {
                return value
            }
            return try StructReader.read(file, ImportBudget())
        }
        try Self.requireFinding(body, "a byte more, and it is read all the same")
    }

    @Test("a reader of values that is one off is found")
    func oneOff() throws {
        let body = try ValuesBody { registry, list throws(ArchiveError) in
            var room = 1000
            let value = try registry.value(ofPropertyList: list, archive: "fuzzed", room: &room)
            return (value as? Int).map { $0 &+ 1 } ?? value
        }
        try Self.requireFinding(body, "Int is written otherwise")
    }

    @Test("a buffer that is left behind by an error is found")
    func leavesSomething() throws {
        let body = try SealedBody { file, key, id, buffer, arena throws(SealingError) in
            do throws(SealingError) {
                try SealedFile.open(file, under: key, keyID: id, into: &buffer, arena: arena)
            } catch {
                try? buffer.append(0x2A)
                throw error
            }
        }
        try Self.requireFinding(body, "leaves something")
    }

    @Test("secret memory that stays taken is found")
    func keepsMemory() throws {
        let input: [UInt8] = [1]
        let keeping = try KeepingBody()
        #expect(throws: Violation.self) { try keeping.check(input.span) }
    }

    /// Gives nothing back.
    private final class KeepingBody: FuzzBody {
        static let name = "keeping"
        let arena: SecretArena
        private var kept: SecretBuffer?

        init() throws { arena = try SecretArena(capacity: 4096, preferring: .lockedPages) }

        func run(_ input: Span<UInt8>) throws {
            kept = try SecretBuffer(arena: arena, capacity: 64)
        }
    }
}
