import Accounts
import PropertyList
import SecretMemory
import TestSupport
import Testing

@testable import AccountImport

/// expat works in the arena and nowhere else.
@Suite struct XMLMemoryTests {
    private static let text = Array("<plist><string>2.00made-up</string></plist>".utf8)

    @Test("where the arena has no room for expat's parser, there is none")
    func smallArena() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        let error = #expect(throws: ImportError.self) {
            _ = try XMLDocument.read(Self.text.span, in: arena)
        }
        #expect(error?.reason == "out-of-memory")
        #expect(arena.used == 0)
    }

    @Test("where it has, all of it is given back")
    func givesBack() throws {
        let arena = try SecretArenaOf.large()
        do {
            let document = try XMLDocument.read(Self.text.span, in: arena)
            let (isAndroid, footprint) = (document.isAndroid, document.list.footprint)
            #expect(!isAndroid)
            #expect(arena.used == footprint)
        }
        #expect(arena.used == 0)
    }

    @Test("a part of a file that expat cannot take whole ends it")
    func endlessTag() throws {
        let arena = try SecretArena.forTest(capacity: 1 << 18)
        let tag =
            Array("<plist>".utf8) + [UInt8](repeating: UInt8(ascii: "<"), count: 1)
            + [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 19)
        let error = #expect(throws: ImportError.self) {
            _ = try XMLDocument.read(tag.span, in: arena)
        }
        #expect(error?.reason == "too-many-objects")
        #expect(arena.used == 0)
    }

    @Test("a list is held to the limits that are given")
    func limits() throws {
        let arena = try SecretArenaOf.large()
        let deep = Array("<plist><array><array/></array></plist>".utf8)
        let list = PropertyListLimits(maximumBytes: 50, maximumObjects: 9, maximumDepth: 1)
        let reasons = [Self.text, deep].map { text in
            #expect(throws: ImportError.self) {
                _ = try XMLDocument.read(text.span, limits: list, in: arena)
            }?.reason
        }
        #expect(reasons == ["too-large", "too-deep"])
        let error = ImportError.tooLarge(limit: 50)
        #expect(error.message.contains(" 50 bytes") && error.hint == nil)
        #expect(ImportError.tooLarge(limit: ImportLimits.maximumFile) == .tooLarge)
    }

    @Test("two parsers at once do not meet")
    func nested() throws {
        let (one, other) = (try SecretArenaOf.large(), try SecretArenaOf.large())
        try unsafe XMLMemory(one).lend { _ in
            _ = try XMLDocument.read(Self.text.span, in: other)
        }
        #expect(one.used == 0 && other.used == 0)
    }
}
