/// The posts that are not sent yet, the newest first.
///
/// All drafts with their pictures are one archive. Each change is made to what the archive holds at that
/// moment, and nobody else's is lost.
public struct DraftBox: Sendable {
    /// The archive of the user's drafts.
    public static let usualName = "drafts"

    /// The archive's name.
    public let name: String
    private let archiver: Archiver

    /// Names the box.
    public init(named name: String = usualName, in archiver: Archiver) {
        self.name = name
        self.archiver = archiver
    }

    /// The path of its file, whether or not it is there yet.
    public var path: String {
        get throws(ArchiveError) {
            let fileName = try ArchiveName(name).fileName
            return "\(archiver.store.path)/\(ArchiveStore.archives)/\(fileName)"
        }
    }

    /// All drafts, the newest first.
    public func drafts() throws(ArchiveError) -> [Draft] {
        try archiver.read([Draft].self, named: name) ?? []
    }

    /// Puts a draft before all others; one that is there already, told by its id, is replaced where it
    /// stands.
    public func save(_ draft: Draft) throws(ArchiveError) {
        try update { drafts in
            if let index = drafts.firstIndex(where: { $0.id == draft.id }) {
                drafts[index] = draft
            } else {
                drafts.insert(draft, at: 0)
            }
        }
    }

    /// Removes a draft.
    ///
    /// - Returns: the draft; nil when there was none of that id.
    @discardableResult
    public func remove(id: Draft.ID) throws(ArchiveError) -> Draft? {
        try update { drafts in
            drafts.firstIndex { $0.id == id }.map { drafts.remove(at: $0) }
        }
    }

    /// Changes the list as it stands; nobody else changes it meanwhile.
    ///
    /// - Parameter change: an error that it throws leaves the list as it was.
    public func update<Result>(
        _ change: (inout [Draft]) throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result {
        try archiver.update([Draft].self, named: name) { value throws(ArchiveError) in
            var drafts = value ?? []
            let result = try change(&drafts)
            value = drafts
            return result
        }
    }
}
