import AccountService
import Foundation
import Glibc
import LinuxSystem
import SecretMemory
import TestSupport
import Testing

@testable import AccountDaemon

/// What is done to the store's files. docs/FORMAT.md, "Files" and "Writing"
@Suite struct StoreFilesTests {
    @Test("a first save writes key, slots, their copy and the account, for this user alone")
    func firstSave() throws {
        let folder = try StoreFolder()
        let arena = try SecretArena.forTest(capacity: 4096)
        let key = try SecretLoan.key(7, in: arena)
        #expect(
            folder.failure(
                of: StoreFolder.save([1, 2]) { request in
                    request.keyFile = key
                    request.slots = [3]
                }) == nil)
        #expect(
            try folder.names() == ["account.plist.sealed", "keyslots.plist", "keyslots.plist~"])
        #expect(folder.bytes("account.plist.sealed") == [1, 2])
        #expect(folder.bytes("keyslots.plist") == [3])
        #expect(folder.bytes("keyslots.plist~") == [3])
        for name in try folder.names() { #expect(try folder.mode(folder.place(name)) == 0o600) }
        #expect(try folder.mode(folder.keyPath) == 0o600)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder.keyPath))
                == Data(repeating: 7, count: 32))
    }

    @Test("the account that is replaced stays as the previous generation")
    func keepsPrevious() throws {
        let folder = try StoreFolder()
        for number: UInt8 in 1...3 {
            let previous: [UInt8]? = number == 1 ? nil : [number - 1]
            #expect(folder.failure(of: StoreFolder.save([number], previous: previous)) == nil)
            #expect(folder.bytes("account.plist.sealed") == [number])
            #expect(folder.bytes("account.plist.sealed~") == previous)
        }
        #expect(try folder.names() == ["account.plist.sealed", "account.plist.sealed~"])
    }

    @Test("a file that is not the one that is replaced is set aside, and the spare stays")
    func damagedMeanwhile() throws {
        let folder = try StoreFolder()
        try folder.write("account.plist.sealed", [9])
        try folder.write("account.plist.sealed~", [1])
        #expect(folder.failure(of: StoreFolder.save([3], previous: [2])) == nil)
        #expect(folder.bytes("account.plist.sealed") == [3])
        #expect(folder.bytes("account.plist.sealed~") == [1])
        #expect(folder.bytes("account.plist.sealed.damaged-1700000000") == [9])
    }

    @Test("a file that is gone is neither kept nor missed")
    func goneMeanwhile() throws {
        let folder = try StoreFolder()
        #expect(folder.failure(of: StoreFolder.save([3], previous: [2])) == nil)
        #expect(try folder.names() == ["account.plist.sealed"])
    }

    @Test("where no previous generation is wanted none stays")
    func removesPrevious() throws {
        let folder = try StoreFolder()
        try folder.write("account.plist.sealed", [1])
        try folder.write("account.plist.sealed~", [2])
        #expect(folder.failure(of: StoreFolder.save([3])) == nil)
        #expect(try folder.names() == ["account.plist.sealed"])
        #expect(folder.bytes("account.plist.sealed") == [3])
    }

    @Test("a key file that is there already is not replaced, and nothing is stored")
    func keyExists() throws {
        let folder = try StoreFolder()
        let arena = try SecretArena.forTest(capacity: 4096)
        try FileSetup.write(folder.keyPath, [1])
        let key = try SecretLoan.key(7, in: arena)
        let failure = folder.failure(
            of: StoreFolder.save([1]) { request in
                request.keyFile = key
                request.slots = [3]
            })
        #expect(
            failure
                == StoreFailure(
                    errno: EEXIST,
                    message: "the key file \(folder.keyPath) cannot be made: "
                        + "\(Errno.exists.description); nothing was stored", isInPlace: false))
        #expect(try folder.names().isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.keyPath)) == Data([1]))
    }

    @Test("slots that are set aside keep a name of their own, however often")
    func slotsAside() throws {
        let folder = try StoreFolder()
        for number: UInt8 in 1...3 {
            #expect(
                folder.failure(
                    of: StoreFolder.save([number]) { request in
                        request.slots = [number]
                        request.setsSlotsAsideAt = 1_700_000_000
                    }) == nil)
        }
        #expect(folder.bytes("keyslots.plist") == [3])
        #expect(folder.bytes("keyslots.plist~") == [3])
        #expect(folder.bytes("keyslots.plist.damaged-1700000000") == [1])
        #expect(folder.bytes("keyslots.plist.damaged-1700000001") == [2])
        #expect(folder.bytes("keyslots.plist~.damaged-1700000000") == [1])
        #expect(folder.bytes("keyslots.plist~.damaged-1700000001") == [2])
    }

    @Test("slots that must be there are confirmed, or written where there are none")
    func expectedSlots() throws {
        let folder = try StoreFolder()
        func save(_ account: UInt8, _ slots: [UInt8]) -> StoreFailure? {
            folder.failure(of: StoreFolder.save([account]) { $0.expectedSlots = slots })
        }
        #expect(save(1, [5, 6]) == nil)
        #expect(folder.bytes("keyslots.plist") == [5, 6])
        #expect(folder.bytes("keyslots.plist~") == [5, 6])
        #expect(save(2, [5, 6]) == nil)
        let others = save(3, [5, 7])
        #expect(others?.errno == ESTALE)
        #expect(others?.isInPlace == false)
        #expect(others?.message.contains(folder.place("keyslots.plist")) == true)
        try FileManager.default.removeItem(atPath: folder.place("keyslots.plist"))
        FileSetup.makeLink(folder.place("keyslots.plist"), to: "keyslots.plist~")
        #expect(save(4, [5, 6])?.errno == ELOOP)
        #expect(folder.bytes("account.plist.sealed") == [2])
    }

    @Test("what cannot be written is named, and what was stored stays")
    func cannotWrite() throws {
        for (name, isLater) in [("keyslots.plist~", false), ("keyslots.plist", true)] {
            let folder = try StoreFolder()
            try folder.write("account.plist.sealed", [1])
            FileSetup.makeDirectory(folder.place(name))
            let failure = folder.failure(of: StoreFolder.save([2]) { $0.slots = [3] })
            #expect(failure?.errno == EISDIR)
            #expect(failure?.isInPlace == false)
            #expect(
                failure?.message
                    == "\(folder.place(name)): cannot replace the file: "
                    + Errno.isADirectory.description)
            #expect(folder.bytes("account.plist.sealed") == [1])
            // The copy comes first: it is never older.
            #expect(folder.bytes("keyslots.plist~") == (isLater ? [3] : nil))
            #expect(try folder.names().allSatisfy { !$0.hasPrefix(".tmp") })
        }
        let folder = try StoreFolder()
        FileSetup.makeDirectory(folder.place("account.plist.sealed"))
        let failure = folder.failure(of: StoreFolder.save([2]))
        #expect(failure?.errno == EISDIR)
        #expect(failure?.message.hasSuffix("; what was stored before is unchanged") == true)
        let anew = folder.failure(
            of: StoreFolder.save([2]) { request in
                request.slots = [3]
                request.setsSlotsAsideAt = 9
            })
        #expect(
            anew?.message.hasSuffix(
                "; what was stored before is unchanged, but for keyslots.plist, which is "
                    + "brought back from its copy") == true)
    }

    @Test("an account that is stored while its spare cannot be removed is stored")
    func previousStays() throws {
        let folder = try StoreFolder()
        FileSetup.makeDirectory(folder.place("account.plist.sealed~"))
        let failure = folder.failure(of: StoreFolder.save([2]))
        #expect(failure?.isInPlace == true)
        #expect(failure?.message.hasPrefix("the account is stored; ") == true)
        #expect(folder.bytes("account.plist.sealed") == [2])
    }

    @Test("removal takes the account's files, those set aside too, and nothing else")
    func removal() throws {
        let folder = try StoreFolder()
        let others = [
            "account.plist", "app.plist.sealed", "keyslots.plist", "keyslots.plist.damaged-1",
            "keyslots.plist~",
        ]
        for name in others + [
            "account.plist.sealed", "account.plist.sealed~", "account.plist.sealed.damaged-1",
            "account.plist.sealed.damaged-2",
        ] {
            try folder.write(name, [1])
        }
        #expect(folder.failure(of: .remove) == nil)
        #expect(try folder.names() == others)
        // Nothing left to remove is as good as removed.
        #expect(folder.failure(of: .remove) == nil)
    }

    @Test("a removal that stops leaves the current account, never the previous one alone")
    func removalStops() throws {
        let folder = try StoreFolder()
        try folder.write("account.plist.sealed~", [1])
        FileSetup.makeDirectory(folder.place("account.plist.sealed"))
        let failure = folder.failure(of: .remove)
        #expect(failure?.errno == EISDIR)
        #expect(failure?.isInPlace == false)
        #expect(failure?.message.hasSuffix("; the account is still stored") == true)
        #expect(try folder.names() == ["account.plist.sealed"])
    }

    @Test("mending puts good bytes in place and keeps what was there")
    func mending() throws {
        let folder = try StoreFolder()
        try folder.write("account.plist.sealed", [1])
        try folder.write("keyslots.plist", [2])
        try folder.write("keyslots.plist~", [3])
        #expect(
            folder.failure(
                of: .mend([
                    Mending(place: .account, bytes: [4], setsAsideAt: 9),
                    Mending(place: .slots, bytes: [5], setsAsideAt: 9),
                    Mending(place: .slotsCopy, bytes: [6], setsAsideAt: nil),
                ])) == nil)
        #expect(folder.bytes("account.plist.sealed") == [4])
        #expect(folder.bytes("account.plist.sealed.damaged-9") == [1])
        #expect(folder.bytes("keyslots.plist") == [5])
        #expect(folder.bytes("keyslots.plist.damaged-9") == [2])
        #expect(folder.bytes("keyslots.plist~") == [6])
        #expect(try folder.names().count == 5)
    }
}
