import SecretMemory
import TestSupport
import Testing

@testable import Sealing

@Suite struct KeySlotsVectorTests {
    let arena: SecretArena

    init() throws { arena = try .forTest() }

    /// How far a file came, and with what.
    enum Outcome: Equatable {
        case opens
        case fails(step: String, gives: String)
    }

    func outcome(of file: [UInt8], _ vector: Vectors.Slots) throws -> Outcome {
        let list: KeySlots
        do {
            list = try KeySlots.parse(file.span, arena: arena)
        } catch {
            return .fails(step: "parse", gives: Self.name(of: error))
        }
        do {
            let master = try list.unlock(seed: try seed(vector), arena: arena)
            let bytes = master.bytes.withBytes { $0.array }
            #expect(bytes == vector.masterKey?.bytes)
            #expect(master.id.bytes == vector.keyID?.bytes)
            for retired in vector.retired ?? [] {
                let id = try MasterKeyID(testing: retired.keyID.bytes)
                let old = try list.retiredKey(id, under: master, arena: arena)
                let oldBytes = old.bytes.withBytes { $0.array }
                #expect(oldBytes == retired.key.bytes)
                #expect(old.id == id)
            }
            return .opens
        } catch let error as KeySlotsError {
            return .fails(step: "unlock", gives: Self.name(of: error))
        }
    }

    /// For a passphrase the manifest has the seed, as Argon2id gives it.
    func seed(_ vector: Vectors.Slots) throws -> SlotSeed {
        let secret = vector.secret.bytes
        switch try #require(vector.slotKind) {
        case .keyfile: return try .keyfile(secret.span, arena: arena)
        case .credential: return try .credential(secret.span, arena: arena)
        case .recovery: return try .recovery(secret.span, arena: arena)
        case .passphrase:
            let parameters = KeySlot.PassphraseParameters(
                salt: [UInt8](repeating: 0, count: 16), opslimit: 3, memlimit: 268_435_456)
            return SlotSeed(
                kind: .passphrase, passphrase: parameters, scalar: try arena.secret(secret))
        }
    }

    static func name(of error: KeySlotsError) -> String {
        switch error {
        case .damaged: "damaged"
        case .wrongSecret: "wrongSecret"
        case .noSuchSlot: "noSuchSlot"
        case .sealing(.unsupportedVersion): "unsupportedVersion"
        default: "\(error)"
        }
    }

    @Test("a list of another program gives what it must", arguments: try Vectors.load().slots)
    func vector(_ vector: Vectors.Slots) throws {
        let file = try Vectors.file(vector.name + ".plist")
        let expected: Outcome =
            vector.gives == "opens" ? .opens : .fails(step: vector.step, gives: vector.gives)
        #expect(try outcome(of: file, vector) == expected)
        #expect(arena.used == 0)
    }

    @Test(
        "a list that opens is the same after we have written it",
        arguments: try Vectors.load().slots.filter { $0.gives == "opens" })
    func rewrite(_ vector: Vectors.Slots) throws {
        let file = try Vectors.file(vector.name + ".plist")
        let list = try KeySlots.parse(file.span, arena: arena)
        let rewritten = try list.serialize(arena: arena)
        #expect(try KeySlots.parse(rewritten.span, arena: arena) == list)
        #expect(try outcome(of: rewritten, vector) == .opens)
        #expect(rewritten.count <= KeySlots.maximumFileSize)
    }

    @Test("each field of a list is read as it stands")
    func fields() throws {
        let file = try Vectors.file("passphrase_slot.plist")
        let list = try KeySlots.parse(file.span, arena: arena)
        let slot = try #require(list.slots.first)
        #expect(slot.kind == .passphrase)
        #expect(slot.created == 1_700_000_000)
        #expect(slot.passphrase?.opslimit == 3)
        #expect(slot.passphrase?.memlimit == 268_435_456)
        #expect(list.retired.isEmpty)
    }

    static let wholeLists = try? Vectors.load().slots.filter {
        ["keyfile_slot", "slots_of_all_kinds", "retired_keys"].contains($0.name)
    }

    @Test("a list with any bit flipped is damaged", arguments: wholeLists ?? [])
    func bitFlips(_ vector: Vectors.Slots) throws {
        let original = try Vectors.file(vector.name + ".plist")
        let ours = try KeySlots.parse(original.span, arena: arena).serialize(arena: arena)
        for file in [original, ours] {
            for bit in 0..<(8 * file.count) {
                var flipped = file
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                do {
                    _ = try KeySlots.parse(flipped.span, arena: arena)
                    Issue.record("bit \(bit) of \(file.count) bytes was not seen")
                } catch {
                    guard case .damaged = error else {
                        Issue.record("bit \(bit) gives \(error)")
                        continue
                    }
                }
            }
        }
    }

    @Test("a list cut anywhere is damaged", arguments: wholeLists ?? [])
    func truncation(_ vector: Vectors.Slots) throws {
        let file = try Vectors.file(vector.name + ".plist")
        for count in 0..<file.count {
            let result = try outcome(of: Array(file[..<count]), vector)
            #expect(result == .fails(step: "parse", gives: "damaged"), "cut to \(count)")
        }
    }
}
