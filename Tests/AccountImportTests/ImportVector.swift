import AccountImport
import Accounts
import Foundation
import SecretMemory
import TestSupport
import Testing

/// One file of Tests/Vectors/archives, which apps wrote, or of Tests/Vectors/imports, and what its
/// manifest says of it.
struct ImportVector: Decodable, CustomTestStringConvertible, Sendable {
    /// A token may be described by its length alone.
    enum Token: Decodable, Equatable {
        case text(String)
        case long

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = (try? container.decode(String.self)).map { .text($0) } ?? .long
        }
    }

    struct Account: Decodable, Sendable {
        let access_token: Token?
        let refresh_token: String?
        let uid: String?
        let screen_name: String?
        let avatar_large: String?
        let expires_unix: Double?
        let expires_in: Int64?
        let issued_at: Int64?
    }

    private struct Manifest: Decodable {
        let cases: [ImportVector]
    }

    let file: String
    let expect: String
    let accounts: [Account]
    let class_name: String?
    let warnings: [String]?
    private(set) var folder = ""
    var testDescription: String { file }

    private enum CodingKeys: CodingKey {
        case file, expect, accounts, class_name, warnings
    }

    /// The reason of a rejection.
    var reason: String? {
        expect.hasPrefix("reject:") ? String(expect.dropFirst("reject:".count)) : nil
    }

    static let vectors = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors")

    var url: URL { Self.vectors.appending(path: folder).appending(path: file) }

    func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }

    static let apps = load("archives")
    static let own = load("imports")
    static let all = apps + own
    static let accepted = all.filter { $0.reason == nil }

    private static func load(_ folder: String) -> [ImportVector] {
        let path = vectors.appending(path: folder).appending(path: "MANIFEST.json")
        guard let data = try? Data(contentsOf: path),
            let manifest = try? JSONDecoder().decode(Manifest.self, from: data)
        else { return [] }
        return manifest.cases.map { vector in
            var vector = vector
            vector.folder = folder
            return vector
        }
    }
}

/// What was read of a file, as texts.
struct ReadAccount: Equatable {
    let accessToken: String
    let refreshToken: String?
    let uid: String
    let screenName: String?
    let avatarLarge: String?
    let expiry: Expiry

    init(_ account: borrowing UserAccount) {
        accessToken = text(account.accessToken)
        switch account.refreshToken {
        case .some(let token): refreshToken = text(token)
        case .none: refreshToken = nil
        }
        uid = account.uid
        screenName = account.screenName
        avatarLarge = account.avatarLarge
        expiry = account.expiry
    }
}

/// The text of a made-up secret, for comparison.
func text(_ secret: borrowing SecretBytes) -> String {
    secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}

/// Reads a file as `account import` does, at a fixed time.
func read(
    _ file: [UInt8], uid: String? = nil, expiresAt: Int64? = nil, expiresIn: Int64? = nil,
    issuedAt: Int64? = nil
) throws -> (account: ReadAccount, className: String?, format: String, warnings: [String]) {
    let arena = try SecretArena.forTest(capacity: ImportLimits.arena(forFileOf: file.count))
    defer { #expect(arena.used == 0) }
    var reader = ArchiveReader(arena: arena)
    let supplement = ImportSupplement(
        now: now, uid: uid, expiresAt: expiresAt, expiresIn: expiresIn, issuedAt: issuedAt)
    let imported = try reader.read(file.span, supplement: supplement)
    return (
        ReadAccount(imported.account), imported.className, imported.format, imported.warnings
    )
}

/// The manifest's reference_now: 2026-01-01T00:00:00Z.
let now: Int64 = 1_767_225_600
