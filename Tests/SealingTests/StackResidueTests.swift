import Foundation
import Glibc
import SecretMemory
import TestSupport
import Testing

@testable import Sealing

/// Looks for keys on the stack after the operations that use them.
///
/// Keys stand in an arena, which is no part of the stack. Registers are not searched, and they may
/// hold parts of a key for a while: the dynamic linker saves them on the stack when a function is
/// called for the first time, unless the program was linked with `-z now`, which a test bundle is
/// not. So each test rehearses with other keys before it looks.
@Suite(.disabled(if: Sanitizer.isActive, "a sanitizer keeps variables elsewhere"))
struct StackResidueTests {
    let arena: SecretArena
    let stack: StackReader

    init() throws {
        arena = try .forTest()
        stack = try StackReader()
    }

    /// Whether a part of a key is there; eight bytes of it are as telling as all.
    static func finds(_ key: borrowing SecretBytes, in stack: [UInt8]) -> Bool {
        key.withBytes { key in
            unsafe stack.withUnsafeBytes { stack in
                for part in stride(from: 0, to: key.count, by: 8) {
                    var wanted: UInt64 = 0
                    for index in (0..<8).reversed() {
                        wanted = wanted << 8 | UInt64(key[part + index])
                    }
                    for start in 0...(stack.count - 8) {
                        // SAFETY: eight bytes from `start` are within the array.
                        let found = unsafe stack.loadUnaligned(
                            fromByteOffset: start, as: UInt64.self)
                        if found == wanted { return true }
                    }
                }
                return false
            }
        }
    }

    func expectAbsent(
        _ key: borrowing SecretBytes, _ stacks: [[UInt8]],
        location: SourceLocation = #_sourceLocation
    ) {
        for (index, stack) in stacks.enumerated() {
            let isFound = Self.finds(key, in: stack)
            #expect(!isFound, "at step \(index)", sourceLocation: location)
        }
    }

    /// Leaves a copy of a key in a frame that is gone afterwards.
    @inline(never)
    static func plant(_ key: borrowing SecretBytes) -> Int {
        var block = InlineArray<1024, UInt8>(repeating: 0)
        key.withBytes { key in
            for index in 0..<key.count { block[512 + index] = key[index] }
        }
        return Int(block[512])
    }

    @Test("the search finds a key that was left on the stack")
    func control() throws {
        let key = try SecretBytes.random(32, in: arena)
        _ = Self.plant(key)
        let read = stack.read()
        let isFound = Self.finds(key, in: read)
        #expect(isFound)
    }

    @Test("a key that was left on the stack is gone after it was wiped")
    func wiped() throws {
        let key = try SecretBytes.random(32, in: arena)
        _ = Self.plant(key)
        wipeStack()
        expectAbsent(key, [stack.read()])
    }

    @Test("deriving, sealing and opening leave no key on the stack", arguments: [100, 70_000])
    func sealing(count: Int) throws {
        try sealAndOpen(count) { _, _ in }
        try sealAndOpen(count) { key, stacks in expectAbsent(key, stacks) }
    }

    @Test("making, opening and rotating slots leave no key on the stack")
    func slots() throws {
        try makeAndRotate([UInt8](0..<32)) { _, _ in }
        try makeAndRotate([UInt8](100..<132)) { key, stacks in expectAbsent(key, stacks) }
    }

    @Test("deriving from a passphrase leaves neither it nor the seed on the stack")
    func passphrase() throws {
        try derive([UInt8](0..<64)) { _, _ in }
        try derive([UInt8](100..<164)) { key, stacks in expectAbsent(key, stacks) }
    }

    func derive(
        _ passphrase: [UInt8], check: (borrowing SecretBytes, [[UInt8]]) -> Void
    ) throws {
        let typed = try arena.secret(passphrase)
        let derivation = try PassphraseDerivation.testing(passphrase, .moderate(), in: arena)
        let isDone = derivation.run()
        let derived = stack.read()
        #expect(isDone)
        let seed = try derivation.derived(in: arena)
        let seeded = stack.read()
        let stacks = [derived, seeded]
        check(typed, stacks)
        check(seed.scalar, stacks)
    }

    func sealAndOpen(
        _ count: Int, check: (borrowing SecretBytes, [[UInt8]]) -> Void
    ) throws {
        let master = try MasterKey.random(in: arena)
        let key = try master.accountKey(in: arena)
        let derived = stack.read()
        let plaintext = [UInt8](repeating: 1, count: count)
        let file = try SealedFile.seal(plaintext.span, under: key, keyID: master.id, arena: arena)
        let sealed = stack.read()
        var buffer = try SecretBuffer(arena: arena, capacity: SealedFile.paddedSize(count))
        try SealedFile.open(file.span, under: key, keyID: master.id, into: &buffer, arena: arena)
        let opened = stack.read()

        let stacks = [derived, sealed, opened]
        check(master.bytes, stacks)
        check(key, stacks)
        check(
            try SealedFile.fileKey(
                under: key, salt: file.span.extracting(32..<64), arena: arena), stacks)
    }

    func makeAndRotate(
        _ secret: [UInt8], check: (borrowing SecretBytes, [[UInt8]]) -> Void
    ) throws {
        let master = try MasterKey.random(in: arena)
        let next = try MasterKey.random(in: arena)
        let drawn = stack.read()
        let seed = try SlotSeed.keyfile(secret.span, arena: arena)
        let seeded = stack.read()
        var list = try KeySlots.create(masterKey: master, seed: seed, created: 1, arena: arena)
        let created = stack.read()
        let slot = try #require(list.slots.first)
        let opened = try list.unlock(seed: seed, arena: arena)
        let unlocked = stack.read()
        try list.rotate(from: opened, to: next, arena: arena)
        let rotated = stack.read()

        let stacks = [drawn, seeded, created, unlocked, rotated]
        check(master.bytes, stacks)
        check(next.bytes, stacks)
        check(seed.scalar, stacks)
        check(try master.slotListKey(in: arena), stacks)
        check(try next.retiredKeysKey(in: arena), stacks)
        let wrapping = try KeyWrap.sharedKey(
            scalar: seed.scalar, point: slot.ephemeral.span, ephemeral: slot.ephemeral.span,
            slotPublic: slot.publicKey.span, arena: arena)
        if let wrapping {
            check(wrapping, stacks)
        } else {
            Issue.record("the points are of low order")
        }
    }
}

/// Reads this thread's stack through /proc/self/mem.
///
/// What takes more than a few hundred bytes of stack itself is done beforehand.
final class StackReader {
    private static let reach = 64 * 1024
    private let memory: Int32
    private var buffer = [UInt8](repeating: 0, count: 2 * StackReader.reach)

    init() throws {
        // SAFETY: the path is a literal.
        memory = unsafe Glibc.open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
    }

    deinit { close(memory) }

    /// The stack `reach` bytes up and down from the caller; zeros outside its mapping.
    ///
    /// The kernel says where the mapping ends, by what it does not read: a list of mappings that was
    /// read before may not have the thread that a test is run on.
    @inline(never)
    func read() -> [UInt8] {
        var local = 0
        let here = unsafe withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
        var below = UInt(Self.reach)
        while below > 4096 {
            let start = here - below
            let length = Int(below) + Self.reach
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // SAFETY: the buffer has twice the reach; the kernel checks what it reads.
                unsafe pread(memory, bytes.baseAddress, length, off_t(Int(bitPattern: start)))
            }
            if count > Int(below) {
                for index in count..<buffer.count { buffer[index] = 0 }
                return buffer
            }
            below /= 2
        }
        Issue.record("the stack cannot be read")
        return buffer
    }
}
