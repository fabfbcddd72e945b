public import FoundationEssentials

/// A post that is not sent yet.
public struct Draft: Equatable, Sendable, Identifiable, Codable {
    /// Tells it from all others: 16 hexadecimal digits that are drawn when it is made.
    public let id: String
    /// What is written above it.
    public var title: String
    /// What is to be posted; nil where the title is all.
    public var text: String?
    /// When it was written: `yyyy-MM-dd HH:mm:ss`, the wall's time without a zone.
    ///
    /// One that was imported stays the text that it is.
    public var time: String
    /// The pictures themselves, each a file's bytes.
    public var pictures: [Data]
    /// Where pictures came from: URLs of an asset library, or paths.
    public var pictureAssets: [String]
    /// Whether the pictures are to be posted in full size.
    public var isOriginalPhoto: Bool

    /// Makes a draft with an id of its own.
    ///
    /// - Parameter time: `yyyy-MM-dd HH:mm:ss`, the wall's time.
    public init(
        title: String, text: String? = nil, time: String, pictures: [Data] = [],
        pictureAssets: [String] = [], isOriginalPhoto: Bool = false
    ) {
        id = Self.drawID()
        self.title = title
        self.text = text
        self.time = time
        self.pictures = pictures
        self.pictureAssets = pictureAssets
        self.isOriginalPhoto = isOriginalPhoto
    }

    private static func drawID() -> String {
        var generator = SystemRandomNumberGenerator()
        let text = String(generator.next() as UInt64, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
}
