import Archiving

// Of `Archiver`.
func namedArchives(_ posts: [Post]) throws {
    let archiver = try Archiver()
    try archiver.write(posts, named: "timeline")
    let posts = try archiver.read([Post].self, named: "timeline") ?? []
    try check(posts == [Post(id: 1, text: "Morning")])
}

// Of `ArchiveReader.next(_:)`.
func streams(_ archiver: Archiver, _ name: String) throws {
    guard var reader = try archiver.reader(named: name) else { throw Wrong() }
    var size = 0
    while try reader.next({ part in size += part.count }) {}
    try check(size > 10)
}

// Of `ArchivedValue`: its archiver is one that all of a program shares.
enum Shared {
    static let archiver = Archiver(store: store)

    private static let store: ArchiveStore = {
        do { return try ArchiveStore() } catch { preconditionFailure("\(error)") }
    }()
}

private let archiver = Shared.archiver

func cachedValue(_ posts: [Post]) throws {
    enum Settings {
        static let timeline = ArchivedValue<[Post]>(named: "timeline", in: archiver)
    }
    try Settings.timeline.save(posts)
    let posts = try Settings.timeline.value ?? []
    try check(posts == [Post(id: 2, text: "Noon")])
}
