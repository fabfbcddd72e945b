package import SecretMemory

@testable import Archiving

/// The readers of plain and of archived values: docs/FORMAT.md, "Archived values".
///
/// An input that begins with `M` says how a list is made, so that all of it is a good one to the
/// reader of property lists.
package final class ValuesBody: FuzzBody {
    package static let name = "values"
    package static let vectors = ["values", "propertylist"]
    package static let maximumSize = 1024
    // Fewer values than the readers take, which would be more memory than any input is worth.
    private static let room = 2000

    package let arena: SecretArena
    private let registry = FuzzedValues.registry
    private let reading: (ArchiveRegistry, Span<UInt8>) throws(ArchiveError) -> any Archivable

    package convenience init() throws {
        try self.init { registry, list throws(ArchiveError) in
            var room = Self.room
            return try registry.value(ofPropertyList: list, archive: "fuzzed", room: &room)
        }
    }

    /// - Parameter reading: the reader that is looked at.
    init(
        reading: @escaping (ArchiveRegistry, Span<UInt8>) throws(ArchiveError) -> any Archivable
    ) throws {
        arena = try SecretArena(capacity: 1 << 22, preferring: .lockedPages)
        self.reading = reading
    }

    package func run(_ input: Span<UInt8>) throws {
        guard input.count > 0, input[0] == UInt8(ascii: "M") else {
            try readPlain(input)
            return try readArchived(input)
        }
        var choices = FuzzInput(input.array)
        _ = choices.byte()
        guard let made = try ListMaker.list(&choices, in: arena) else { return }
        try readPlain(made.span)
        try readArchived(made.span)
        let changed = choices.edit(made)
        try readPlain(changed.span)
        try readArchived(changed.span)
    }

    private func readPlain(_ list: Span<UInt8>) throws {
        let value: ArchiveValue
        do throws(ArchiveError) {
            value = try ArchiveValue(propertyList: list, archive: "fuzzed", room: Self.room)
        } catch { return try requireReason(error) }
        guard
            let written = try written({ () throws(ArchiveError) in
                try value.propertyList(in: arena, limit: 1 << 20, archive: "fuzzed")
            })
        else { return }
        let again = try ArchiveValue(propertyList: written.span, archive: "fuzzed")
        try require(FuzzedValues.isSame(value, again), "a plain value is written otherwise")
    }

    private func readArchived(_ list: Span<UInt8>) throws {
        let value: any Archivable
        do throws(ArchiveError) { value = try reading(registry, list) } catch {
            return try requireReason(error)
        }
        guard
            let written = try written({ () throws(ArchiveError) in
                try registry.propertyList(
                    of: value, in: arena, limit: 1 << 20, archive: "fuzzed")
            })
        else { return }
        let again = try reading(registry, written.span)
        try require(
            FuzzedValues.isSame(value, again), "\(type(of: value)) is written otherwise")
    }

    // What is shared is not when it is written, and may become too much.
    private func written(
        _ write: () throws(ArchiveError) -> SecretBuffer
    ) throws -> [UInt8]? {
        do throws(ArchiveError) { return try write().array() } catch {
            guard case .tooLarge = error else {
                throw Violation(description: "what was read is not written: \(error)")
            }
            return nil
        }
    }

    private func requireReason(_ error: ArchiveError) throws {
        switch error {
        case .damaged("fuzzed", let reason), .notDecodable("fuzzed", let reason):
            try require(!reason.isEmpty && reason.utf8.count < 4096, "no reason that one reads")
        case .unregisteredType("fuzzed", let type):
            try require(ArchiveTypeName.isSimple(type), "a type that no type is named")
        default: throw Violation(description: "a reader fails by \(error)")
        }
    }
}
