import Synchronization

/// One value that is kept in an archive and in memory.
///
///     enum Settings {
///         static let timeline = ArchivedValue<[Post]>(named: "timeline", in: archiver)
///     }
///     try Settings.timeline.save(posts)
///     let posts = try Settings.timeline.value ?? []
///
/// `value` reads the archive once, and gives what is in memory from then on; `load` reads it again, as
/// another program may have written it meanwhile. It may be used by several threads at once.
public final class ArchivedValue<Value: Codable & Sendable>: Sendable {
    private enum Memory {
        case unread
        case read(Value?)
    }

    /// The archive's name.
    public let name: String
    private let archiver: Archiver
    private let memory = Mutex(Memory.unread)

    /// Names the archive; nothing is read yet.
    public init(named name: String, in archiver: Archiver) {
        self.name = name
        self.archiver = archiver
    }

    /// The value in memory, read from the archive at the first call; nil when there is none.
    public var value: Value? {
        get throws(ArchiveError) {
            try memory.withLock { memory throws(ArchiveError) in
                if case .read(let value) = memory { return value }
                return try Self.load(name, archiver, into: &memory)
            }
        }
    }

    /// Reads the archive, and keeps what it holds in memory; nil when there is none.
    @discardableResult
    public func load() throws(ArchiveError) -> Value? {
        try memory.withLock { memory throws(ArchiveError) in
            try Self.load(name, archiver, into: &memory)
        }
    }

    private static func load(
        _ name: String, _ archiver: Archiver, into memory: inout sending Memory
    ) throws(ArchiveError) -> Value? {
        let value = try archiver.read(Value.self, named: name)
        memory = .read(value)
        return value
    }

    /// Writes a value to the archive, and keeps it in memory once it is durable.
    public func save(_ value: Value) throws(ArchiveError) {
        try memory.withLock { memory throws(ArchiveError) in
            try archiver.write(value, named: name)
            memory = .read(value)
        }
    }

    /// Changes the value as the archive holds it now; no other program's change is lost.
    ///
    /// - Parameter change: gets the value, nil where there is none; nil deletes the archive.
    public func update(
        _ change: (inout Value?) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        try memory.withLock { memory throws(ArchiveError) in
            let value = try archiver.update(Value.self, named: name) {
                value throws(ArchiveError) in
                try change(&value)
                return value
            }
            memory = .read(value)
        }
    }

    /// Deletes the archive, and forgets the value in memory.
    ///
    /// - Returns: whether there was an archive.
    @discardableResult
    public func clear() throws(ArchiveError) -> Bool {
        try memory.withLock { memory throws(ArchiveError) in
            let wasThere = try archiver.delete(named: name)
            memory = .read(nil)
            return wasThere
        }
    }
}
