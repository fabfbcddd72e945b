import PropertyList
package import SecretMemory

extension ArchiveRegistry {
    // Room to begin with; it grows by doubling.
    private static let firstCapacity = 1 << 14

    /// A property list of a value that says its type: docs/FORMAT.md, "Archived values".
    ///
    /// The types in it need not be registered; one whose name is that of another type that is
    /// registered is refused.
    ///
    /// - Parameters:
    ///   - arena: where the list is made; while it grows two of it stand there.
    ///   - limit: the most bytes that it may have.
    ///   - archive: the name for errors.
    /// - Throws: `.tooLarge`, `.notEncodable`, `.system`, and what a value's own code throws.
    package func propertyList(
        of value: any Archivable, in arena: SecretArena, limit: Int, archive: String
    ) throws(ArchiveError) -> SecretBuffer {
        var encoder: ArchiveEncoder
        do throws(PropertyListError) {
            encoder = try self.encoder(in: arena, limit: limit, archive: archive)
        } catch { throw ArchiveError(writing: error, archive: archive, limit: limit) }
        let root = try encoder.typedReference(of: value)
        do throws(PropertyListError) { return try encoder.finish(root: root) } catch {
            throw ArchiveError(writing: error, archive: archive, limit: limit)
        }
    }

    func encoder(
        in arena: SecretArena, limit: Int, archive: String
    ) throws(PropertyListError) -> ArchiveEncoder {
        let buffer: SecretBuffer
        do throws(SecretMemoryError) {
            buffer = try SecretBuffer(
                arena: arena, capacity: min(Self.firstCapacity, limit), limit: limit)
        } catch { throw .memory(error) }
        return try ArchiveEncoder(into: buffer, limit: limit, registry: self, archive: archive)
    }

    /// Reads a value of whatever type the property list says.
    ///
    /// - Parameters:
    ///   - bytes: of the whole list.
    ///   - archive: the name for errors.
    /// - Throws: `.damaged` for what is no property list; `.tooLarge`; `.unregisteredType`;
    ///   `.notDecodable` for what is no value of the type that it says, and past the limits; and what
    ///   a value's own code throws.
    package func value(
        ofPropertyList bytes: Span<UInt8>, archive: String
    ) throws(ArchiveError) -> any Archivable {
        var room = PropertyListBounds.maximumVisits
        return try value(ofPropertyList: bytes, archive: archive, room: &room)
    }

    /// Reads a value within so many values, and says how many more it might have had.
    func value(
        ofPropertyList bytes: Span<UInt8>, archive: String, room: inout Int
    ) throws(ArchiveError) -> any Archivable {
        var index = PropertyListIndex(limits: PropertyListBounds.limits())
        do throws(PropertyListError) { try index.scan(bytes) } catch {
            throw ArchiveError(reading: error, archive: archive)
        }
        return try unsafe bytes.withUnsafeBufferPointer { bytes throws(ArchiveError) in
            // SAFETY: the decoder is gone when the closure returns.
            var decoder = unsafe ArchiveDecoder(
                index: index, bytes: bytes, registry: self, archive: archive, room: room)
            try decoder.charge(1)
            let value = try decoder.typedValue(at: index.root)
            room = decoder.room
            return value
        }
    }
}
