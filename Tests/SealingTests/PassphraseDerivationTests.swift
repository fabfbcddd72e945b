import SecretMemory
import TestSupport
import Testing

@testable import Sealing

/// A passphrase on its way to a seed, with the real costs where that is what is tested.
@Suite struct PassphraseDerivationTests {
    let arena: SecretArena

    init() throws { arena = try .forTest() }

    // PASSPHRASE of Tests/Python/slot_vectors.py
    private static let passphrase = "made-up passphrase ñ"

    private func list() throws -> KeySlots {
        let file = try Vectors.file("passphrase_slot.plist")
        return try KeySlots.parse(file.span, arena: arena)
    }

    private func derivation(
        _ passphrase: String, _ parameters: KeySlot.PassphraseParameters
    ) throws -> PassphraseDerivation {
        try derivation(of: Array(passphrase.utf8), parameters)
    }

    private func derivation(
        of bytes: [UInt8], _ parameters: KeySlot.PassphraseParameters
    ) throws -> PassphraseDerivation {
        try .testing(bytes, parameters, in: arena)
    }

    @Test("a passphrase gives the seed that another program made of it, and opens its slot")
    func vector() throws {
        let list = try list()
        let parameters = try #require(list.slots.first?.passphrase)
        let vector = try #require(
            try Vectors.load().slots.first { $0.name == "passphrase_slot" })
        do {
            let derivation = try derivation(Self.passphrase, parameters)
            #expect(derivation.run())
            let seed = try derivation.derived(in: arena)
            #expect(seed.kind == .passphrase)
            #expect(seed.passphrase == parameters)
            let scalar = seed.scalar.withBytes { $0.array }
            #expect(scalar == vector.secret.bytes)
            let master = try list.unlock(seed: seed, arena: arena)
            let bytes = master.bytes.withBytes { $0.array }
            #expect(bytes == vector.masterKey?.bytes)
        }
        #expect(arena.used == 0)
    }

    static let others = [
        "made-up passphrase n\u{303}", "Made-up passphrase ñ", "made-up passphrase ñ ",
        "made-up passphrase", "x",
    ]

    @Test("any other passphrase gives another seed", arguments: others)
    func other(passphrase: String) throws {
        let list = try list()
        let parameters = try #require(list.slots.first?.passphrase)
        let derivation = try derivation(passphrase, parameters)
        #expect(derivation.run(opslimit: 1, memlimit: 8192))
        let seed = try derivation.derived(in: arena)
        let right = try self.derivation(Self.passphrase, parameters)
        #expect(right.run(opslimit: 1, memlimit: 8192))
        let rightSeed = try right.derived(in: arena)
        let scalar = seed.scalar.withBytes { $0.array }
        let rightScalar = rightSeed.scalar.withBytes { $0.array }
        #expect(scalar != rightScalar)
        do {
            _ = try list.unlock(seed: seed, arena: arena)
            Issue.record("it opens")
        } catch { #expect(error == .wrongSecret) }
    }

    @Test("the salt and both limits matter, and the same gives the same")
    func parameters() throws {
        let parameters = try [UInt8(1), 2].map { byte in
            try #require(
                KeySlot.PassphraseParameters(
                    salt: [UInt8](repeating: byte, count: 16), opslimit: 3,
                    memlimit: 268_435_456))
        }
        let derivation = try derivation("p", parameters[0])
        var scalars: Set<[UInt8]> = []
        for (opslimit, memlimit) in [(1, 8192), (2, 8192), (1, 16_384)] as [(Int64, Int64)] {
            for _ in 0..<2 {
                #expect(derivation.run(opslimit: opslimit, memlimit: memlimit))
                let seed = try derivation.derived(in: arena)
                scalars.insert(seed.scalar.withBytes { $0.array })
            }
        }
        #expect(scalars.count == 3)
        derivation.prepare(parameters[1])
        #expect(derivation.run(opslimit: 1, memlimit: 8192))
        let seed = try derivation.derived(in: arena)
        #expect(seed.passphrase == parameters[1])
        scalars.insert(seed.scalar.withBytes { $0.array })
        #expect(scalars.count == 4)
    }

    @Test("a passphrase has 1 to 1024 bytes, NUL and all", arguments: [1, 64, 65, 1023, 1024])
    func lengths(count: Int) throws {
        var scalars: Set<[UInt8]> = []
        for byte: UInt8 in [0, 0xFF] {
            let derivation = try derivation(
                of: [UInt8](repeating: byte, count: count), .testing)
            #expect(derivation.run(opslimit: 1, memlimit: 8192))
            let seed = try derivation.derived(in: arena)
            scalars.insert(seed.scalar.withBytes { $0.array })
        }
        #expect(scalars.count == 2)
    }

    @Test("memory that is not given is a failure, and can be tried again")
    func noMemory() throws {
        let derivation = try derivation("p", .testing)
        #expect(!derivation.hasSeed(in: arena))
        // Below what Argon2 takes at all.
        #expect(derivation.run(opslimit: 1, memlimit: 8192))
        #expect(!derivation.run(opslimit: 1, memlimit: 1))
        // Nor is the one before given out as this one's.
        #expect(!derivation.hasSeed(in: arena))
        #expect(derivation.run(opslimit: 1, memlimit: 8192))
    }

    @Test("new slots get the least that is allowed, and a salt of their own")
    func moderate() {
        let parameters = (0..<100).map { _ in KeySlot.PassphraseParameters.moderate() }
        #expect(Set(parameters.map(\.salt)).count == 100)
        for one in parameters {
            #expect(one.opslimit == 3)
            #expect(one.memlimit == 268_435_456)
            #expect(one.salt.count == 16)
        }
    }
}

extension KeySlot.PassphraseParameters {
    fileprivate static let testing = moderate()
}

extension PassphraseDerivation {
    /// One of bytes that are no secret.
    static func testing(
        _ bytes: [UInt8], _ parameters: KeySlot.PassphraseParameters, in arena: SecretArena
    ) throws(SecretMemoryError) -> PassphraseDerivation {
        var passphrase = try arena.allocate(bytes.count)
        passphrase.withMutableBytes { $0.copy(from: bytes.span) }
        return try PassphraseDerivation(passphrase, parameters: parameters, arena: arena)
    }

    /// The seed, which has to be there.
    func derived(in arena: SecretArena) throws -> SlotSeed {
        try #require(hasSeed(in: arena))
        return try take(seed(in: arena))
    }

    private func take(_ made: consuming SlotSeed?) -> SlotSeed {
        guard let made else { preconditionFailure("it was looked at before") }
        return made
    }

    /// Whether one was derived.
    func hasSeed(in arena: SecretArena) -> Bool {
        let made = try? seed(in: arena)
        return made != nil
    }
}
