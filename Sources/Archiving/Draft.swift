public import FoundationEssentials
import LinuxSystem

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
    /// - Parameters:
    ///   - title: what is written above it.
    ///   - text: what is to be posted; nil where the title is all.
    ///   - time: `yyyy-MM-dd HH:mm:ss`, the wall's time: ``wallTime()``.
    ///   - pictures: the pictures themselves, each a file's bytes.
    ///   - pictureAssets: where pictures came from.
    ///   - isOriginalPhoto: whether the pictures are to be posted in full size.
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

    /// The wall's time at this moment, as drafts have it. localtime_r(3)
    public static func wallTime() -> String {
        let parts = Clock.localTime(Clock.realtime().seconds)
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let date = [
            padded(parts.year, 4), padded(parts.month), padded(parts.day),
        ]
        let time = [padded(parts.hour), padded(parts.minute), padded(parts.second)]
        return date.joined(separator: "-") + " " + time.joined(separator: ":")
    }
}

extension Draft {
    private enum CodingKeys: String, CodingKey {
        case id, title, text, time, pictures, pictureAssets, isOriginalPhoto
    }

    /// Reads a draft, be it one to which a field has come since it was written.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decodeIfPresent(String.self, forKey: .id) ?? Self.drawID()
        title = try fields.decode(String.self, forKey: .title)
        text = try fields.decodeIfPresent(String.self, forKey: .text)
        time = try fields.decode(String.self, forKey: .time)
        pictures = try fields.decodeIfPresent([Data].self, forKey: .pictures) ?? []
        pictureAssets = try fields.decodeIfPresent([String].self, forKey: .pictureAssets) ?? []
        isOriginalPhoto = try fields.decodeIfPresent(Bool.self, forKey: .isOriginalPhoto) ?? false
    }
}
