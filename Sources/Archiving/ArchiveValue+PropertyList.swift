import PropertyList
package import SecretMemory

/// What a value may be for a property list that is read and written whole: writer and reader keep to
/// the same, so that what was written is read.
enum PropertyListBounds {
    /// Bytes of the property list, 64 MiB.
    static let maximumBytes = 64 << 20
    /// Objects in it, each counted once however often it is referred to.
    static let maximumObjects = 1 << 20
    /// Arrays and dictionaries within one another.
    static let maximumDepth = 64
    /// Values and keys of the whole tree, where what is shared counts as often as it is referred to.
    static let maximumVisits = 1 << 22

    /// - Parameter bytes: a limit of the caller's own, which counts where it is lower.
    static func limits(bytes: Int = maximumBytes) -> PropertyListLimits {
        PropertyListLimits(
            maximumBytes: min(bytes, maximumBytes), maximumObjects: maximumObjects,
            maximumDepth: maximumDepth)
    }
}

/// What stands for "nothing" where only property lists' own kinds may stand: Foundation's encoder
/// writes it for nil, and its decoder reads nil.
let propertyListNull: StaticString = "$null"

extension ArchiveValue {
    /// A binary property list of the value, which Foundation's decoder reads too.
    ///
    /// A null is written as the string `$null`, as Foundation does; a text that is just this is
    /// refused, since it would come back as a null. The keys of a dictionary stand in any order.
    ///
    /// - Parameters:
    ///   - arena: where the list is made; while it grows two of it stand there.
    ///   - limit: the most bytes that it may have.
    ///   - archive: the name for errors.
    /// - Throws: `.tooLarge` past `limit`, past 64 MiB and past the arena; `.notEncodable` for a date
    ///   that is not finite, for the text `$null`, for more than 64 arrays and dictionaries within
    ///   one another and for more than a million values; `.system` where there is no memory.
    package func propertyList(
        in arena: SecretArena, limit: Int, archive: String
    ) throws(ArchiveError) -> SecretBuffer {
        do throws(PropertyListError) {
            return try ArchiveValueWriter.write(self, in: arena, limit: limit)
        } catch {
            throw ArchiveError(writing: error, archive: archive, limit: limit)
        }
    }

    /// Reads a binary property list.
    ///
    /// - Parameters:
    ///   - bytes: of the whole list.
    ///   - archive: the name for errors.
    /// - Throws: `.damaged` for what is no property list; `.tooLarge` for more than 64 MiB;
    ///   `.notDecodable` for a kind of value that there is not here (a UID, a set), an integer above
    ///   2⁶³ - 1, a date that is not finite, two keys that are one text to Unicode, and for more
    ///   values than the writer writes.
    package init(propertyList bytes: Span<UInt8>, archive: String) throws(ArchiveError) {
        try self.init(
            propertyList: bytes, archive: archive, room: PropertyListBounds.maximumVisits)
    }

    /// Reads within so many values and keys.
    init(propertyList bytes: Span<UInt8>, archive: String, room: Int) throws(ArchiveError) {
        var index = PropertyListIndex(limits: PropertyListBounds.limits())
        do throws(PropertyListError) { try index.scan(bytes) } catch {
            throw ArchiveError(reading: error, archive: archive)
        }
        var reader = ArchiveValueReader(index: index, archive: archive, room: room)
        self = try reader.value(of: index.root, in: bytes)
    }
}

extension ArchiveError {
    /// What a failure of the writer says of the value that was to be written.
    init(writing error: PropertyListError, archive: String, limit: Int) {
        switch error {
        case .memory(.unavailable(let errno)):
            self = .system("no memory for the archive \(archive)", errno: errno)
        case .tooLarge, .memory: self = .tooLarge(archive: archive, limit: limit)
        default: self = .notEncodable(archive: archive, reason: Self.reason(error))
        }
    }

    /// What a failure of the reader says of the bytes.
    init(reading error: PropertyListError, archive: String) {
        switch error {
        case .tooLarge:
            self = .tooLarge(archive: archive, limit: PropertyListBounds.maximumBytes)
        case .tooManyObjects, .tooDeep:
            self = .notDecodable(archive: archive, reason: Self.reason(error))
        default: self = .damaged(archive: archive, reason: Self.reason(error))
        }
    }

    private static func reason(_ error: PropertyListError) -> String {
        switch error {
        case .notAPropertyList: "it is no binary property list"
        case .duplicateKey: "a dictionary has a key twice"
        case .tooManyObjects: "it has too many values"
        case .tooDeep: "it is deeper than \(PropertyListBounds.maximumDepth) levels"
        case .unwritable: "a date is not finite, or a text is \(propertyListNull), which means none"
        case .damaged, .cyclic, .tooLarge, .memory: "it is no whole binary property list"
        }
    }
}
