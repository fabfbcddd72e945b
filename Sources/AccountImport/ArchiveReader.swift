package import Accounts
import JSON
import PropertyList
package import SecretMemory

/// What the command line says beside a file.
package struct ImportSupplement: Equatable, Sendable {
    /// `--uid`: chooses among several accounts, and says whose it is where the file does not.
    package var uid: String?
    /// `--expires-at`, seconds since 1970.
    package var expiresAt: Int64?
    /// `--expires-in`, seconds.
    package var expiresIn: Int64?
    /// `--issued-at`, seconds since 1970.
    package var issuedAt: Int64?
    /// Seconds since 1970.
    package var now: Int64

    /// Makes one of what was given.
    package init(
        now: Int64, uid: String? = nil, expiresAt: Int64? = nil, expiresIn: Int64? = nil,
        issuedAt: Int64? = nil
    ) {
        self.now = now
        self.uid = uid
        self.expiresAt = expiresAt
        self.expiresIn = expiresIn
        self.issuedAt = issuedAt
    }
}

/// An account that was found in a file.
package struct ImportedAccount: ~Copyable {
    /// The account itself.
    package var account: UserAccount
    /// The class that the app had it in; nil outside of an archive.
    package let className: String?
    /// What the file is: "nskeyedarchiver", "plist", "android-preferences", "json".
    package let format: String
    /// What is odd about it and yet no reason to reject it.
    package let warnings: [String]
}

/// Finds the account in what an app has written.
///
/// Whatever the file is, it becomes a binary property list in locked memory, so that there is one
/// reader of accounts: XML and JSON by way of `PropertyListWriter`. A reader may be used for one
/// file after the other.
package struct ArchiveReader: ~Copyable {
    private let arena: SecretArena
    private var graph: ObjectGraph

    /// Makes a reader.
    ///
    /// - Parameter arena: where the tokens go, and what a file becomes.
    package init(arena: SecretArena) {
        self.arena = arena
        graph = ObjectGraph(limits: ImportLimits.graph)
    }

    /// Reads a file.
    ///
    /// - Throws: why it is rejected.
    package mutating func read(
        _ file: Span<UInt8>, supplement: ImportSupplement
    ) throws(ImportError) -> ImportedAccount {
        guard file.count <= ImportLimits.maximumFile else { throw .tooLarge }
        switch try ImportFormat.of(file) {
        case .binary: return try read(file, dialect: .apple, supplement)
        case .xml:
            let document = try XMLDocument.read(file, in: arena)
            return try read(document.list, document.isAndroid ? .android : .apple, supplement)
        case .json:
            let list = try JSONModel.propertyList(of: file, in: arena)
            return try read(list, .json, supplement)
        }
    }

    private mutating func read(
        _ list: borrowing SecretBuffer, _ dialect: ImportDialect, _ supplement: ImportSupplement
    ) throws(ImportError) -> ImportedAccount {
        try list.withBytes { bytes throws(ImportError) in
            try read(bytes, dialect: dialect, supplement)
        }
    }

    private mutating func read(
        _ bytes: Span<UInt8>, dialect: ImportDialect, _ supplement: ImportSupplement
    ) throws(ImportError) -> ImportedAccount {
        do { try graph.scan(bytes) } catch { throw ImportError(error) }
        let fields = AccountFields(graph: graph, arena: arena, dialect: dialect)
        let account = try fields.choose(uid: supplement.uid, in: bytes)
        return try fields.read(account, supplement, in: bytes)
    }
}

/// Where a file comes from, as far as that says what its numbers mean.
enum ImportDialect: Sendable {
    case apple, android, json

    /// The name of it that is shown.
    func name(isArchive: Bool) -> String {
        switch self {
        case .apple: isArchive ? "nskeyedarchiver" : "plist"
        case .android: "android-preferences"
        case .json: "json"
        }
    }
}
