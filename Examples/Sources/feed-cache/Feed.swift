import Archiving

/// A post as a server gives it.
struct Post: Codable, Sendable, Equatable {
    let id: Int
    let user: String
    let text: String
}

/// The posts of a timeline, the newest first, as this machine knows them.
struct Feed: Sendable {
    /// Posts that are kept.
    private static let most = 200

    private let posts: ArchivedValue<[Post]>

    /// The feed of that name in the user's store.
    init(named name: String) throws(ArchiveError) {
        posts = ArchivedValue(named: "feed/\(name)", in: try Archiver())
    }

    /// The newest posts.
    func newest(_ count: Int) throws(ArchiveError) -> [Post] {
        Array((try posts.value ?? []).prefix(count))
    }

    /// Adds what a server has answered, and says how many of them are new.
    ///
    /// Two programs may do so at the same time: neither loses what the other one has added.
    func add(_ answer: [Post]) throws(ArchiveError) -> Int {
        var count = 0
        try posts.update { posts in
            let known = posts ?? []
            let ids = Set(known.map(\.id))
            let new = answer.filter { !ids.contains($0.id) }
            count = new.count
            posts = Array((new + known).sorted { $0.id > $1.id }.prefix(Self.most))
        }
        return count
    }

    /// Forgets all of them.
    func clear() throws(ArchiveError) -> Bool { try posts.clear() }
}
