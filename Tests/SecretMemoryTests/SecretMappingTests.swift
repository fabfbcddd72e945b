import Foundation
import SecretMemory
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// What the kernel says of an arena's pages. proc(5), /proc/PID/smaps
@Suite struct SecretMappingTests {
    @Test("locked pages are locked, and in no core and no child")
    func lockedPages() throws {
        let arena = try SecretArena.forTest(capacity: 8192)
        try #require(arena.backing == .lockedPages)
        #expect(arena.isLocked)
        let region = try #require(try Mapping.around(arena.allocate(64).address))
        #expect(region.permissions == "rw-p")
        for flag in ["lo", "dd", "dc"] { #expect(region.flags.contains(flag)) }
    }

    @Test("secret memory is a mapping that the kernel calls by its name")
    func secretFile() throws {
        let arena = try SecretArena(capacity: 8192, preferring: .secretFile)
        // An older kernel, or one told not to, gives locked pages.
        guard arena.backing == .secretFile else { return }
        #expect(arena.isLocked)
        let region = try #require(try Mapping.around(arena.allocate(64).address))
        #expect(region.name.contains("secretmem"))
        for flag in ["lo", "dc"] { #expect(region.flags.contains(flag)) }
    }

    @Test(
        "an unreadable page stands on either side",
        arguments: [SecretArena.Preference.secretFile, .lockedPages])
    func guards(preference: SecretArena.Preference) throws {
        let arena = try SecretArena(capacity: 8192, preferring: preference)
        let start = try arena.allocate(8192).address
        #expect(try Mapping.around(start - 1)?.permissions == "---p")
        #expect(try Mapping.around(start + 8192)?.permissions == "---p")
    }

    @Test("an arena that goes leaves no mapping behind")
    func unmapped() throws {
        var address: UInt = 0
        do {
            let arena = try SecretArena.forTest(capacity: 1 << 22)
            address = try arena.allocate(64).address
            #expect(try Mapping.around(address)?.permissions == "rw-p")
        }
        #expect(try Mapping.around(address)?.flags.contains("lo") != true)
    }

    @Test("reading past the end ends the process")
    func overrun() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            signal(SIGSEGV, SIG_DFL)
            let arena = try SecretArena(capacity: 4096, preferring: .lockedPages)
            let address = try arena.allocate(4096).address
            exit(Int32(memory(at: address + 4096, count: 1).count))
        }
    }

    @Test(
        "where nothing may be locked the arena works and says so",
        .enabled(if: getuid() == 0, "only root can become a user who may lock nothing"))
    func nothingMayBeLocked() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            let isSet = unsafe setrlimit(__rlimit_resource_t(8), &limit) == 0
            guard isSet, setgid(65_533) == 0, setuid(65_533) == 0 else { exit(2) }
            for preference in [SecretArena.Preference.secretFile, .lockedPages] {
                let arena = try SecretArena(capacity: 8192, preferring: preference)
                guard arena.backing == .unlockedPages, !arena.isLocked else { exit(3) }
                var bytes = try arena.allocate(8192)
                bytes.fill(with: 3)
                guard bytes.holdsOnly(3) else { exit(4) }
            }
        }
    }
}

/// One mapping of this process.
private struct Mapping {
    let range: Range<UInt>
    let permissions: String
    let name: String
    var flags: [String] = []

    /// The mapping in which an address lies.
    static func around(_ address: UInt) throws -> Mapping? {
        // To its end: the size that the file says it has is 0.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var found: Mapping?
        for line in text.split(separator: "\n") {
            if let next = Mapping(header: line) {
                if found != nil { return found }
                if next.range.contains(address) { found = next }
            } else if line.hasPrefix("VmFlags:") {
                found?.flags = line.dropFirst(8).split(separator: " ").map(String.init)
            }
        }
        return found
    }

    private init?(header: Substring) {
        let words = header.split(separator: " ")
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, words.count >= 5 else { return nil }
        range = ends[0]..<ends[1]
        permissions = String(words[1])
        name = words.count > 5 ? String(words[5]) : ""
    }
}
