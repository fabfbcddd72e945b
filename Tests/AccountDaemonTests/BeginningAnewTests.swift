import AccountService
import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import AccountDaemon

/// A store that is begun anew over another one: the account's rename decides. docs/FORMAT.md,
/// "Writing"
@Suite struct BeginningAnewTests {
    private static let time: Int64 = 1_700_000_000

    private static func folder() throws -> StoreFolder {
        let folder = try StoreFolder()
        try folder.write("account.plist.sealed", [1])
        try folder.write("account.plist.sealed~", [2])
        try folder.write("keyslots.plist", [3])
        try folder.write("keyslots.plist~", [4])
        return folder
    }

    private static let change = StoreFolder.save([5]) { $0.nextSlots = [6] }

    private static func isDone(_ folder: StoreFolder) throws {
        #expect(folder.bytes("account.plist.sealed") == [5])
        #expect(folder.bytes("keyslots.plist") == [6])
        #expect(folder.bytes("keyslots.plist~") == [6])
        #expect(folder.bytes("keyslots.plist.damaged-1700000000") == [3])
        #expect(folder.bytes("keyslots.plist~.damaged-1700000000") == [4])
        #expect(try folder.names().count == 5)
    }

    @Test("what stood there is kept aside, and no generation of it stays")
    func begins() throws {
        let folder = try Self.folder()
        #expect(folder.failure(of: Self.change) == nil)
        try Self.isDone(folder)
    }

    @Test("an account that cannot be written leaves everything as it was")
    func accountFails() throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [3])
        FileSetup.makeDirectory(folder.place("account.plist.sealed"))
        let failure = folder.failure(of: Self.change)
        #expect(failure?.errno == EISDIR)
        #expect(failure?.isInPlace == false)
        #expect(failure?.message.hasSuffix("; what was stored before is unchanged") == true)
        #expect(try folder.names() == ["account.plist.sealed", "keyslots.plist"])
        #expect(folder.bytes("keyslots.plist") == [3])
    }

    @Test("once the account stands the rest is done by whoever comes next")
    func restFails() throws {
        let folder = try Self.folder()
        try FileManager.default.removeItem(atPath: folder.place("keyslots.plist"))
        FileSetup.makeDirectory(folder.place("keyslots.plist"))
        let failure = folder.failure(of: Self.change)
        #expect(failure?.isInPlace == true)
        #expect(failure?.message.hasPrefix("the account is stored, and opens; ") == true)
        #expect(folder.bytes("account.plist.sealed") == [5])
        #expect(folder.bytes("keyslots.plist.next") == [6])

        try FileManager.default.removeItem(atPath: folder.place("keyslots.plist"))
        try folder.write("keyslots.plist", [3])
        let next = StoreFolder.save([7], previous: [5]) { $0.expectedSlots = [6] }
        #expect(folder.failure(of: next) == nil)
        #expect(folder.bytes("account.plist.sealed") == [7])
        #expect(folder.bytes("account.plist.sealed~") == [5])
        #expect(folder.bytes("keyslots.plist") == [6])
        #expect(folder.bytes("keyslots.plist.next") == nil)
    }

    @Test("what was cut off at any step is done by the same steps again, and kept aside once")
    func anyStep() throws {
        for steps in 0...4 {
            let folder = try Self.folder()
            try folder.write("account.plist.sealed", [5])
            try folder.write("keyslots.plist.next", [6])
            let all = Mending.adopting([6], at: Self.time)
            #expect(folder.failure(of: .mend(Array(all.prefix(steps)))) == nil)
            // Between a file's second name and its replacement.
            if steps == 1 {
                try FileManager.default.linkItem(
                    atPath: folder.place("keyslots.plist~"),
                    toPath: folder.place("keyslots.plist~.damaged-1700000000"))
            }
            #expect(folder.failure(of: .mend(Mending.adopting([6], at: Self.time + 9))) == nil)
            #expect(folder.bytes("keyslots.plist") == [6])
            #expect(folder.bytes("keyslots.plist~") == [6])
            let names = try folder.names()
            #expect(names.count == 5, "\(steps): \(names)")
        }
    }

    @Test("a file that holds what it shall hold is left alone")
    func nothingToDo() throws {
        let folder = try StoreFolder()
        try folder.write("keyslots.plist", [6])
        let mending = Mending(place: .slots, bytes: [6], setsAsideAt: Self.time)
        #expect(folder.failure(of: .mend([mending])) == nil)
        #expect(try folder.names() == ["keyslots.plist"])
    }
}
