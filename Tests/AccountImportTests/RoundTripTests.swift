import AccountCommands
import AccountImport
import Accounts
import Foundation
import SecretMemory
import Testing

/// An app's class, as an app would write it.
final class AppAccount: NSObject, NSCoding {
    let accessToken: String?
    let uid: String?
    let screenName: String?
    let avatarLarge: String?
    let expiresDate: Date?
    let refreshToken: String?

    init?(coder: NSCoder) {
        accessToken = coder.decodeObject(forKey: "access_token") as? String
        uid = coder.decodeObject(forKey: "uid") as? String
        screenName = coder.decodeObject(forKey: "screen_name") as? String
        avatarLarge = coder.decodeObject(forKey: "avatar_large") as? String
        expiresDate = coder.decodeObject(forKey: "expires_date") as? Date
        // On Linux Foundation ends the process over a key that is not there.
        refreshToken =
            coder.containsValue(forKey: "refresh_token")
            ? coder.decodeObject(forKey: "refresh_token") as? String : nil
    }

    func encode(with coder: NSCoder) {}
}

/// What is exported is read back to the same account: by the importer, and by Foundation.
@Suite struct RoundTripTests {
    // Each account of each file that is accepted.
    static let accounts: [(file: String, account: ReadAccount)] = ImportVector.accepted.flatMap {
        vector in
        vector.accounts.compactMap { account in
            let uid = vector.accounts.count > 1 ? account.uid : nil
            return (try? read(vector.bytes(), uid: uid)).map { (vector.file, $0.account) }
        }
    }

    static func export(_ account: ReadAccount, _ options: ExportOptions) throws -> [UInt8] {
        let arena = try SecretArenaOf.large()
        let written = try AccountExport.write(account.inMemory(arena), options, in: arena)
        return written.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test("there are accounts")
    func some() {
        #expect(Self.accounts.count >= ImportVector.accepted.count + 1)
        #expect(Self.accounts.contains { $0.account.refreshToken != nil })
        #expect(Self.accounts.contains { $0.account.expiry.issuedAt != nil })
    }

    @Test("import of an export gives the same account", arguments: ExportOptions.Format.allCases)
    func same(_ format: ExportOptions.Format) throws {
        for (file, account) in Self.accounts {
            let exported = try Self.export(account, ExportOptions(format: format))
            #expect(try read(exported).account == account, "\(file)")
        }
    }

    @Test("import of an export with other names gives the same account")
    func otherNames() throws {
        let options = ExportOptions(
            format: .keyedArchive, className: "Other.Account",
            keys: "uid=userID,access_token=accessToken,screen_name=name,avatar_large=avatar_hd,"
                + "expires_date=expirationDate,refresh_token=refreshToken,expires_in,"
                + "issued_at=created_time")
        for (file, account) in Self.accounts {
            let exported = try Self.export(account, options)
            let imported = try read(exported)
            #expect(imported.account == account, "\(file)")
            #expect(imported.className == "Other.Account")
        }
    }

    @Test("NSKeyedUnarchiver reads an export as an app would")
    func unarchiver() throws {
        for (file, account) in Self.accounts {
            let exported = try Self.export(account, ExportOptions(format: .keyedArchive))
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(exported))
            unarchiver.requiresSecureCoding = false
            unarchiver.setClass(AppAccount.self, forClassName: "SinaWeibo.ZFSinaUserAccount")
            let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
            let found = try #require(object as? AppAccount, "\(file)")
            #expect(found.accessToken == account.accessToken)
            #expect(found.uid == account.uid)
            #expect(found.screenName == account.screenName)
            #expect(found.avatarLarge == account.avatarLarge)
            #expect(found.refreshToken == account.refreshToken)
            #expect(found.expiresDate?.timeIntervalSince1970 == Double(account.expiry.expiresAt))
        }
    }

    @Test("Foundation reads a plain export and the JSON")
    func foundation() throws {
        for (_, account) in Self.accounts {
            let list = try unsafe PropertyListSerialization.propertyList(
                from: Data(Self.export(account, ExportOptions())), format: nil)
            let members = try #require(list as? [String: Any])
            #expect(members["access_token"] as? String == account.accessToken)
            #expect(members["uid"] as? String == account.uid)
            #expect(members["screen_name"] as? String == account.screenName)
            #expect(
                (members["expires_date"] as? Date)?.timeIntervalSince1970
                    == Double(account.expiry.expiresAt))
            let json = try JSONSerialization.jsonObject(
                with: Data(Self.export(account, ExportOptions(format: .json))))
            let fields = try #require(json as? [String: Any])
            #expect(fields["access_token"] as? String == account.accessToken)
            #expect(
                fields["expires_date"] as? String == CivilTime.rfc3339(account.expiry.expiresAt))
            #expect(fields.count == members.count)
        }
    }
}

extension ReadAccount {
    /// The account itself.
    func inMemory(_ arena: SecretArena) throws -> UserAccount {
        func secret(_ text: String) throws -> SecretBytes {
            var bytes = try arena.allocate(text.utf8.count)
            bytes.withMutableBytes { $0.copy(from: Array(text.utf8).span) }
            return bytes
        }
        let account: UserAccount
        if let refreshToken {
            account = UserAccount(
                accessToken: try secret(accessToken), refreshToken: try secret(refreshToken),
                uid: uid, screenName: screenName, avatarLarge: avatarLarge, expiry: expiry)
        } else {
            account = UserAccount(
                accessToken: try secret(accessToken), uid: uid, screenName: screenName,
                avatarLarge: avatarLarge, expiry: expiry)
        }
        return account
    }
}
