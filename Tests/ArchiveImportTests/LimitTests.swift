import AccountImport
import Archiving
import Foundation
import PropertyList
import SecretMemory
import TestSupport
import Testing

@testable import ArchiveImport

/// What a file may cost, and what is said of its keys.
@Suite struct LimitTests {
    @Test("a file past the limit is not looked at")
    func tooLarge() throws {
        let file = [UInt8](repeating: 0, count: ArchiveImportLimits.maximumFile + 1)
        let error = #expect(throws: ImportError.self) { try read(file) }
        #expect(error?.reason == "too-large")
        #expect(error?.message.contains("67108864 bytes") == true)
        let shared = #expect(throws: ImportError.self) {
            try read(AppFile.bytes("appfiles/shared_text.bin"))
        }
        #expect(shared?.message.contains("134217728 bytes") == true)
    }

    @Test("a box of many megabytes is read, as a binary list and as XML")
    func large() throws {
        let picture = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 7 ^ $0 >> 8) })
        let box: [String: Any] = ["pictures": [picture, picture + [1]], "n": 1]
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let file = try PropertyListSerialization.data(
                fromPropertyList: box, format: format, options: 0)
            #expect(file.count > 6_000_000)
            let value = try read([UInt8](file), key: "pictures")
            #expect(value == .value([.data(picture), .data(picture + [1])]))
        }
    }

    @Test("an arena for a file of the largest size holds its XML")
    func arena() {
        let limit = ArchiveImportLimits.maximumFile
        #expect(ArchiveImportLimits.arena(forFileOf: 0) == 1 << 18)
        #expect(ArchiveImportLimits.arena(forFileOf: 1 << 15) == 1 << 18)
        #expect(ArchiveImportLimits.arena(forFileOf: 1 << 15 + 1) >= 1 << 18)
        #expect(ArchiveImportLimits.arena(forFileOf: limit) == 8 * limit)
        #expect(ArchiveImportLimits.arena(forFileOf: .max) == 8 * limit)
    }

    @Test("an arena that is too small is said to be that")
    func smallArena() throws {
        let arena = try SecretArena.forTest(capacity: 4096)
        for file in ["drafts/xml_box.cache", "appfiles/shared_text.bin"] {
            let bytes = try AppFile.bytes(file)
            let error = #expect(throws: ImportError.self) {
                try ImportedArchive.read(bytes.span, key: nil, in: arena)
            }
            #expect(["out-of-memory", "too-large"].contains(error?.reason))
        }
        let text = try PropertyListSerialization.data(
            fromPropertyList: String(repeating: "x", count: 8192), format: .binary, options: 0)
        let error = #expect(throws: ImportError.self) {
            try ImportedArchive.read([UInt8](text).span, key: nil, in: arena)
        }
        #expect(error?.reason == "out-of-memory")
        #expect(arena.used == 0)
    }

    @Test("what archives within archives share counts over all of them")
    func sharedArchives() throws {
        // Each of the inner ones is far below the limits; together they are past them.
        let inner = try PropertyListFile.archive { list, uid in
            var last = try list.add(string: "x")
            var objects = [try list.add(string: "$null"), last]
            for number in 0..<12 {
                let element = try list.add(uid: uid(number + 1))
                last = try list.add(array: [element, element])
                objects.append(last)
            }
            return (objects, 13)
        }
        #expect(throws: Never.self) { try read(inner) }
        let outer = try PropertyListFile.archive { list, uid in
            let data = try list.add(data: inner.span)
            let element = try list.add(uid: uid(1))
            let array = try list.add(
                array: [PropertyListWriter.Reference](repeating: element, count: 100))
            return ([try list.add(string: "$null"), data, array], 2)
        }
        let error = #expect(throws: ImportError.self) { try read(outer) }
        #expect(error?.reason == "too-many-references")
    }

    @Test("of many keys the first are listed, and long ones are cut")
    func manyKeys() throws {
        var values: [String: Any] = ["a" + String(repeating: "k", count: 100): Data("bplist0".utf8)]
        for number in 0..<30 { values["key\(10 + number)"] = number }
        let file = try PropertyListSerialization.data(
            fromPropertyList: values, format: .binary, options: 0)
        let error = #expect(throws: ImportError.self) { try read([UInt8](file)) }
        #expect(error?.reason == "key-needed")
        #expect(error?.message == "the file holds 31 values under keys")
        let hint = try #require(error?.hint)
        #expect(hint.contains("archives: a" + String(repeating: "k", count: 63) + ";"))
        #expect(hint.contains("plain values: key10, key11,"))
        #expect(hint.hasSuffix("key29 and 10 more"))
        let other = #expect(throws: ImportError.self) { try read([UInt8](file), key: "none") }
        #expect(other?.hint?.hasPrefix("there are: akkk") == true)
        let empty = try PropertyListSerialization.data(
            fromPropertyList: [String: Any](), format: .binary, options: 0)
        let nothing = #expect(throws: ImportError.self) { try read([UInt8](empty), key: "none") }
        #expect(nothing?.hint == "it is empty")
    }

    @Test("the keys of the apps' own defaults are listed")
    func keys() throws {
        let error = #expect(throws: ImportError.self) {
            try read(AppFile.bytes("drafts/user_defaults.plist"))
        }
        #expect(error?.reason == "key-needed")
        #expect(
            error?.hint == "give --key with one of them; archives: HOME_FRAME_DEFAULT_ARRAY; "
                + "plain values: isFirst, n")
        #expect(
            try read(AppFile.bytes("drafts/user_defaults.plist"), key: "n") == .value(7))
    }
}

/// Files cut off and changed at every place.
@Suite struct DamageTests {
    private static let files = [
        "structarchiver/array_mixed.bin", "structarchiver/dict.bin",
        "structarchiver/struct_account.bin", "appfiles/struct_nested.bin",
        "drafts/students.bin", "appfiles/archive_in_field.bin",
    ]

    @Test("one that is cut off anywhere is refused", arguments: files)
    func cut(_ file: String) throws {
        let whole = try AppFile.bytes(file)
        _ = try read(whole)
        for count in whole.indices {
            #expect(throws: ImportError.self, "\(count)") { try read(Array(whole.prefix(count))) }
        }
    }

    @Test("one that has a bit changed is read or refused", arguments: files)
    func flipped(_ file: String) throws {
        let whole = try AppFile.bytes(file)
        var refused = 0
        for index in whole.indices {
            for bit in [0, 3, 7] {
                var bytes = whole
                bytes[index] ^= 1 << UInt8(bit)
                do { _ = try read(bytes) } catch is ImportError { refused += 1 }
            }
        }
        #expect(refused > whole.count / 2)
    }
}
