import AccountCommands
import Accounts

/// What an export writes, and under which keys.
struct ExportFields {
    /// A part of the account, by the name that `--keys` has for it.
    enum Field: String, CaseIterable {
        case accessToken = "access_token"
        case expiresDate = "expires_date"
        case uid
        case screenName = "screen_name"
        case avatarLarge = "avatar_large"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
        case issuedAt = "issued_at"
    }

    /// The most bytes of a key, and of a class's name.
    static let longestName = 256

    /// What the app that this program goes back to has archived, in its order.
    static let usual: [Field] = [.accessToken, .expiresDate, .uid, .screenName, .avatarLarge]

    let entries: [(field: Field, key: String)]
    /// Whether they were chosen with `--keys`.
    private let isChosen: Bool

    /// Reads the value of `--keys`; without one it is all that is stored, each under its own name.
    init(_ list: String?) throws(CommandFailure) {
        guard let list else {
            entries = Field.allCases.map { ($0, $0.rawValue) }
            isChosen = false
            return
        }
        var entries: [(field: Field, key: String)] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = words.first, let field = Field(rawValue: String(name)) else {
                throw Self.unknown(String(words.first ?? ""))
            }
            let key = words.count == 2 ? String(words[1]) : field.rawValue
            guard Self.isName(key) else {
                throw CommandFailure(.usage, "--keys gives \(field.rawValue) a key that is none")
            }
            guard !entries.contains(where: { $0.field == field }) else {
                throw CommandFailure(.usage, "--keys gives the field \(field.rawValue) twice")
            }
            guard !entries.contains(where: { $0.key == key }) else {
                throw CommandFailure(.usage, "--keys gives the key \(key) to two fields")
            }
            entries.append((field, key))
        }
        self.entries = entries
        isChosen = true
    }

    /// Whether a field without a value is written as nil, where the format has one.
    func writesNil(_ field: Field) -> Bool { isChosen || Self.usual.contains(field) }

    private static func unknown(_ word: String) -> CommandFailure {
        CommandFailure(
            .usage, "--keys knows no field '\(word)'",
            hint: "they are " + Field.allCases.map(\.rawValue).joined(separator: ", "))
    }

    /// Whether it can be a key or a class's name: not empty, and none of the archiver's own.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestName && text.utf8.first != UInt8(ascii: "$")
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
