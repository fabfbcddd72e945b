import AccountCommands
package import SecretMemory

@testable import AccountImport
@testable import Accounts

/// What a person gives to `account import`: whatever an app has written, and all that is taken for
/// it.
///
/// An input that begins with `M` says how an archive is made.
package final class ImportBody: FuzzBody {
    package static let name = "import"
    package static let vectors = ["archives", "imports"]
    private static let now: Int64 = 1_767_225_600

    package let arena: SecretArena
    private var reader: ArchiveReader

    package init() throws {
        arena = try SecretArena(capacity: 1 << 21, preferring: .lockedPages)
        reader = ArchiveReader(arena: arena)
    }

    package func run(_ input: Span<UInt8>) throws {
        guard input.count > 0, input[0] == UInt8(ascii: "M") else { return try read(input) }
        var choices = FuzzInput(input.array)
        _ = choices.byte()
        guard let archive = try ArchiveMaker.make(choices, in: arena) else { return }
        try archive.withBytes { try read($0) }
    }

    private func read(_ file: Span<UInt8>) throws {
        guard let error = try read(file, ImportSupplement(now: Self.now)) else { return }
        // What lacks a value gets past that with one.
        switch error.reason {
        case "uid-missing", "expiry-unknown", "bad-expires_in", "expires_in-out-of-range":
            let given = ImportSupplement(
                now: Self.now, uid: "9900001001", expiresAt: Self.now + 86_400)
            _ = try read(file, given)
            _ = try read(file, ImportSupplement(now: Self.now, expiresIn: 60))
        default: break
        }
    }

    private func read(
        _ file: Span<UInt8>, _ supplement: ImportSupplement
    ) throws -> ImportError? {
        let imported: ImportedAccount
        do throws(ImportError) {
            imported = try reader.read(file, supplement: supplement)
        } catch {
            try require(!error.reason.hasPrefix("out-of-memory"), "a file that takes all memory")
            try require(error.reason.utf8.count < 80, "a long reason: \(error.reason)")
            try ResponseBody.requireOwnWords(error.reason)
            return error
        }
        try imported.account.accessToken.withBytes {
            try require(AccountField.check(accessToken: $0) == nil, "a token that is none")
        }
        try require(AccountField.check(uid: imported.account.uid) == nil, "a uid that is none")
        for format in ExportOptions.Format.allCases {
            try requireRoundTrip(imported.account, format)
        }
        return nil
    }

    // What is exported is imported as the same account.
    private func requireRoundTrip(
        _ account: borrowing UserAccount, _ format: ExportOptions.Format
    ) throws {
        let written = try AccountExport.write(account, ExportOptions(format: format), in: arena)
        let again = try written.withBytes { bytes throws(ImportError) in
            try reader.read(bytes, supplement: ImportSupplement(now: Self.now))
        }
        try require(
            account.accessToken.isEqual(to: again.account.accessToken), "\(format): another token")
        try require(account.uid == again.account.uid, "\(format): another uid")
        try require(account.screenName == again.account.screenName, "\(format): another name")
        try require(
            account.avatarLarge == again.account.avatarLarge, "\(format): another avatar")
        try require(account.expiry == again.account.expiry, "\(format): another expiry")
    }
}
