import FoundationEssentials
import PropertyList
import SecretMemory
import TestSupport

@testable import Archiving

/// Archives values without files.
enum ArchivedForm {
    static func bytes(
        of value: any Archivable, registry: ArchiveRegistry = ArchiveRegistry(),
        limit: Int = 1 << 20, capacity: Int = 1 << 22
    ) throws -> [UInt8] {
        let arena = try SecretArena.forTest(capacity: capacity)
        let buffer = try registry.propertyList(
            of: value, in: arena, limit: limit, archive: "test")
        return buffer.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
    }

    /// What a reader of property lists sees.
    static func plain(
        _ value: any Archivable, registry: ArchiveRegistry = ArchiveRegistry()
    ) throws -> ArchiveValue {
        let bytes = try bytes(of: value, registry: registry)
        return try ArchiveValue(propertyList: bytes.span, archive: "test")
    }

    static func value(
        of bytes: [UInt8], registry: ArchiveRegistry = ArchiveRegistry()
    ) throws -> any Archivable {
        try registry.value(ofPropertyList: bytes.span, archive: "test")
    }

    /// Reads what somebody else wrote.
    static func value(
        ofPlain value: ArchiveValue, registry: ArchiveRegistry = ArchiveRegistry()
    ) throws -> any Archivable {
        let arena = try SecretArena.forTest()
        let buffer = try value.propertyList(in: arena, limit: 1 << 19, archive: "test")
        return try buffer.withBytes { bytes throws(ArchiveError) in
            try registry.value(ofPropertyList: bytes, archive: "test")
        }
    }

    /// Archives a value and restores it.
    static func restored(
        _ value: any Archivable, registry: ArchiveRegistry = ArchiveRegistry()
    ) throws -> any Archivable {
        try Self.value(of: bytes(of: value, registry: registry), registry: registry)
    }

    /// The reason of a refusal of the kind that is named.
    static func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "accepted"
        } catch ArchiveError.notEncodable("test", let reason) {
            return "notEncodable: " + reason
        } catch ArchiveError.notDecodable("test", let reason) {
            return "notDecodable: " + reason
        } catch {
            return "\(error)"
        }
    }
}
